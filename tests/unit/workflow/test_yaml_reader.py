"""The YAML that is read, and the YAML that is refused, with libyaml and without."""

import json
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.workflow import yaml_reader
from swamp_core.workflow.yaml_document import InvalidYaml, Position
from swamp_core.workflow.yaml_reader import DEPTH_MAX, FILE_BYTES_MAX, read_yaml

CORPUS = json.loads(Path(__file__).with_name("yaml_corpus.json").read_text("utf-8"))
READ = [case for case in CORPUS if "value" in case]
REFUSED = [case for case in CORPUS if "code" in case]
MIB = 1024 * 1024


def name_of(case):
    return case["name"]


@pytest.fixture(params=[yaml.CSafeLoader, yaml.SafeLoader], ids=["libyaml", "pure"])
def parser(request, monkeypatch):
    monkeypatch.setattr(yaml_reader, "_Parser", request.param)


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


def refusal(data):
    with pytest.raises(InvalidYaml) as caught:
        read_yaml(data)
    return caught.value.problem


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("case", READ, ids=name_of)
def test_what_is_read_is_what_the_author_sees(case):
    """A scalar is a boolean, a number or null only if it is written as JSON writes it; else it is its text."""
    assert as_json(read_yaml(case["yaml"].encode()).value) == as_json(case["value"])


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_a_refusal_says_why_and_where(case):
    """What is refused has a code, a sentence, a line and a column."""
    problem = refusal(case["yaml"].encode())
    assert (problem.severity, problem.code) == ("error", case["code"])
    assert case.get("says", "") in problem.message
    assert problem.message.endswith(".")
    if "column" in case:
        assert (problem.line, problem.column) == (case["line"], case["column"])


BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)
HEAVY = {
    "an alias bomb of lists": (BOMB.encode(), "too_many_values"),
    "an alias bomb of text": (
        b"a: &a " + b"x" * 500_000 + b"\nb: [" + b"*a," * 100_000 + b"]",
        "too_many_values",
    ),
    "10 MiB": (b"a: " + b"x" * 10 * MIB, "file_too_large"),
    "one byte over the limit": (b"#" * FILE_BYTES_MAX + b"\n", "file_too_large"),
    "a million lists": (b"[" * MIB, "too_deep"),
    "a million mappings": (b"{" * MIB, "too_deep"),
    "half a million dashes": (b"- " * (MIB // 2), "too_deep"),
    "a staircase": ("".join(" " * n + "a:\n" for n in range(1400)).encode(), "too_deep"),
    "half a million values": (b"[" + b"a," * (MIB // 2 - 2) + b"]", "too_many_values"),
    "a million digits": (b"a: " + b"9" * (MIB - 4), "inexact_number"),
    "a million exclamation marks": (b"!" * MIB, "yaml_not_supported"),
    "latin-1": (b"name: caf\xe9", "not_utf8"),
    "utf-16": ("a: 1".encode("utf-16"), "not_utf8"),
    "a compressed file": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "not_utf8"),
}


@pytest.mark.parametrize("what", HEAVY)
def test_hostile_files_are_refused_in_little_time(what):
    """A file cannot take the reader's time or memory, and its message stays short."""
    data, code = HEAVY[what]
    before = time.process_time()
    problem = refusal(data)
    assert problem.code == code
    assert time.process_time() - before < 5
    assert len(problem.message) < 300


def test_a_file_of_the_largest_size_is_read():
    """The limit itself is allowed."""
    data = b"a: " + b"x" * (FILE_BYTES_MAX - 3)
    assert len(read_yaml(data).value["a"]) == FILE_BYTES_MAX - 3


def test_nesting_up_to_the_limit_is_read():
    """Lists may be as deep as the limit, and not one deeper."""
    read_yaml(b"[" * DEPTH_MAX + b"]" * DEPTH_MAX)
    assert refusal(b"[" * (DEPTH_MAX + 1) + b"]" * (DEPTH_MAX + 1)).code == "too_deep"


def test_the_place_of_a_bad_byte_is_told():
    """Line and column of the first byte that is not UTF-8 count characters before it."""
    problem = refusal("é: 1\nüb: ".encode() + b"\xff")
    assert (problem.line, problem.column) == (2, 5)


def test_each_value_and_key_has_its_place():
    """A path leads to the value, on request to its key, and beyond the end to the nearest thing there is."""
    document = read_yaml(b"a:\n  - b\n  - {c:  d}\n")
    assert document.position(("a", 1, "c")) == Position(3, 10)
    assert document.position(("a", 1, "c"), at_key=True) == Position(3, 6)
    assert document.position(("a", 1, "missing", "deeper")) == Position(3, 5)
    assert document.position(("a", 7)) == Position(2, 3)
    assert document.position(()) == Position(1, 1)


def test_a_message_cannot_forge_terminal_output():
    """Control characters of a file are escaped where a message repeats them."""
    problem = refusal(b'"\\e[31m": 1\n"\\e[31m": 2\n')
    assert problem.code == "duplicate_key"
    assert problem.message.isprintable()


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: "e" not in repr(number))
    | st.text(
        st.characters(
            exclude_categories=["Cs", "Cc", "Cn", "Co"], exclude_characters="\x85\u2028\u2029\ufeff"
        )
    ),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdef", min_size=1), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON_VALUES.filter(lambda value: value is not None))
def test_json_is_read_as_json(value):
    """Every JSON value, written as JSON, is read as that value."""
    assert as_json(read_yaml(as_json(value).encode()).value) == as_json(value)


@given(st.binary(max_size=200) | st.text("ab:-[]{}&*!|>'\"%@`#,?\n\t \\~<", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(data):
    """No file, whatever is in it, gives anything but JSON values or a refusal with a position."""
    try:
        answer = read_yaml(data).value
    except InvalidYaml as error:
        answer = [error.problem.line, error.problem.column]
    assert as_json(answer)
