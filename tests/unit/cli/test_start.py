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


INTERRUPTED = """
import os, signal, sys
from swamp_core.entry import run

at, *sys.argv[1:] = sys.argv[1:]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.exit(run())
"""


@pytest.mark.parametrize("at", ["click", "swamp_core.cli.main", "swamp_core.cli.root", "pydantic"])
def test_an_interrupt_while_the_program_is_imported_is_no_traceback(at, tmp_path):
    """However early it comes: a sentence and exit code 130."""
    ended = subprocess.run(
        [sys.executable, "-P", "-c", INTERRUPTED, at, "workflow", "waits"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.strip().removeprefix("Error: ") == "Interrupted."
