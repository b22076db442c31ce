"""Sessions that a stranger can read: commands with all that they show, in `transcripts/`.

A transcript is a text file. Its lines:

    # what is going on                    for the reader
    @ 2026-07-27T12:00:00Z                from here on it is then; it starts at that time
    > path                                writes a file, whose lines follow with a `|` before each
    $ swamp workflow waits                a command, run in a fresh repo that is called /repo
    ! error: …                            what follows is what it shows, stderr with `! ` before each line
    [exit 3]                              and its exit code, when that is not 0

The n-th command has the seed n for its IDs, is run by `ada` on `build-1`, and is process 1000 + n. With
REWRITE_TRANSCRIPTS=1 in the environment the answers in the files are replaced by those given: read the diff.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.init import init
from swamp_core.testing.clock import FixedClock
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.recording import CommandLineInProcess

TRANSCRIPTS = Path(__file__).parent / "transcripts"
START = "2026-07-27T12:00:00Z"
DIRECTIVES = ("# ", "@ ", "> ", "|")


@pytest.mark.parametrize("path", sorted(TRANSCRIPTS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_session_goes_as_it_is_written_down(path: Path, tmp_path: Path) -> None:
    """What a command shows is what its transcript says, to the letter."""
    written = path.read_text(encoding="utf-8")
    directory = tmp_path / "repo"
    init(directory)
    played = "".join(_play(written.splitlines(), directory))
    if os.environ.get("REWRITE_TRANSCRIPTS"):
        path.write_text(played, encoding="utf-8")
    assert played == written


def _play(lines: list[str], directory: Path) -> Iterator[str]:
    swamp = CommandLineInProcess(directory)
    now, commands = datetime.fromisoformat(START), 0
    answering = False
    for number, line in enumerate(lines):
        is_command = line.startswith("$ swamp ")
        if answering and (is_command or line.startswith(DIRECTIVES)):
            answering = False
            yield "\n"
        if is_command:
            commands += 1
            swamp.ambient = Ambient(FixedClock(now), SeededIds(commands), "build-1", 1000 + commands, "ada")
            words = shlex.split(line.removeprefix("$ swamp "))
            shown = swamp(*(word.replace("/repo", str(directory)) for word in words)).shown()
            yield f"{line}\n{shown.replace(str(directory), '/repo')}"
            answering = True
        elif line.startswith(DIRECTIVES):
            yield f"{line}\n"
            if line.startswith("@ "):
                now = datetime.fromisoformat(line.removeprefix("@ "))
            if line.startswith("> "):
                _write(directory / line.removeprefix("> "), lines[number + 1 :])


def _write(path: Path, lines: list[str]) -> None:
    content = []
    for line in lines:
        if not line.startswith("|"):
            break
        content.append(line.removeprefix("|"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(content) + "\n", encoding="utf-8")
