"""Evaluating `${{ }}` in a value: types are kept, errors are told, and nothing that comes from outside is evaluated."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.expressions import ExpressionError, evaluate, has_expression, truthy
from swamp_core.payload.strict_json import same_value

SCOPE: dict[str, Any] = {
    "inputs": {
        "env": "prod",
        "n": 1,
        "d": 1.0,
        "yes": True,
        "none": None,
        "list": [1, {"a": None}],
        "evil": "${{ 1 }}",
    },
    "steps": {
        "review": {"outputs": {"payload": {"verdict": "ship"}}, "status": "succeeded"},
        "a-b": {"status": "failed"},
    },
}

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("plain", "plain"),
        ("$ {{ 1 }} }} {{ $", "$ {{ 1 }} }} {{ $"),
        ("${{ inputs.env }}", "prod"),
        ("${{inputs.n}}", 1),
        ("${{ inputs.d }}", 1.0),
        ("${{ inputs.n + 1 }}", 2),
        ("${{ inputs.yes }}", True),
        ("${{ inputs.none }}", None),
        ("${{ inputs.list }}", [1, {"a": None}]),
        ("${{ {'a': {'b': [inputs.n, 2.0]}} }}", {"a": {"b": [1, 2.0]}}),
        ('${{ steps.review.outputs.payload.verdict != "ship" }}', False),
        ('${{ steps["a-b"].status }}', "failed"),
        ("${{ has(inputs.nope) }}", False),
        ("${{ inputs.list.map(x, string(1)) }}", ["1", "1"]),
        ("\n  ${{ inputs.n }}\n", 1),
        ("n=${{ inputs.n }}", "n=1"),
        ("${{ inputs.env }}-${{ inputs.n }}", "prod-1"),
        ("${{ inputs.d }} ${{ inputs.yes }} ${{ inputs.none }}", "1.0 true null"),
        ("l=${{ inputs.list }}", 'l=[1,{"a":null}]'),
        ("${{ inputs.env }}\n${{ inputs.env }}", "prod\nprod"),
    ],
)
def test_a_text_that_is_one_expression_keeps_its_type(text: str, result: object) -> None:
    """A whole-value expression gives a value; in any other text, the results stand as text."""
    assert same_value(evaluate(text, SCOPE), result)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("${{ '}}' }}", "}}"),
        ('${{ "}}" }}', "}}"),
        (r"${{ '\'}}' }}", "'}}"),
        ("${{ '''a'}}''' }}", "a'}}"),
        ('${{ """a"}}""" }}', 'a"}}'),
        (r"${{ r'\}}' }}", r"\}}"),
        ("${{ {'a': {'b': 1}}}}", {"a": {"b": 1}}),
        ("${{ {} }}", {}),
        ("${{ 1 // }} \n + 1 }}", 2),
        ("${{ '//' }}", "//"),
        ('${{ "${{" }}', "${{"),
        ('a ${{ "${{ 1 }}" }}', "a ${{ 1 }}"),
    ],
)
def test_an_expression_ends_where_cel_ends_it(text: str, result: object) -> None:
    """Braces that stand in a string, a comment or an object close nothing."""
    assert same_value(evaluate(text, SCOPE), result)  # type: ignore[arg-type]


def test_what_comes_from_outside_is_not_evaluated() -> None:
    """A payload that looks like an expression stays the text that it is, alone and inside another text."""
    assert evaluate("${{ inputs.evil }}", SCOPE) == "${{ 1 }}"
    assert evaluate(["x ${{ inputs.evil }}"], SCOPE) == ["x ${{ 1 }}"]


def test_a_value_is_evaluated_all_through() -> None:
    """Expressions are found in lists and objects at any depth; names, and all else, are left as they stand."""
    value: Any = {"b": [{"env": "${{ inputs.env }}"}, 1, 1.0, True, None], "${{ inputs.env }}": "x"}
    result = evaluate(value, SCOPE)
    expected = {"b": [{"env": "prod"}, 1, 1.0, True, None], "${{ inputs.env }}": "x"}
    assert json.dumps(result) == json.dumps(expected)


