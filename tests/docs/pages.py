"""Which files are documentation, and the parts of a page that others read: blocks, headings, links.

A page is markdown. A block is a fence at the start of a line, with its language; a heading's anchor is made as the
usual renderers make it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and where its text stands in the page."""

    language: str
    text: str
    start: int
    end: int


def pages() -> list[Path]:
    """Every page of documentation, relative to the root of the checkout."""
    patterns = ("*.md", "docs/**/*.md", "benchmarks/*.md", "examples/*/*.md")
    found = [path for pattern in patterns for path in ROOT.glob(pattern)]
    return sorted(path.relative_to(ROOT) for path in found)


def read(page: Path | str) -> str:
    """The text of a page, which is named relative to the root."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [
        Block(match["language"], match["text"], match.start("text"), match.end("text"))
        for match in _FENCE.finditer(text)
    ]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings."""
    headings = _HEADING.findall(_without_blocks(text))
    return {_NOT_IN_ANCHOR.sub("", heading).strip().lower().replace(" ", "-") for heading in headings}


def links(text: str) -> Iterator[str]:
    """The targets of a page's links."""
    yield from _LINK.findall(_without_blocks(text))


def _without_blocks(text: str) -> str:
    return _FENCE.sub("", text)
