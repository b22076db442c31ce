"""One renderer for every error: code, sentences, exit code."""

import click
import pytest
from swamp_core.app.refusals import Refused
from swamp_core.cli.errors import failure_of, report
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.output import Output
from swamp_core.cli.stream import Stream
from swamp_core.store import errors
from swamp_core.testing.recording import Screen

STORE_ERRORS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.StoreError) and each is not errors.StoreError
]


@pytest.mark.parametrize("kind", STORE_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_a_store_has_its_code_and_says_where(kind):
    """Exit code 4, the code of its class, the place in the message, and what to do as the hint."""
    unknown = {"put_id": "p-1"} if kind is errors.OutcomeUnknown else {}
    error = kind("It broke", operation="get", key="waits/a", store="file:///s", **unknown)
    failure = failure_of(error)
    assert failure.exit_code is ExitCode.STORE
    assert failure.code == kind.code
    assert failure.message == "It broke (at get `waits/a` in file:///s)."
    assert failure.hint == kind.default_hint
    assert failure.details.items() >= {"operation": "get", "key": "waits/a", "store": "file:///s"}.items()


def test_a_refusal_is_told_as_it_was_written():
    """Code, message, hint and facts of a refusal are the answer's, with exit code 3."""
    failure = failure_of(Refused("expired", "Too late.", hint="See:\nswamp x", details={"a": 1}))
    assert failure.to_json() == {
        "error": {"code": "expired", "message": "Too late.", "hint": "See:\nswamp x", "details": {"a": 1}}
    }
    assert failure.exit_code == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort(), EOFError()])
def test_an_interrupt_has_its_exit_code(error):
    """130 wherever it came."""
    assert failure_of(error).exit_code == 130


def test_a_bug_is_one_line_and_has_an_exit_code_of_its_own():
    """What nobody foresaw is not taken for a failed run, and shows no traceback."""
    err = Stream(Screen("err", [], terminal=False))
    code = report(ZeroDivisionError("division by zero\nand more"), Output(err=err), debug=False)
    assert code == ExitCode.INTERNAL
    told = err.file.getvalue().splitlines()
    assert told[0] == "Error: Swamp failed, which is a bug: ZeroDivisionError: division by zero"
    assert "Traceback" not in err.file.getvalue()


def test_a_bug_of_a_command_is_a_document_too(swamp):
    """With `--json` stdout holds one document even then."""

    def broken(setting):
        raise ZeroDivisionError

    swamp.opener = broken
    answer = swamp("workflow", "waits", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (70, "internal")


def test_a_hostile_message_cannot_forge_colours():
    """A name in a message is shown with its escapes visible."""
    err = Stream(Screen("err", [], terminal=False))
    report(Refused("unknown_wait", "There is no wait \x1b[2J."), Output(err=err), debug=False)
    assert err.file.getvalue() == "Error: There is no wait \\x1b[2J.\n"