@given(values)
def test_a_value_goes_through_unchanged(value: Any) -> None:
    """Whatever JSON stands in the scope comes back as the same value: types kept apart, to the last digit."""
    assert same_value(evaluate("${{ x.y }}", {"x": {"y": value}}), value)


@given(st.dictionaries(texts, st.integers(0, 9), min_size=2))
def test_the_members_of_a_result_stand_by_name(value: dict[str, Any]) -> None:
    """One expression gives one text on every host, whatever order the library keeps."""
    result = evaluate("${{ x }} ", {"x": value})
    assert list(result) == sorted(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${{ steps.nope.outputs }}", 'there is no "nope"'),
        ("${{ steps.review.outputs.payload.nope }}", 'there is no "nope"'),
        ("${{ has(steps.nope.outputs) }}", "has("),
        ("${{ inputs.list[7] }}", "index"),
        ("${{ nope }}", "undeclared reference to 'nope'"),
        ("${{ 1 + }}", "Syntax error"),
        ("${{ 'a' + 1 }}", "no matching overload"),
        ("${{ inputs.env + inputs.n }}", "overload"),
        ("${{ 1/0 }}", "divide by zero"),
        ("${{ inputs.n + 9223372036854775807 }}", "overflow"),
        ("${{ }}", "empty"),
        ("${{ inputs.env", "not closed"),
        ("a ${{ 'x }}", "Syntax error"),
        ("${{ 1 // }}", "not closed"),
        ("${{ {'a': 1 }}", "not closed"),
        ("${{ 1u }}", "int("),
        ("${{ [1u] }}", "int("),
        ("${{ b'a' }}", "bytes"),
        ("${{ {'a': timestamp('2026-01-01T00:00:00Z')} }}", "string("),
        ("${{ duration('1s') }}", "string("),
        ("${{ type(1) }}", "a type"),
        ("${{ 1.0 / 0.0 }}", "inf"),
        ("${{ [0.0 / 0.0] }}", "nan"),
        ("${{ {1: 2} }}", "key 1"),
        ("${{ {'a': {true: 2}} }}", "key True"),
        ("${{ " + "(" * 100 + "1" + ")" * 100 + " }}", "recursion"),
        ("${{ " + "1 + " * 2000 + "1 }}", "4096 characters"),
        ("${{ '\ud800' }}", "surrogate"),
        ("${{ inputs.env.matches('(') }}", "regular expression"),
    ],
)
def test_an_expression_without_a_json_result_is_an_error(text: str, words: str) -> None:
    """What cannot be read or has no plain result is told in one bounded sentence, and is never silently null."""
    with pytest.raises(ExpressionError) as caught:
        evaluate({"guard": [text]}, SCOPE)
    sentence = str(caught.value)
    assert words.lower() in sentence.lower()
    assert sentence.isprintable()
    assert sentence.endswith(".")
    assert len(sentence) < 600
    assert caught.value.source in text


def test_a_result_is_bounded() -> None:
    """A result over 256 KiB is an error, whether it is one text, many places of one, or put together."""
    scope = {"x": {"s": "s" * 100_000, "list": list(range(200))}}
    assert len(str(evaluate("${{ x.s + x.s }}", scope))) == 200_000
    for text in ("${{ x.s + x.s + x.s }}", "${{ x.list.map(i, x.s) }}", "${{ x.s }}${{ x.s }}${{ x.s }}"):
        with pytest.raises(ExpressionError, match="larger than 262144 bytes"):
            evaluate(text, scope)


def test_an_expression_cannot_run_for_ever() -> None:
    """The library's budget of iterations ends as an error like any other."""
    scope: dict[str, Any] = {"x": list(range(1000))}
    with pytest.raises(ExpressionError, match=r"[Bb]udget"):
        evaluate("${{ x.map(a, x.map(b, x.map(c, a))).size() }}", scope)


