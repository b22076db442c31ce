"""Lines of text that fit on a terminal of 80 columns, wherever that breaks no word."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from swamp_core.cli.escaping import printable
from swamp_core.cli.parts import Part, Say, Style

WIDTH = 80


def wrapped(text: str, first: str, others: str, style: Style = "plain") -> Iterator[Part]:
    """The text on as many lines as it needs, with what stands before the first one and before the others.

    No word is broken, for it may be a name to copy.
    """
    lines = textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return (Say(line, style) for line in lines)
