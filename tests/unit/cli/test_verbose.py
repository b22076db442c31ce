"""`--verbose`: what steps print is seen while they run, apart from the answer."""

from swamp_core.cli.invocation import Invocation
from swamp_core.cli.main import main
from swamp_core.cli.verbose import hearing

from tests.unit.cli.happening import RUN, nested_in


def test_each_line_stands_after_the_name_of_its_step(capsys):
    """Of several steps at once it is plain which one printed what; nothing of it goes to stdout."""
    heard = hearing(Invocation(), lambda run: "below > " if run.parent else "")
    heard(RUN, "build", "compile", "stdout", "one\n\ttwo\n")
    heard(RUN, "build", "test", "stderr", "bad\x1b[2J")
    heard(nested_in(RUN, "below"), "build", "compile", "stdout", "three\n")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "build/compile | one",
        "build/compile |         two",
        "build/test | bad\\x1b[2J",
        "below > build/compile | three",
    ]


def test_whoever_drives_can_be_verbose(capsys):
    """Each command that may drive a run takes it, in its short form too."""
    for command in (["run"], ["resume"], ["signal"], ["approve"]):
        main(["workflow", *command, "--help"])
        assert "-v, --verbose" in capsys.readouterr().out
