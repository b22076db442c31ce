"""What anybody can type or pipe: a clear error with its exit code, never a traceback, and nothing changed."""

import json

import pytest

SURROGATE = "a\udcffb"


def refused(answer, *, code=2):
    assert (answer.code, answer.out) == (code, ""), answer.shown()
    assert "Traceback" not in answer.err
    assert answer.err.startswith("Error: ")
    return answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("waits", "--workflow", SURROGATE),
        ("resume", SURROGATE),
        ("cancel", "release", "--reason", SURROGATE),
        ("run", "release", "--input", f"env={SURROGATE}"),
        ("signal", "00050001", "--payload", "{}", "--idempotency-key", SURROGATE),
        ("history", "get", SURROGATE),
        ("list", "--repo-dir", SURROGATE),
        ("list", "--datastore", SURROGATE),
    ],
    ids=lambda words: words[0],
)
def test_text_that_is_not_utf8_is_a_mistake(swamp, words):
    """What goes into a record or a command must be text; the message shows the byte."""
    assert "It is not valid UTF-8." in refused(swamp("workflow", *words))


@pytest.mark.parametrize(
    "words", [("run", SURROGATE), ("validate", SURROGATE), ("signal", SURROGATE, "--payload", "{}")]
)
def test_a_name_that_nothing_can_have_is_unknown(swamp, words):
    """A name or an ID is only looked for, so any text may be given."""
    assert "There is no w" in refused(swamp("workflow", *words), code=3)


@pytest.mark.parametrize(
    "payload",
    [
        '{"a": "\udcff"}',
        '{"a": "\\ud800"}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "[" * 100_000,
        "{} {}",
        "",
        '{"__proto__": 1}',
    ],
    ids=range(8),
)
@pytest.mark.parametrize("way", ["--payload", "--payload-file"])
def test_a_payload_that_is_not_strict_json_is_refused_however_it_comes(
    swamp, open_wait, payload, way, tmp_path
):
    """The wait stays open, whether the payload was typed or read from a file."""
    given = payload
    if way == "--payload-file":
        given = str(tmp_path / "payload.json")
        (tmp_path / "payload.json").write_bytes(payload.encode("utf-8", "surrogateescape"))
    refused(swamp("workflow", "signal", open_wait, way, given), code=3)
    assert [wait["waitId"] for wait in swamp("workflow", "waits", "--json").json["waits"]] == [open_wait]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere.json", "No such file or directory"),
        (".", "Is a directory"),
        ("x" * 5000, "File name too long"),
        ("a\0b", "null byte"),
        (SURROGATE, "No such file or directory"),
        ("/dev/zero", "more than 1048576 bytes"),
    ],
    ids=["missing", "directory", "long", "nul", "surrogate", "endless"],
)
def test_a_payload_file_that_cannot_be_read_is_a_mistake(swamp, open_wait, path, reason):
    """The message names the file and the reason."""
    assert reason in refused(swamp("workflow", "signal", open_wait, "--payload-file", path))


@pytest.mark.parametrize(
    "command", [("signal", "00050001", "--payload-file"), ("run", "release", "--input-file")]
)
def test_a_closed_stdin_is_a_mistake(swamp, command):
    """`-` reads stdin, which a service may have closed."""
    assert "Stdin is closed" in refused(swamp("workflow", *command, "-"))


def test_stdin_is_a_payload(swamp, open_wait):
    """`--payload-file -` takes what is piped in."""
    answer = swamp(
        "workflow", "signal", open_wait, "--payload-file", "-", "--json", stdin='{"verdict":"fix"}'
    )
    assert answer.json["status"] == "accepted"


def test_inputs_may_come_from_stdin_and_one_by_one(swamp):
    """`--input` beats the file, and each is read by the type that the workflow declares."""
    answer = swamp(
        "workflow",
        "run",
        "release",
        "--input-file",
        "-",
        "--input",
        "env=prod",
        "--json",
        stdin='{"env":"dev"}',
    )
    assert answer.json["run"]["inputs"] == {"env": "prod"}


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[1]", b"", b'{"env": "dev"', b"{" * 3000])
def test_an_input_file_that_is_no_object_is_refused(swamp, content):
    """No run is started."""
    refused(swamp("workflow", "run", "release", "--input-file", "-", stdin=content), code=3)
    assert swamp("workflow", "history", "list", "--json").json == {"runs": []}


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "many", ""])
def test_a_limit_is_a_number_from_one(swamp, limit):
    """Zero and less are mistakes."""
    refused(swamp("workflow", "history", "list", f"--limit={limit}"))


