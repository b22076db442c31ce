"""Where an expression ends, against CEL's own parser."""

from __future__ import annotations

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from swamp_core.expressions import ExpressionError
from swamp_core.expressions.cel import compile_source
from swamp_core.expressions.templates import Expression, split

quotes = st.sampled_from(["'", '"', "'''", '"""'])
inside = st.lists(
    st.sampled_from(["'", '"', "\\", "\\\\", "\\'", "{", "}}", "//", "\n", "a"]), max_size=5
).map("".join)
strings = st.builds(
    lambda prefix, quote, text: prefix + quote + text + quote,
    st.sampled_from(["", "r", "b", "bR"]),
    quotes,
    inside,
)
sources = st.lists(
    strings | st.sampled_from([" == ", "[", "]", "{'k': ", "}", " // ' }}\n", "a"]), min_size=1, max_size=5
).map("".join)


@settings(max_examples=500)
@given(sources)
@example("{'k': {'k': a}}")
@example("a // ' }}\n")
@example("r'\\}}'")
@example("'''a'}}'''")
@example("'\\'}}'")
def test_an_expression_is_found_whole(source: str) -> None:
    """Whatever CEL can parse is cut out of its text exactly, with the text before and after it."""
    try:
        compile_source(source, frozenset({"a"}))
    except ExpressionError:
        assume(False)
    assert split("p ${{ " + source + "\n}} q") == ["p ", Expression(source.strip()), " q"]
