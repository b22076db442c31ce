"""Payloads as a stranger sends them: refused with a reason, or stored exactly; a refusal changes nothing at all."""

import json

import pytest

KIB = 1024
ASK = "jobs: [{name: ask, steps: [{name: answer, task: {type: wait_for_signal, timeout: 1h}}]}]\n"
DEEP = 100_000


def of_bytes(size):
    """An object that has that many bytes as compact JSON."""
    return b'{"text":"' + b"x" * (size - len('{"text":""}')) + b'"}'


REFUSED = {
    "duplicate names": (b'{"verdict":"fix","verdict":"ship"}', "duplicate_name"),
    "duplicate names at depth": (b'{"a":[{"b":{"c":1,"c":1}}]}', "duplicate_name"),
    "duplicate names, one escaped": (b'{"a":1,"\\u0061":2}', "duplicate_name"),
    "NaN": (b'{"n":NaN}', "not_a_number"),
    "Infinity": (b'{"n":Infinity}', "not_a_number"),
    "-Infinity": (b'{"n":[-Infinity]}', "not_a_number"),
    "1e400": (b'{"n":1e400}', "inexact_number"),
    "a number with too many digits": (b'{"n":0.1000000000000000055511151231257827}', "inexact_number"),
    "an integer over 64 bits": (b'{"n":9223372036854775808}', "integer_too_large"),
    "an integer of 100,000 digits": (b'{"n":' + b"9" * DEEP + b"}", "integer_too_large"),
    "an escaped lone surrogate": (b'{"text":"\\ud800"}', "lone_surrogate"),
    "an escaped lone surrogate in a name": (b'{"\\udc00":1}', "lone_surrogate"),
    "a raw lone surrogate": (b'{"text":"\xed\xa0\x80"}', "not_utf8"),
    "invalid UTF-8": (b'{"text":"\xff"}', "not_utf8"),
    "UTF-16": ('{"text":"x"}'.encode("utf-16"), "not_utf8"),
    "a byte order mark": (b'\xef\xbb\xbf{"text":"x"}', "not_json"),
    "arrays 100,000 deep": (b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}", "too_deep"),
    "objects 100,000 deep": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, "too_deep"),
    "brackets that never close": (b"[" * DEEP, "too_deep"),
    "17 deep": (b'{"a":' + b"[" * 16 + b"]" * 16 + b"}", "too_deep"),
    "16 KiB and one byte": (of_bytes(16 * KIB + 1), "too_large"),
    "__proto__": (b'{"__proto__":{"admin":true}}', "forbidden_name"),
    "__proto__ at depth": (b'{"a":[[{"b":{"__proto__":1}}]]}', "forbidden_name"),
    "__proto__, escaped": (b'{"\\u005f_proto__":1}', "forbidden_name"),
    "constructor at depth": (b'{"a":{"constructor":{"prototype":1}}}', "forbidden_name"),
    "prototype": (b'{"prototype":null}', "forbidden_name"),
    "text after it": (b'{"a":1} and more', "trailing_text"),
    "two objects": (b"{}{}", "trailing_text"),
    "an array": (b"[]", "not_an_object"),
    "a string": (b'"text"', "not_an_object"),
    "a number": (b"1", "not_an_object"),
    "true": (b"true", "not_an_object"),
    "null": (b"null", "not_an_object"),
    "nothing": (b"", "not_json"),
    "white space": (b" \n\t", "not_json"),
    "half an object": (b'{"a":1', "not_json"),
    "a trailing comma": (b'{"a":1,}', "not_json"),
    "a comment": (b'{"a":1 /* one */}', "not_json"),
    "single quotes": (b"{'a':1}", "not_json"),
    "a control character": (b'{"a":"\x00"}', "not_json"),
}
STORED = {
    "exactly 16 KiB": (of_bytes(16 * KIB), None),
    "more than 16 KiB of white space": (b'{"a":' + b" " * (17 * KIB) + b"1}", {"a": 1}),
    "16 deep": (b'{"a":' + b"[" * 15 + b"]" * 15 + b"}", None),
    "names that look like members of an object": (b'{"__proto":1,"toString":2,"proto__":3}', None),
    "a pair of surrogates, escaped": (b'{"text":"\\ud83d\\ude00"}', {"text": "\U0001f600"}),
    "text that looks like code": (b'{"text":"$(touch pwned) ${{ inputs }} \\u001b[31m"}', None),
    "the largest integer": (b'{"n":9223372036854775807}', None),
    "members in an order of their own": (b'{"z":1,"a":2,"m":{"y":1.0,"b":true}}', None),
}


@pytest.fixture(scope="module")
def asking(command_line, tmp_path_factory):
    """A run of `ask`, which takes any object, that waits."""
    swamp = command_line(tmp_path_factory.mktemp("payloads") / "repo")
    swamp.write("workflows/ask.yaml", ASK)
    swamp("workflow", "run", "ask")
    return swamp