@pytest.mark.parametrize(
    "wait_id", ["", ".", "../x", "%2e%2e", "a" * 300, "WAITS", "00050001\n", "\x1b[2J", "0005000"]
)
def test_any_text_may_be_given_for_a_wait_id(swamp, wait_id):
    """It names no wait, and what the message shows of it is harmless."""
    told = refused(swamp("workflow", "signal", wait_id, "--payload", "{}"), code=3)
    assert "There is no wait" in told
    assert all(line.isprintable() for line in told.split("\n"))


def test_hostile_records_cannot_control_the_terminal(swamp, monkeypatch):
    """Names and prompts with escape sequences are shown with escapes, on a terminal as elsewhere."""
    monkeypatch.setenv("TERM", "xterm")
    evil = "\x1b]0;owned\x07"
    definition = {
        "description": evil + "\u202e",
        "jobs": [
            {
                "name": "j",
                "steps": [{"name": "s", "task": {"type": "wait_for_signal", "timeout": 60, "prompt": evil}}],
            }
        ],
    }
    (swamp.directory / "workflows" / "evil.yaml").write_text(json.dumps(definition))
    wait_id = swamp("workflow", "run", "evil", "--json").json["waits"][0]["waitId"]
    payload = json.dumps({"note": evil})
    for words in (
        ("list",),
        ("waits",),
        ("signal", wait_id, "--payload", payload),
        ("history", "get", "evil"),
        ("resume", "evil"),
        ("history", "get", "evil"),
    ):
        for json_too in ((), ("--json",)):
            answer = swamp("workflow", *words, *json_too, "--no-color", terminal=True)
            assert "\x1b]" not in answer.out + answer.err
            assert "\u202e" not in answer.out + answer.err
            if json_too:
                json.loads(answer.out)


def test_a_user_whose_name_is_not_text_can_run_and_signal(swamp, monkeypatch):
    """LOGNAME may hold any bytes; records hold text, in which what is no UTF-8 is replaced."""
    monkeypatch.setenv("LOGNAME", SURROGATE)
    swamp.ambient = None
    (wait,) = swamp("workflow", "run", "release", "--json").json["waits"]
    answer = swamp("workflow", "signal", wait["waitId"], "--payload", '{"verdict":"fix"}', "--json")
    assert answer.json["receipt"]["submittedBy"] == "a\ufffdb"


def test_a_broken_configuration_is_an_error_of_the_store(swamp):
    """`.swamp.yaml` says where the state is; what is wrong with it is told with its place, in one sentence."""
    (swamp.directory / ".swamp.yaml").write_text("datastore: [1\n")
    told = refused(swamp("workflow", "waits"), code=4).splitlines()
    assert told[0].startswith(f"Error: {swamp.directory}/.swamp.yaml: Line 2, column 1: ")
    assert not told[0].endswith("..")


def test_an_unknown_field_of_the_configuration_is_named(swamp):
    """A misspelt field would otherwise put the state somewhere else without a word."""
    (swamp.directory / ".swamp.yaml").write_text("datastor: file:///srv/swamp\n")
    told = refused(swamp("workflow", "waits"), code=4).splitlines()
    assert told[0] == f"Error: {swamp.directory}/.swamp.yaml has an unknown field `datastor`."
    assert told[1].startswith("It may hold `datastore` and nothing else")


@pytest.mark.parametrize("how", ["--datastore", "SWAMP_DATASTORE", ".swamp.yaml"])
def test_a_datastore_that_is_not_there_is_told_with_what_set_it(swamp, how):
    """Whoever mistypes a path sees where: the directory once, the place of the setting, and what to write."""
    url = f"file://{swamp.directory}/nowhere"
    if how == ".swamp.yaml":
        (swamp.directory / how).write_text(f"datastore: {url}\n")
    if how == "SWAMP_DATASTORE":
        swamp.environ[how] = url
    options = (how, url) if how == "--datastore" else ()
    told = refused(swamp("workflow", "waits", *options), code=4)
    assert told.count("nowhere") == 1
    assert "?create=true" in told
    assert told.splitlines()[1] == f"The datastore is set by {how}."
