"""`python -m swamp_core` is the command line."""

import sys

from swamp_core.entry import run

sys.exit(run())
