"""Where an expression ends, against CEL's own parser."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from swamp_core.expressions.cel import syntax_tree
from swamp_core.expressions.templates import Expression, split

QUOTES = ["'", '"', "'''", '"""']


def literals(prefix: str, quote: str) -> st.SearchStrategy[str]:
    """Strings in these quotes that CEL can read: none of the pieces ends one early, alone or with its neighbours."""
    other = '"' if "'" in quote else "'"
    pieces = ["{", "}", "}}", "//", "a", other, other * 2 + "a"]
    pieces += ["\\}}", "\\a"] if "R" in prefix or "r" in prefix else ["\\\\", "\\'", '\\"', "\\n"]
    pieces += [quote[0] + "a", "\n"] if len(quote) == 3 else []
    body = st.lists(st.sampled_from(pieces), max_size=5).map("".join)
    return body.map(lambda text: prefix + quote + text + quote)


strings = st.tuples(st.sampled_from(["", "r", "b", "bR"]), st.sampled_from(QUOTES)).flatmap(
    lambda kind: literals(*kind)
)
sources = st.recursive(
    strings | st.just("a"),
    lambda inner: (
        st.tuples(inner, inner).map(" == ".join)
        | st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | inner.map(lambda value: f"{{'k': {value}}}")
        | inner.map(lambda value: f"{value} // ' }}}}\n")
    ),
    max_leaves=5,
)


@settings(max_examples=500)
@given(sources)
@example("{'k': {'k': a}}")
@example("a // ' }}\n")
@example("r'\\}}'")
@example("'''a'}}'''")
@example("'\\'}}'")
def test_an_expression_is_found_whole(source: str) -> None:
    """Whatever CEL can parse is cut out of its text exactly, with the text before and after it."""
    assert syntax_tree(source)
    assert split("p ${{ " + source + "\n}} q") == ["p ", Expression(source.strip()), " q"]