@pytest.fixture
def asked(asking, tmp_path):
    """A copy of it, and the ID of its wait."""
    swamp = asking.copied(tmp_path / "repo")
    (wait,) = swamp.library().waits().waits
    return swamp, wait.wait_id


def refused(asked, *given, code=3, **options):
    """Signal the wait, which is refused; the error. Nothing has changed, and the wait can be signalled after it."""
    swamp, wait_id = asked
    before = swamp.stored()
    error = swamp.json("workflow", "signal", wait_id, *given, code=code, **options)["error"]
    assert swamp.stored() == before
    assert error["message"].strip()
    assert error["hint"].strip()
    assert swamp.library().signal(wait_id, {"verdict": "ship"}).status == "accepted"
    return error


@pytest.mark.only_local("a payload is refused before a store is asked for more than its wait")
@pytest.mark.parametrize(("sent", "rule"), REFUSED.values(), ids=REFUSED)
def test_a_payload_that_is_no_plain_json_object_is_refused(asked, sent, rule):
    """It is refused as invalid, with the rule that it breaks; the wait stays open, and the store as it was."""
    error = refused(asked, "--payload-file", "-", stdin=sent)
    assert (error["code"], error["details"]["rule"]) == ("invalid_payload", rule)


@pytest.mark.parametrize(("sent", "value"), STORED.values(), ids=STORED)
def test_a_payload_at_the_border_is_stored_as_it_was_sent(asked, sent, value):
    """What keeps the rules is taken, however odd it looks, and reaches the step as it was sent."""
    swamp, wait_id = asked
    (swamp.directory / "payload.json").write_bytes(sent)
    swamp("workflow", "signal", wait_id, "--payload-file", "payload.json")
    library = swamp.library()
    library.resume("ask")
    (job,) = library.get_run("ask").run.jobs
    expected = json.loads(sent) if value is None else value
    # as text, so that 1 is not 1.0, true is no 1, and the order of the members counts
    assert json.dumps(job.steps[0].outputs["payload"]) == json.dumps(expected)
    assert not (swamp.directory / "pwned").exists()


@pytest.mark.only_local("a payload is refused before a store is asked for more than its wait")
@pytest.mark.parametrize(
    "text",
    [
        b'{"text":"\xff"}',
        "[" * DEEP,
        '{"a":1,"a":2}',
        "{} {}",
        "",
        "ship",
        '{"n":NaN}',
        of_bytes(16 * KIB + 1),
    ],
    ids=["no UTF-8", "deep", "duplicate", "trailing", "empty", "a bare word", "NaN", "too large"],
)
def test_a_payload_on_the_command_line_is_read_as_strictly(asked, text):
    """`--payload` takes what `--payload-file` takes, and refuses what that refuses."""
    assert refused(asked, "--payload", text)["code"] == "invalid_payload"


@pytest.mark.only_local("a payload is refused before a store is asked for more than its wait")
@pytest.mark.parametrize(
    "given",
    [
        ("--payload-file", "missing.json"),
        ("--payload-file", "workflows"),
        ("--payload-file", "huge.json"),
        ("--payload-file", b"no-\xff-utf-8"),
        ("--payload-file", ""),
        ("--payload", "{}", "--payload-file", "-"),
        (),
    ],
    ids=["missing", "directory", "huge", "name of bytes", "no name", "given twice", "not given"],
)
def test_a_payload_that_cannot_be_had_is_a_mistake_of_usage(asked, given):
    """A file that is missing, a directory, too large, or not named at all: exit code 2, and nothing is sent."""
    with (asked[0].directory / "huge.json").open("wb") as huge:
        huge.truncate(10 * KIB * KIB * KIB)  # a hole: no disk is filled
    assert refused(asked, *given, code=2)["code"] == "usage"


def test_an_endless_payload_is_not_read_to_its_end(asked):
    """What is read of a file is bounded."""
    assert refused(asked, "--payload-file", "/dev/zero", code=2)["code"] == "usage"


@pytest.mark.parametrize("key", ["", "x" * 129, "a\nb", "\x1b[31m", "\u202e"], ids=ascii)
def test_an_idempotency_key_that_cannot_be_shown_is_refused(asked, key):
    """A key has 1 to 128 printable characters."""
    assert refused(asked, "--payload", "{}", "--idempotency-key", key)["code"] == "invalid_input"


@pytest.mark.parametrize("name", ["duplicate names", "arrays 100,000 deep", "invalid UTF-8", "nothing"])
def test_a_refusal_is_told_to_people_on_stderr(asked, name):
    """Without `--json` stdout stays empty, and stderr says what is wrong with the payload."""
    swamp, wait_id = asked
    ended = swamp("workflow", "signal", wait_id, "--payload-file", "-", stdin=REFUSED[name][0], code=3)
    assert (ended.out, ended.err.startswith("Error: The payload is not accepted: ")) == ("", True)
