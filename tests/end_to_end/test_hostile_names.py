"""Wait IDs, run IDs and workflow names of any text: they name what there is, or nothing, and lead nowhere else."""

import shutil

import pytest
from swamp_core.store import open_store
from swamp_core.testing.counting import counted

ASK = "jobs: [{name: ask, steps: [{name: answer, task: {type: wait_for_signal, timeout: 1h}}]}]\n"

TEXTS = [
    "../../format",
    "../format",
    "../open-runs",
    "..",
    ".",
    "/etc/passwd",
    "format",
    "a/b",
    "waits/",
    "%2e%2e%2fformat",
    "%2e%2e",
    "x" * 300,
    "0" * 300,
    "",
    " ",
    "\n",
    "line\nbreak",
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe",
    "\u0130\u0131",
    "\uff10\uff11\uff12\uff13\uff14\uff15\uff16",  # digits, but not ours
    "\U0001f40a",
    "0000000*",
    "ffffff?[a-f]",
    "ASK",
    "con",
    "--",
]
IN_FULL = "00000000-0000-4000-8000-000000000000"
ODD_IDS = [
    IN_FULL + "/..",
    IN_FULL + "\n/x",
    IN_FULL.replace("-", ""),
    "{" + IN_FULL + "}",
    IN_FULL[:-1] + "\u0661",
]


@pytest.fixture(scope="module")
def asking(command_line, tmp_path_factory):
    """A run of `ask` that waits. Its tests are refused and change nothing, so they share it."""
    swamp = command_line(tmp_path_factory.mktemp("names") / "repo")
    swamp.write("workflows/ask.yaml", ASK)
    swamp("workflow", "run", "ask")
    return swamp


@pytest.fixture
def log(tmp_path):
    """The file of requests that a command sends."""
    return tmp_path / "requests"


def requests(log):
    """The verb and the key, or prefix, of each request."""
    return [tuple(line.split(" ", 1)) for line in log.read_text().splitlines()] if log.exists() else []


def shown_safely(text):
    """Whether a terminal shows this and does nothing else."""
    return all(char.isprintable() or char == "\n" for char in text)


def assert_refused(ended, *codes):
    assert ended.code in (2, 3)
    error = ended.json["error"]
    assert error["code"] in codes
    assert "\n\n" not in error["message"]
    assert shown_safely(error["message"])


@pytest.mark.parametrize("text", [*TEXTS, *ODD_IDS], ids=ascii)
def test_a_signal_reads_nothing_but_waits_and_their_outcomes(asking, log, text):
    """Whatever is given for a wait ID, nothing outside `waits/` and `wait-outcomes/` is read, nothing is changed."""
    before = asking.stored()
    ended = asking("workflow", "signal", "--payload", "{}", "--json", "--", text, code=3, requests=log)
    assert_refused(ended, "unknown_wait")
    sent = requests(log)
    assert {verb for verb, _ in sent} <= {"get", "list"}
    assert all(key.startswith(("waits/", "wait-outcomes/")) and ".." not in key for _, key in sent)
    assert len(sent) <= 2
    assert asking.stored() == before


def test_a_wait_id_that_is_no_utf_8_is_refused(asking, log):
    """Bytes that are no text name no wait, and are shown with escapes."""
    ended = asking("workflow", "signal", b"\xff\xfe", "--payload", "{}", "--json", code=None, requests=log)
    assert_refused(ended, "unknown_wait", "usage")
    assert requests(log) == []


def test_a_wait_id_may_be_written_in_capitals_and_cut_short(asking, tmp_path):
    """What is unique names the wait: capitals, and the first six characters."""
    (wait,) = asking.library().waits().waits
    for text in (wait.wait_id.upper(), f" {wait.wait_id} ", wait.wait_id[:6]):
        receipt = asking.copied(tmp_path / "repo").library().signal(text, {}).receipt
        assert receipt.wait_id == wait.wait_id
        shutil.rmtree(tmp_path / "repo")


RUN_COMMANDS = {
    "resume": ("resume", "--", None),
    "resume --run": ("resume", "ask", "--run", None),
    "cancel": ("cancel", "--", None),
    "cancel --run": ("cancel", "ask", "--run", None),
    "recover": ("recover", "--run", IN_FULL, "--", None),
    "recover --run": ("recover", "ask", "--run", None),
    "history get": ("history", "get", "--", None),
}
WORKFLOW_COMMANDS = {"run": ("run", "--", None), "validate": ("validate", "--", None)}


def sent_here(swamp, log, command, text):
    """Run the command in this process, with the text in its place. `--json` stands first, before any `--`."""
    return swamp.here(
        "--json",
        "workflow",
        *(text if word is None else word for word in command),
        opener=lambda setting: counted(open_store(setting), log),
    )


@pytest.mark.parametrize("text", [*TEXTS, *ODD_IDS], ids=ascii)
def test_a_run_that_is_named_by_any_text_leads_nowhere_else(asking, log, text):
    """Whatever is given for a run or workflow, only the indexes and journals of runs are read; nothing is changed."""
    before = asking.stored()
    for command in RUN_COMMANDS.values():
        assert_refused(sent_here(asking, log, command, text), "unknown_run", "usage")
    sent = requests(log)
    assert {verb for verb, _ in sent} <= {"get", "list"}
    assert all(
        key.startswith(("runs/", "open-runs/", "workflow-runs/")) and ".." not in key for _, key in sent
    )
    assert asking.stored() == before


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_a_workflow_that_is_named_by_any_text_is_looked_for_in_its_folder_only(asking, log, text):
    """A name that no file of `workflows/` has is unknown, whatever file it would be a path to."""
    before = asking.stored()
    for command in WORKFLOW_COMMANDS.values():
        assert_refused(sent_here(asking, log, command, text), "unknown_workflow", "usage")
    for command in (("waits", "--workflow", None), ("history", "list", "--workflow", None)):
        listed = sent_here(asking, log, command, text)
        assert listed.code in (0, 2)
        if listed.code == 0:
            assert listed.json in ({"waits": [], "unreadable": []}, {"runs": []})
    assert all(".." not in key for _, key in requests(log))
    assert asking.stored() == before


@pytest.mark.only_local("the words are the same whatever keeps the state")
@pytest.mark.parametrize("text", ["../../format", "a/b", "ASK", "\x1b[31mred", "x" * 300, ""], ids=ascii)
@pytest.mark.parametrize("command", [*RUN_COMMANDS, *WORKFLOW_COMMANDS])
def test_a_name_that_leads_nowhere_is_told_to_people(asking, log, command, text):
    """Without `--json` the same is said in sentences on stderr, with nothing that a terminal would obey."""
    words = (RUN_COMMANDS | WORKFLOW_COMMANDS)[command]
    ended = asking.here("workflow", *(text if word is None else word for word in words))
    assert (ended.code in (2, 3), ended.out) == (True, "")
    assert shown_safely(ended.err)


@pytest.mark.parametrize("text", ["../../format", "a/b", "ASK", "line\nbreak"], ids=ascii)
def test_a_process_refuses_such_names_as_well(asking, text):
    """Run as processes, the commands that change something refuse what names no run."""
    for command in ("run", "resume", "cancel"):
        asking("workflow", command, text, code=3)
