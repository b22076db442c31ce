"""A command line run in this process, with all that it shows recorded in the order in which a person would see it.

Starting a process costs a third of a second and this costs nothing, so most of what a command says is tested here,
and a few processes show that the wiring holds.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from swamp_core.ambient import Ambient
from swamp_core.app.workspace import Setting
from swamp_core.cli.main import main
from swamp_core.store.protocol import SignalWaitStore


class Screen(io.StringIO):
    """One of the streams of a command; `seen` is shared by both, in order."""

    encoding = "utf-8"

    def __init__(self, name: str, seen: list[tuple[str, str]], *, terminal: bool) -> None:
        super().__init__(newline="")
        self._name = name
        self._seen = seen
        self._terminal = terminal

    def write(self, text: str, /) -> int:
        """Keep the text."""
        self._seen.append((self._name, text))
        return super().write(text)

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return self._terminal


class Keyboard(io.TextIOWrapper):
    """What is typed, or what comes through a pipe."""

    def __init__(self, content: bytes, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8")
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether a person types."""
        return self._terminal


@dataclass(frozen=True, slots=True)
class Recorded:
    """A command that has ended. `seen` has what it wrote to `out` and `err`, in order."""

    code: int
    out: str
    err: str
    seen: tuple[tuple[str, str], ...]

    @property
    def json(self) -> Any:
        """The one JSON document of stdout."""
        return json.loads(self.out)

    def shown(self) -> str:
        """What a person sees: lines of stderr begin with `! `, and an exit code that is not 0 stands last."""
        lines = [
            f"{'! ' if name == 'err' else ''}{line}".rstrip()
            for name, text in _whole_lines(self.seen)
            for line in text.splitlines()
        ]
        return "\n".join([*lines, *([f"[exit {self.code}]"] if self.code else [])]) + "\n"


@dataclass(slots=True)
class CommandLineInProcess:
    """`swamp` in a directory. `ambient` and `environ` may be changed between commands."""

    directory: Path
    ambient: Ambient | None = None
    opener: Callable[[Setting], SignalWaitStore] | None = None
    environ: dict[str, str] = field(default_factory=dict)

    def __call__(self, *args: str, stdin: bytes | str | None = None, terminal: bool = False) -> Recorded:
        """Run a command; on a `terminal`, `stdin` is what is typed. Without `stdin`, stdin is closed."""
        seen: list[tuple[str, str]] = []
        out, err = (Screen(name, seen, terminal=terminal) for name in ("out", "err"))
        content = stdin.encode() if isinstance(stdin, str) else stdin
        keyboard = Keyboard(content, terminal=terminal) if content is not None else None
        with (
            contextlib.chdir(self.directory),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.object(sys, "stdin", keyboard),
            mock.patch.dict(os.environ, self.environ),
        ):
            code = main(args, ambient=self.ambient, opener=self.opener)
        return Recorded(code, out.getvalue(), err.getvalue(), tuple(seen))


def _whole_lines(seen: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What was written, joined so that each text but the last of a stream ends a line."""
    open_texts: dict[str, str] = {}
    for name, text in seen:
        whole = open_texts.pop(name, "") + text
        if whole.endswith("\n"):
            yield name, whole
        else:
            open_texts[name] = whole
    yield from open_texts.items()
