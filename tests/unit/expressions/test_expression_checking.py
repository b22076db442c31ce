"""What is known of expressions before anything runs: problems with their places, and what is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from swamp_core.expressions import ExpressionError, evaluate, expression_problems, references

ROOTS = frozenset({"inputs", "steps", "jobs", "run"})


def problems(value: Any) -> list[tuple[tuple[str | int, ...], str]]:
    return [(problem.path, problem.message) for problem in expression_problems(value, ROOTS)]


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        1,
        None,
        "${{ steps.review.outputs.payload.verdict != 'ship' }}",
        "${{ steps.review.outputs.n - 1 }}",
        "${{ inputs.total-inputs.used }}",
        "${{ inputs.list.all(x, x - 1 > inputs.n) }}",
        "${{ inputs.list.exists(steps, steps == 1) ? [run.id] : [] }}",
        {"a": [{"b": "x ${{ jobs.build.status }} y"}]},
    ],
)
def test_a_sound_expression_has_no_problem(value: Any) -> None:
    """What compiles, and reads known variables only, is not complained of; real subtraction included."""
    assert problems(value) == []


def test_each_problem_is_told_with_its_place() -> None:
    """All broken expressions of a value are named at once, each by its path."""
    value = {
        "a": ["${{ 1 + }}", "ok ${{ inputs.x }}"],
        "b": {"c": "${{ nope.x }}"},
        "d": "${{ inputs.x",
        "e": "${{ }}",
    }
    assert [path for path, _ in problems(value)] == [("a", 0), ("b", "c"), ("d",), ("e",)]
    expected = "The expression `nope.x` cannot be used: undeclared reference to 'nope.x' at character 5."
    assert problems(value)[1] == (("b", "c"), expected)


def test_two_expressions_in_one_text_are_both_checked() -> None:
    """The second expression of a text is checked like the first."""
    assert len(problems("${{ inputs.a }} ${{ nope }}")) == 1


def test_an_expression_in_the_name_of_a_member_is_a_problem() -> None:
    """Names are never evaluated, so an expression there is refused and not passed over."""
    ((path, message),) = problems({"a": {"${{ inputs.x }}": 1}})
    assert path == ("a", "${{ inputs.x }}")
    assert "name of a member" in message


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("steps.code-review.outputs", 'steps["code-review"]'),
        ("steps.code-review", 'steps["code-review"]'),
        ("steps.a-b-c.outputs.x == 1", 'steps["a-b-c"]'),
        ("steps.a-1.outputs", 'steps["a-1"]'),
        ("1 + size(jobs.build.steps.dry-go.outputs)", 'jobs.build.steps["dry-go"]'),
        ('jobs["x y"].steps.a-b.outputs', 'jobs["x y"].steps["a-b"]'),
        ("inputs.list.all(v, steps.a-b.x == v)", 'steps["a-b"]'),
    ],
)
def test_a_hyphen_in_a_name_is_explained(source: str, advice: str) -> None:
    """A name that CEL reads as a subtraction is told as what it is, with what to write."""
    ((_, message),) = problems("${{ " + source + " }}")
    assert message.endswith(f"a hyphen in a name reads as minus, so write `{advice}`.")


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("1", set()),
        ("inputs.env", {("inputs", "env")}),
        ("inputs", {("inputs",)}),
        ('steps["a b"].outputs["x"].y', {("steps", "a b", "outputs", "x", "y")}),
        ("jobs.build.steps.compile.status", {("jobs", "build", "steps", "compile", "status")}),
        ("has(steps.a.outputs) && !(inputs.x > 1)", {("steps", "a", "outputs"), ("inputs", "x")}),
        ("steps[inputs.name].outputs", {("steps",), ("inputs", "name")}),
        ("steps.a.list[0].x", {("steps", "a", "list")}),
        ("[inputs.a, {'k': inputs.b, inputs.c: 1}]", {("inputs", "a"), ("inputs", "b"), ("inputs", "c")}),
        ("inputs.x ? steps.a.b : 'steps.no.no'", {("inputs", "x"), ("steps", "a", "b")}),
        ("steps.a.outputs.list.map(x, x + inputs.y)", {("steps", "a", "outputs", "list"), ("inputs", "y")}),
        ("inputs.a.map(steps, steps.not_a_step)", {("inputs", "a")}),
        ("inputs.a.map(x, inputs.b.exists(y, y == x))", {("inputs", "a"), ("inputs", "b")}),
        ("steps.a.name.startsWith(inputs.p)", {("steps", "a", "name"), ("inputs", "p")}),
        ("1 + ", set()),
        ("// steps.a.b\n inputs.a", {("inputs", "a")}),
    ],
)
def test_what_an_expression_reads_is_known(source: str, read: set[tuple[str, ...]]) -> None:
    """Each field is named by its longest path; strings, comments and variables of macros are not mistaken for one."""
    assert references(["a ${{ " + source + " }}"]) == read


def test_references_come_from_the_whole_value() -> None:
    """Every sound expression of a value counts, and a broken one hides no other."""
    value: Any = {"a": ["${{ inputs.a }} ${{ 1 + }} ${{ inputs.b }}", "${{ inputs.no"], "b": "${{ run.id }}"}
    assert references(value) == {("inputs", "a"), ("inputs", "b"), ("run", "id")}


operands = st.sampled_from(["inputs.a", "steps.s.outputs", "inputs['b']", "1", "'inputs.no'", "x", "true"])


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return (
        pair.map(lambda two: f"({two[0]} == {two[1]})")
        | pair.map(lambda two: f"[{two[0]}, {two[1]}]")
        | pair.map(lambda two: f"{{'k': {two[0]}, 'l': {two[1]}}}")
        | pair.map(lambda two: f"[{two[0]}].map(x, {two[1]})")
    )


def outcome(text: str, scope: Any) -> object:
    try:
        return evaluate(text, scope)
    except ExpressionError as error:
        return str(error)


sources = st.recursive(operands, _combined, max_leaves=6)


@given(sources)
def test_a_path_that_is_not_read_can_change_nothing(source: str) -> None:
    """A twin by experiment: take away a field that is not named as read, and the result stays the same."""
    scope: Any = {"x": 7, "inputs": {"a": 1, "b": "two", "no": 3}, "steps": {"s": {"outputs": [4], "no": 5}}}
    text = "${{ " + source + " }}"
    read = references(text)
    before = outcome(text, scope)
    for path in [("x",), ("inputs", "a"), ("inputs", "b"), ("inputs", "no"), ("steps", "s", "outputs")]:
        if path not in read:
            holder = scope
            for name in path[:-1]:
                holder = holder[name]
            holder[path[-1]] = "changed"
    assert outcome(text, scope) == before


@given(sources)
def test_a_path_that_is_read_is_needed(source: str) -> None:
    """The other half of the twin: each field that is named as read is an error where it is absent.

    All operands are evaluated here, for no operator in these sources can pass one over.
    """
    text = "${{ " + source + " }}"
    for path in references(text):
        scope: Any = {"x": 7, "inputs": {"a": 1, "b": "two"}, "steps": {"s": {"outputs": [4]}}}
        holder = scope
        for name in path[:-1]:
            holder = holder[name]
        del holder[path[-1]]
        with pytest.raises(ExpressionError):
            evaluate(text, scope)


@given(st.text(st.sampled_from("${} '\"\\/\nrb+-.[]()ax1,:?"), max_size=40))
@example("a'''}}")
@example('r\'\\\' + "\\"}}" }}')
def test_any_text_gets_an_answer(text: str) -> None:
    """Whatever stands in a definition is checked and evaluated to an answer or an error, never a traceback."""
    value = "${{" + text
    problems_found = expression_problems(value, frozenset({"a"}))
    try:
        evaluate(value, {"a": 1})
        evaluated = True
    except ExpressionError:
        evaluated = False
    assert not (problems_found and evaluated)
    assert all(path[0] for path in references(value))
