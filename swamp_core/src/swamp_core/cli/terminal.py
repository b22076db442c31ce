"""Parts on a terminal: colours and tables, by rich. Only imported when there is one.

Rich gets text that is already escaped, as `Text`, never as markup, and wraps nothing that is to be copied. No word, ID
or time is broken: a table that would have to break one is told as a block of lines for each row.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import IO, cast

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from swamp_core.cli.escaping import printable
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say, Style, Table
from swamp_core.cli.stream import Stream

STYLES: dict[Style, str] = {"plain": "", "good": "green", "bad": "red", "warn": "yellow", "dim": "dim"}
COPIED = "bold cyan"
COLUMN_GAP = 2


class Terminal:
    """A terminal that parts are printed on. Without colour it is sent no escape sequence."""

    def __init__(self, stream: Stream, *, colour: bool) -> None:
        self.console = Console(
            file=cast("IO[str]", stream),
            color_system="auto" if colour else None,  # `no_color` would leave bold and dim.
            highlight=False,
            markup=False,
            emoji=False,
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
                self._table(part)
            case Gap():
                self._line(Text())

    def _table(self, table: Table) -> None:
        if width_needed(table) <= self.console.width:
            self.console.print(drawn(table))
            return
        for number, row in enumerate(table.rows):
            style = table.styles[number] if table.styles else "plain"
            for line in block(table.columns, row, self.console.width):
                self._line(Text(line, STYLES[style]))

    def _line(self, text: Text) -> None:
        self.console.print(text, soft_wrap=True)


def width_needed(table: Table) -> int:
    """The fewest columns of a terminal on which the table can be drawn without breaking anything but at spaces."""
    cells = [table.columns, *table.rows]
    *whole, last = ([printable(cell) for cell in column] for column in zip(*cells, strict=True))
    longest_word = max(cell_len(word) for cell in last for word in cell.split(" "))
    return sum(max(map(cell_len, column)) + COLUMN_GAP for column in whole) + longest_word


def drawn(table: Table) -> RichTable:
    """The table as rich draws it."""
    drawing = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for number, name in enumerate(table.columns):
        drawing.add_column(Text(printable(name).upper()), no_wrap=number < len(table.columns) - 1)
    for number, row in enumerate(table.rows):
        style = table.styles[number] if table.styles else "plain"
        drawing.add_row(*(Text(printable(cell)) for cell in row), style=STYLES[style])
    return drawing


def block(columns: tuple[str, ...], row: tuple[str, ...], width: int) -> Iterator[str]:
    """A row as lines: its first cell, and below it the others by name; no word is broken, however long it is."""
    first, *others = map(printable, row)
    if first:
        yield first
    for name, cell in zip(columns[1:], others, strict=True):
        text = cell.lstrip(" ")
        if not text:
            continue
        yield from textwrap.wrap(
            f"{printable(name)}: {text}" if first else text,
            width,
            initial_indent="  " + " " * (len(cell) - len(text)),
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
