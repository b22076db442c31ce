"""The outputs that a script writes: read as they stand, or refused with the reason."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.models.script_outputs import OUTPUT_BYTES_MAX, InvalidOutput, parse_outputs, read_outputs

READ = {
    "nothing": (b"", {}),
    "blank lines": (b"\n \n", {}),
    "a line": (b"tag=v1\n", {"tag": "v1"}),
    "lines without an end": (b"a=1\nb=true", {"a": "1", "b": "true"}),
    "an equals sign in a value": (b"url=http://x/?a=b&c=d\n", {"url": "http://x/?a=b&c=d"}),
    "spaces belong to the value": (b"a= b \n", {"a": " b "}),
    "an empty value": (b"a=\n", {"a": ""}),
    "Windows line ends": (b"a=b\r\nc=d\r\n", {"a": "b", "c": "d"}),
    "JSON": (b'{"a": 1, "b": [true, null], "c": {"d": "e"}}\n', {"a": 1, "b": [True, None], "c": {"d": "e"}}),
    "JSON after white space": (b' \n{"a": 1}', {"a": 1}),
    "nothing in JSON": (b"{}", {}),
}
REFUSED = {
    "a line that is no assignment": (b"a=1\nhello\n", "Line 2"),
    "a name with a space": (b"a b=1\n", "Line 1"),
    "no name": (b"=1\n", "Line 1"),
    "a name twice": (b"a=1\na=2\n", "a second time"),
    "not UTF-8": (b"a=\xff\n", "not UTF-8"),
    "a JSON list": (b"[1]", "must be an object"),
    "a JSON text": (b'"a"', "must be an object"),
    "JSON with a name twice": (b'{"a": 1, "a": 2}', "twice"),
    "JSON with NaN": (b'{"a": NaN}', "NaN"),
    "JSON that stops": (b'{"a": ', "JSON"),
    "JSON and more": (b'{"a": 1}\nb=2\n', "goes on after"),
    "deep JSON": (b'{"a":' + b"[" * 100_000, "deep"),
}


@pytest.mark.parametrize("what", READ)
def test_outputs_are_read_as_they_stand(what):
    """Lines give text, JSON gives its values, and nothing is coerced."""
    data, outputs = READ[what]
    assert parse_outputs(data) == outputs


@pytest.mark.parametrize("what", REFUSED)
def test_bad_outputs_are_refused_with_the_reason(what):
    """A script that writes something else has failed, and is told why."""
    data, says = REFUSED[what]
    with pytest.raises(InvalidOutput) as caught:
        parse_outputs(data)
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["exitCode", "stdout", "stderr"])
def test_what_every_script_has_cannot_be_replaced(tmp_path, name):
    """The exit code and the printed text are what they were."""
    file = tmp_path / "output"
    file.write_text(f"{name}=x")
    with pytest.raises(InvalidOutput, match=name):
        read_outputs(file)


def test_outputs_up_to_the_limit_are_read(tmp_path):
    """The limit itself is allowed; one byte more has its own code."""
    file = tmp_path / "output"
    file.write_bytes(b"a=" + b"x" * (OUTPUT_BYTES_MAX - 2))
    assert len(read_outputs(file)["a"]) == OUTPUT_BYTES_MAX - 2
    file.write_bytes(b"a=" + b"x" * (OUTPUT_BYTES_MAX - 1))
    with pytest.raises(InvalidOutput) as caught:
        read_outputs(file)
    assert caught.value.code == "output_too_large"


def test_a_file_that_was_removed_gives_nothing(tmp_path):
    """A script may remove the file; that is no output and no error."""
    assert read_outputs(tmp_path / "gone") == {}


@pytest.mark.parametrize("put", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/etc/passwd")])
def test_something_else_in_place_of_the_file_is_refused(tmp_path, put):
    """A pipe does not block, a directory is no file, and a link is not followed."""
    file = tmp_path / "output"
    put(file)
    with pytest.raises(InvalidOutput):
        read_outputs(file)


@given(st.binary(max_size=100) | st.text('{}[]":,=ab1 \n', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(data):
    """Whatever a script writes gives outputs by name, or a reason."""
    try:
        outputs = parse_outputs(data)
    except InvalidOutput as error:
        outputs = {"error": str(error)}
    assert all(isinstance(name, str) for name in outputs)
