"""`python -m swamp_core` is the command line."""

import sys

from swamp_core.cli.main import main

sys.exit(main())