@pytest.mark.parametrize("value", ["\ud800", 2**70, {1: 2}, {1, 2}])
def test_a_scope_that_is_no_json_is_an_error(value: Any) -> None:
    """A value that JSON does not have comes to light as an error of the expression that reads it."""
    with pytest.raises(ExpressionError):
        evaluate("${{ x.y }}", {"x": {"y": value}})


@pytest.mark.parametrize(
    ("payload", "source"),
    [
        ({"verdict": "ship\0 not"}, "x.payload.verdict == 'ship'"),
        ({"verdict": "ship\0 not"}, "x.payload"),
        ({"list": [{"verdict": "ship\0"}]}, "x.payload.list[0].verdict"),
        ({"list": [{"verdict\0": "ship"}]}, "x.payload.list.exists(y, y.verdict == 'ship')"),
        ({"verdict\0": "ship"}, "x.payload.verdict"),
        ({"verdict\0": "ship"}, "has(x.payload.verdict)"),
        ({"a\0": {}}, "x[x.name].a"),
    ],
)
def test_text_with_a_nul_is_never_taken_for_other_text(payload: Any, source: str) -> None:
    """The library cuts text at a NUL, so that `ship\\0 not` would pass for `ship`; it never gets to see one."""
    with pytest.raises(ExpressionError, match="NUL"):
        evaluate("${{ " + source + " }}", {"x": {"payload": payload, "name": "payload"}})


def test_a_nul_troubles_nobody_who_does_not_read_it() -> None:
    """An expression that reads other text is evaluated, whatever stands beside it."""
    scope: dict[str, Any] = {"x": {"a": {"out": "a\0b"}, "b": {"out": "b"}}}
    assert evaluate("${{ x.b.out }}", scope) == "b"
    assert evaluate("${{ has(x.nope) }}", scope) is False


def test_many_threads_may_evaluate_at_once() -> None:
    """Steps run in parallel, and their expressions with them."""
    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda n: evaluate(f"${{{{ x.n + {n % 50} }}}}", {"x": {"n": n}}), range(400))
    assert list(results) == [n + n % 50 for n in range(400)]


@pytest.mark.parametrize(
    ("value", "answer"),
    [(None, False), (False, False), (0, False), (0.0, False), ("", False), ([], False), ({}, False),
     (True, True), (1, True), (-0.5, True), ("false", True), ([0], True), ({"a": None}, True)],
)  # fmt: skip
def test_a_guard_is_truthy_unless_it_is_empty(value: Any, answer: bool) -> None:
    """False, null, zero, and empty text, arrays and objects do not count; everything else does."""
    assert truthy(value) is answer


def test_an_expression_is_told_by_its_beginning() -> None:
    """A text that only begins an expression counts, so that it is refused and not taken as it stands."""
    assert has_expression("a ${{ b }}")
    assert has_expression("a ${{")
    assert not has_expression("a {{ b }} $ { {")


def test_the_library_is_imported_by_the_first_expression() -> None:
    """A value without expressions costs no import of CEL."""
    code = (
        "import sys; from swamp_core.expressions import evaluate, expression_problems;"
        "assert evaluate({'a': ['b']}, {}) == {'a': ['b']};"
        "assert expression_problems('a', frozenset()) == [];"
        "print('cel_expr_python' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


GREEDY = """
import os, resource
from swamp_core.expressions import ExpressionError, evaluate

ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map"
evaluate("${{ big }}", {"big": "warm"})
with open("/proc/self/statm") as sizes:
    in_use = int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (in_use + (64 << 20),) * 2)
try:
    evaluate("${{ " + f"{ten}(x, {ten}(y, {ten}(z, big + big)))" + " }}", {"big": "x" * (1 << 20)})
except ExpressionError as error:
    print(error.reason)
print(evaluate("${{ big }}", {"big": "goes on"}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a bound on the memory of a process")
def test_an_expression_that_needs_too_much_memory_fails_alone() -> None:
    """A thousand megabytes in a small process: the expression is at fault, and the process goes on."""
    ended = subprocess.run(
        [sys.executable, "-c", GREEDY], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.stdout.splitlines(), ended.stderr) == (["it needs too much memory", "goes on"], "")
