"""Untrusted JSON: the corpus, the limits to the byte, and properties against slow, obvious twins."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from swamp_core.payload.strict_json import (
    JSON_NESTING_MAX,
    PAYLOAD_BYTES_MAX,
    PAYLOAD_NESTING_MAX,
    RAW_BYTES_MAX,
    PayloadError,
    check_value,
    compact,
    parse_json,
    parse_payload,
    same_value,
)

CORPUS = json.loads(Path(__file__).with_name("corpus.json").read_text(encoding="utf-8"))

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | names
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=4)


def outcome(text: bytes | str) -> str:
    try:
        parse_payload(text)
    except PayloadError as error:
        return error.code
    return "accepted"


def nesting(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(nesting, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(nesting, value), default=0)
    return 0


def twin_same(a: Any, b: Any) -> bool:
    """Equality by writing both down with sorted names; Python writes 1, 1.0 and true differently."""
    one, other = (json.dumps(value, sort_keys=True).replace("-0.0", "0.0") for value in (a, b))
    return one == other


@pytest.mark.parametrize("case", CORPUS, ids=[case["name"] for case in CORPUS])
def test_each_case_of_the_corpus_has_its_outcome(case: dict[str, str]) -> None:
    """What a payload may be is a table that any language can run."""
    assert outcome(case["input"]) == case["outcome"]
    assert outcome(case["input"].encode()) == case["outcome"]


def test_the_corpus_reaches_every_rule() -> None:
    """No rule of the corpus is missing; sizes and bytes that are no text are tested beside it."""
    rules = "duplicate_name forbidden_name inexact_number integer_too_large lone_surrogate not_a_number"
    rules += " not_an_object not_json too_deep trailing_text"
    assert {case["outcome"] for case in CORPUS} == {"accepted", *rules.split()}


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_get_an_answer(text: bytes | str) -> None:
    """Whatever is sent is a JSON object or a `PayloadError`, and never another exception."""
    try:
        value = parse_payload(text)
    except PayloadError as error:
        said = error.reason
    else:
        said = f"{compact(value)!r}."
    assert said.isprintable()
    assert said.endswith(".")


@given(objects, st.data())
def test_broken_json_gets_an_answer(value: dict[str, Any], data: st.DataObject) -> None:
    """A payload with some of its bytes cut or replaced is taken or refused, and never a traceback."""
    text = bytearray(json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from(
                [b"", b'"', b"\\", b"\\ud800", b"{", b"]", b"\xff", b"1e9999", b"NaN", b",", b":", b"\x00"]
            )
        )
    try:
        parsed = parse_payload(bytes(text))
    except PayloadError:
        return
    assert same_value(parse_payload(compact(parsed)), parsed)


@given(objects)
def test_what_is_accepted_comes_back_as_it_was_sent(value: dict[str, Any]) -> None:
    """The stored form holds what was sent, members in that order, and reading it changes nothing."""
    sent = json.dumps(value, indent=2).encode()
    parsed = parse_payload(sent)
    assert json.dumps(parsed) == json.dumps(value)
    assert parse_payload(compact(parsed)) == parsed
    assert compact(parse_payload(compact(parsed))) == compact(parsed)


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@example("9007199254740993.0")
@example("-9223372036854775808")
@example("0.1")
def test_a_number_is_kept_exactly_or_refused(literal: str) -> None:
    """A number is accepted exactly when the stored form says the same number, told by fractions."""
    written = Fraction(literal)
    if literal.lstrip("-").isdigit():
        accepted = -(2**63) <= written < 2**63
    else:
        nearest = float(literal)
        accepted = math.isfinite(nearest) and Fraction(repr(nearest)) == written
    answer = outcome('{"n":' + literal + "}")
    assert (answer == "accepted") == accepted, answer
    if accepted:
        assert (
            Fraction(json.loads(compact(parse_payload('{"n":' + literal + "}")), parse_float=Fraction)["n"])
            == written
        )


def test_sixteen_kibibytes_are_of_the_stored_form() -> None:
    """16 KiB as compact UTF-8 are accepted, however spaced and escaped, and one byte more is refused."""
    room = PAYLOAD_BYTES_MAX - len(b'{"a":""}')
    assert outcome('{"a":"' + "x" * room + '"}') == "accepted"
    assert outcome('{"a":"' + "x" * (room + 1) + '"}') == "too_large"
    assert outcome('{"a":"' + r"\u0078" * room + '"' + " " * 1000 + "}") == "accepted"
    assert outcome('{"a":"' + "é" * (room // 2) + '"}') == "accepted"
    assert outcome('{"a":"' + "é" * (room // 2 + 1) + '"}') == "too_large"
    assert outcome(r'{"a":"' + r"\u0000" * (room // 6) + '"}') == "accepted"
    assert outcome(r'{"a":"' + r"\u0000" * (room // 6 + 1) + '"}') == "too_large"


def test_a_payload_over_a_mebibyte_is_refused_unread() -> None:
    """White space does not count, but what is sent is bounded all the same."""
    assert outcome("{" + " " * (RAW_BYTES_MAX - 2) + "}") == "accepted"
    assert outcome("{" + " " * (RAW_BYTES_MAX - 1) + "}") == "too_large"
    assert outcome(b"\xff" * (RAW_BYTES_MAX + 1)) == "too_large"


@pytest.mark.parametrize(
    "text",
    [
        b"\xff{}",
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xc0\x80"}',
        b"{}\x80",
        b"\xfe\xff\x00{",
    ],
)
def test_bytes_that_are_no_utf8_are_refused(text: bytes) -> None:
    """Overlong forms, encoded surrogates and other encodings are no text."""
    assert outcome(text) == "not_utf8"


@pytest.mark.parametrize("text", ['{"a":"\ud800"}', '{"\ud83d\ude00":1}'])
def test_a_text_with_raw_surrogates_is_refused(text: str) -> None:
    """A Python text can hold surrogates, and even two that would make a pair are no UTF-8."""
    assert outcome(text) == "lone_surrogate"


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'"' + b'\\"' * 500_000,
        b'\\"' * 500_000,
        b'{"a":' + b"9" * 1_000_000 + b"}",
        b'{"a":0.' + b"9" * 1_000_000 + b"}",
        b'{"a":1e' + b"9" * 1_000_000 + b"}",
        b'"' * RAW_BYTES_MAX,
    ],
    ids=[
        "arrays",
        "objects",
        "closed",
        "escapes",
        "escapes outside",
        "digits",
        "decimals",
        "exponent",
        "quotes",
    ],
)
def test_a_hostile_mebibyte_is_refused_at_once(text: bytes) -> None:
    """Depth 100,000 never recurses, and a megabyte costs a tenth of a second, whatever is in it."""
    started_s = time.process_time()
    assert outcome(text) != "accepted"
    assert time.process_time() - started_s < 5


def test_records_are_read_as_strictly_but_of_any_size() -> None:
    """`parse_json` takes any value, any names and more depth, and refuses the rest like a payload."""
    assert parse_json(b'[{"__proto__":"' + b"x" * RAW_BYTES_MAX + b'"}]') == [
        {"__proto__": "x" * RAW_BYTES_MAX}
    ]
    deep = b"[" * JSON_NESTING_MAX + b"]" * JSON_NESTING_MAX
    assert nesting(parse_json(deep)) == JSON_NESTING_MAX
    for text in (
        b"[" + deep + b"]",
        b'{"a":1,"a":2}',
        b"[NaN]",
        b"[1] x",
        b'"\\ud800"',
        b"",
        b"\x00" * 64,
        b"1" * 5000,
    ):
        with pytest.raises(PayloadError):
            parse_json(text)


@given(objects)
def test_a_python_value_is_held_to_the_rules_of_text(value: dict[str, Any]) -> None:
    """A value given from Python is judged like the text that says it, and comes back equal and a copy."""
    checked = check_value(value)
    assert json.dumps(checked) == json.dumps(value)
    assert checked is not value


class _Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([], "not_an_object"),
        (None, "not_an_object"),
        ({1: "a"}, "not_json"),
        ({"a": (1,)}, "not_json"),
        ({"a": b"x"}, "not_json"),
        ({"a": Fraction(1)}, "not_json"),
        ({"a": _Text("x")}, "not_json"),
        ({"a": {1}}, "not_json"),
        ({"a": 2**63}, "integer_too_large"),
        ({"a": 10**5000}, "integer_too_large"),
        ({"a": math.nan}, "not_a_number"),
        ({"a": -math.inf}, "not_a_number"),
        ({"a": "\ud800"}, "lone_surrogate"),
        ({"\udfff": 1}, "lone_surrogate"),
        ({"a": [{"constructor": 1}]}, "forbidden_name"),
        ({"a": "x" * PAYLOAD_BYTES_MAX}, "too_large"),
        ({"a": "é" * (PAYLOAD_BYTES_MAX // 2)}, "too_large"),
    ],
)  # fmt: skip
def test_a_python_value_that_is_no_payload_is_refused(value: object, code: str) -> None:
    """Nothing is coerced: what JSON has no word for is refused by name."""
    with pytest.raises(PayloadError) as caught:
        check_value(value)
    assert caught.value.code == code


def test_a_python_value_that_holds_itself_is_refused() -> None:
    """A cycle is too deep, and one list in very many places is too large, however little memory they take."""
    cycle: list[Any] = []
    cycle.append(cycle)
    shared: list[Any] = [1]
    for _ in range(PAYLOAD_NESTING_MAX - 2):
        shared = [shared] * 100
    for value, code in ((cycle, "too_deep"), (shared, "too_large")):
        with pytest.raises(PayloadError) as caught:
            check_value({"a": value})
        assert caught.value.code == code


@given(values, values)
@example(1, 1.0)
@example(True, 1)
@example({"a": 1, "b": 2}, {"b": 2, "a": 1})
@example([0.0], [-0.0])
@example([1, 2], [2, 1])
@example(None, False)
def test_equality_is_of_json_values(a: Any, b: Any) -> None:
    """1 is not 1.0, true is not 1, the members of an object have no order and the items of an array do."""
    assert same_value(a, b) == twin_same(a, b)
    assert same_value(a, json.loads(json.dumps(a)))
