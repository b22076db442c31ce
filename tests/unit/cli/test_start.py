"""What a command imports before it does anything: starting fast is a promise."""

import json
import subprocess
import sys

import pytest

HEAVY = (
    "pydantic",
    "rich",
    "yaml",
    "jsonschema",
    "referencing",
    "cel_expr_python",
    "re2",
    "swamp_core.app.views",
)
PROGRAM = """
import json, sys
from swamp_core.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def imported(*words, directory):
    """The heavy modules that a command imports, in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, *words],
        cwd=directory,
        capture_output=True,
        check=True,
        timeout=60,
    )
    modules = json.loads(ended.stderr.splitlines()[-1])
    return {name for name in HEAVY if name in modules}


@pytest.mark.parametrize(
    "words",
    [["--version"], ["--help"], ["workflow", "--help"], ["workflow", "signal", "--help"], ["wrkflow"]],
)
def test_what_needs_nothing_imports_nothing(words, tmp_path):
    """Neither the version, nor a help, nor a mistake imports pydantic, rich or YAML."""
    assert imported(*words, directory=tmp_path) == set()


def test_listing_waits_imports_no_expressions_schemas_or_tables(tmp_path):
    """`workflow waits` needs records and nothing else where it prints to no terminal."""
    assert imported("workflow", "waits", directory=tmp_path) == {"pydantic", "swamp_core.app.views"}
