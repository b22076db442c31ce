"""How the history is told: the steps that failed with what they left, bounded and harmless."""

import pytest
from swamp_core.cli.rendering.phrases import LOG_LINES_MAX, VALUE_CHARACTERS_MAX, failure_lines

FAIL = """\
type: command/shell
methods:
  fail: { run: 'printf "\\033[2Jout\\n"; echo "err" >&2; exit 2' }
"""
BROKEN = "jobs: [{ name: a, steps: [{ name: b, task: { type: model_method, modelIdOrName: m, methodName: fail } }] }]"


def failed(outputs, **details):
    error = {"code": "command_failed", "message": "It failed.", "details": details}
    return {"event": "step_failed", "error": error, "outputs": outputs}


def test_a_failed_step_shows_what_it_printed(swamp):
    """`run` sends people to `history get`, and there is what the step wrote, with escapes made visible."""
    (swamp.directory / "models" / "m.yaml").write_text(FAIL)
    (swamp.directory / "workflows" / "broken.yaml").write_text(BROKEN)
    assert "history get" in swamp("workflow", "run", "broken").out
    shown = swamp("workflow", "history", "get", "broken").out.splitlines()
    column = next(line.index("WHAT") for line in shown if "WHAT" in line)
    lines = [line[column:] for line in shown]
    at = next(number for number, line in enumerate(lines) if line.startswith("a/b failed"))
    assert lines[at + 1 : at + 6] == [
        "  exitCode: 2",
        "  stderr:",
        "    err",
        "  stdout:",
        "    \\x1b[2Jout",
    ]


def test_a_long_log_is_cut_and_says_so():
    """Only the end is shown, of each line the beginning, and where the rest is."""
    log = "\n".join(["x" * 1000] * 100)
    head, *lines = failure_lines(failed({"stdout": log, "stderr": ""}))
    assert head == "stdout (the last 20 of 100 lines; `history logs` has all):"
    assert len(lines) == LOG_LINES_MAX
    assert {len(line) for line in lines} == {VALUE_CHARACTERS_MAX + 2}


@pytest.mark.parametrize("outputs", [None, {}, {"stdout": 3}, {"stdout": " \n"}])
def test_a_step_that_printed_nothing_shows_the_facts_only(outputs):
    """A failed step without a log, or with one that is none, has its error's details."""
    assert list(failure_lines(failed(outputs, waitId="1"))) == ['waitId: "1"']


def test_nothing_is_added_to_a_step_that_succeeded():
    """Its outputs are in its own line already."""
    assert list(failure_lines({"event": "step_succeeded", "outputs": {"stdout": "fine\n"}})) == []
