"""Sessions in the documentation: what a page shows is what the program answers, to the letter.

A page is one session, in a directory of its own. In order of the page:

1. A `yaml` or `python` block that begins with a comment such as `# workflows/release.yaml` is written to that file.
2. In a `console` block each line that begins with `$ ` is run by a shell, and what it prints, on both streams, stands
   below it. A line that ends with a backslash goes on in the next.

The clock stands still and is one minute later for each command; IDs are the same on each replay. So `replay` gives
the page with its answers as they are now, and a page is right when that changes nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from tests.docs.pages import ROOT, blocks, read

SHOWN_DIRECTORY = "/home/alice/releases"
FIRST_INSTANT = datetime.fromisoformat("2026-07-27T12:00:00+00:00")
DEAD_PID, SHOWN_PID = "5000001", "4711"
"""No system has a process of the first number, so a driver that a page kills is taken for dead."""
TIMEOUT_S = 60.0

_FILE = re.compile(r"# (\.?[\w/-]+\.(?:yaml|py))\n")
_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-([47])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_KILLED = re.compile(r"^.*\bKilled\b.*$", re.MULTILINE)
"""Each shell tells in its own words that a command was killed."""
_ID_OR_START = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?\b")


def replay(text: str, directory: Path, *, example: Path | None = None) -> str:
    """The page with the answers that its commands give now, when it is played in the directory.

    It begins with what is in the directory `example`, or with nothing.
    """
    session = Session(directory)
    if example is not None:
        shutil.copytree(example, session.work, dirs_exist_ok=True)
    parts: list[str] = []
    end = 0
    for block in blocks(text):
        parts += [text[end : block.start], session.play(block.language, block.text)]
        end = block.end
    return "".join([*parts, text[end:]])


def replayed(page: Path, directory: Path) -> str:
    """A page of this checkout as it should be. The README is played in the example that it shows, and so are theirs."""
    example = ROOT / "examples" / "release" if page == Path("README.md") else None
    if page.parts[0] == "examples":
        example = ROOT / page.parent
    return replay(read(page), directory, example=example)


@dataclass(slots=True)
class Session:
    """One page being played: how many commands there were, and the IDs as they are and as it shows them."""

    directory: Path
    commands: int = 0
    real_ids: dict[str, str] = field(default_factory=dict)
    shown_ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work.mkdir()
        binaries = self.directory / "bin"
        binaries.mkdir()
        # As an installed `swamp`, it does not look for modules in the directory that it is called in.
        python = shlex.quote(sys.executable)
        for name, command in {"swamp": f"{python} -P -m swamp_core.testing.cli", "python": python}.items():
            (binaries / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
            (binaries / name).chmod(0o700)

    @property
    def work(self) -> Path:
        """The directory that the page is played in."""
        return self.directory / "releases"

    def play(self, language: str, text: str) -> str:
        """What the block is now."""
        if language in ("yaml", "python") and (named := _FILE.match(text)):
            path = self.work / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if language == "console":
            return "".join(f"{shown}{self.run(shown)}" for shown in commands_in(text))
        return text

    def run(self, shown: str) -> str:
        """What a command prints, with the IDs that pages show. `shown` begins with `$ `."""
        self.commands += 1
        command = _ID_OR_START.sub(lambda match: self.real_ids.get(match[0], match[0]), shown[2:])
        ended = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.work,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        assert "Traceback" not in ended.stdout, ended.stdout
        printed = ended.stdout.replace(str(self.work), SHOWN_DIRECTORY).replace(DEAD_PID, SHOWN_PID)
        return _ID.sub(self._shown_id, _KILLED.sub("Killed", printed))

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.directory / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.directory),
            "LANG": "C.UTF-8",
            "SWAMP_TEST_NOW": (FIRST_INSTANT + timedelta(minutes=self.commands)).isoformat(),
            "SWAMP_TEST_IDS": str(self.commands),
            "SWAMP_TEST_HOST": "build-1",
            "SWAMP_TEST_PID": DEAD_PID,
            "SWAMP_TEST_USER": "alice",
        }

    def _shown_id(self, match: re.Match[str]) -> str:
        """An ID that looks like any, by how many were shown before; that of a run keeps its beginning, the time."""
        real = match[0]
        if real not in self.shown_ids:
            digits = hashlib.sha256(f"ID {len(self.shown_ids)}".encode()).hexdigest()
            shown = str(uuid.UUID(hex=digits[:32], version=4))
            if match[1] == "7":
                shown = real[:14] + "7" + shown[15:]
            else:
                self.real_ids[shown[:8]] = real[:8]
            self.real_ids[shown] = real
            self.shown_ids[real] = shown
        return self.shown_ids[real]


def commands_in(console: str) -> Iterator[str]:
    """The commands of a console block as they are shown, each with its prompt and line break."""
    lines = iter(console.splitlines(keepends=True))
    for line in lines:
        if line.startswith("$ "):
            command = line
            while command.endswith("\\\n"):
                command += next(lines)
            yield command
