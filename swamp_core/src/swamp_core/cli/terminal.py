"""Parts on a terminal: colours and tables, by rich. Only imported when there is one.

Rich gets text that is already escaped, as `Text`, never as markup, and wraps nothing that is to be copied.
"""

from __future__ import annotations

from typing import IO, cast

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from swamp_core.cli.escaping import printable
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say, Style, Table
from swamp_core.cli.stream import Stream

STYLES: dict[Style, str] = {"plain": "", "good": "green", "bad": "red", "warn": "yellow", "dim": "dim"}
COPIED = "bold cyan"


class Terminal:
    """A terminal that parts are printed on."""

    def __init__(self, stream: Stream, *, colour: bool) -> None:
        self.console = Console(
            file=cast("IO[str]", stream), no_color=not colour, highlight=False, markup=False, emoji=False
        )

    def print(self, part: Part) -> None:
        """Print one part."""
        match part:
            case Say(text=text, style=style):
                self._line(Text(printable(text), STYLES[style]))
            case Copy(text=text):
                self._line(Text(printable(text), COPIED))
            case Facts(rows=rows):
                width = max((len(name) for name, _ in rows), default=0)
                for name, value in rows:
                    self._line(
                        Text.assemble((f"  {printable(name).ljust(width)}  ", "dim"), printable(value))
                    )
            case Table():
                self.console.print(drawn(part))
            case Gap():
                self._line(Text())

    def _line(self, text: Text) -> None:
        self.console.print(text, soft_wrap=True)


def drawn(table: Table) -> RichTable:
    """The table as rich draws it."""
    drawing = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for number, name in enumerate(table.columns):
        drawing.add_column(Text(printable(name)), overflow="fold", no_wrap=number == 0)
    for number, row in enumerate(table.rows):
        style = table.styles[number] if table.styles else "plain"
        drawing.add_row(*(Text(printable(cell)) for cell in row), style=STYLES[style])
    return drawing
