"""How fast a command starts, against an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from swamp_core.app.init import init

from benchmarks.measuring import Figure, against


def figures(directory: Path, rounds: int) -> list[Figure]:
    """`swamp --version`, and `swamp workflow waits` in a repo whose store is empty."""
    init(directory)
    return [
        against(
            f"swamp {' '.join(words)}",
            lambda words=words: _python(directory, "-m", "swamp_core", *words),  # type: ignore[misc]
            "python -c pass",
            lambda: _python(directory, "-c", "pass"),
            rounds=rounds,
        )
        for words in (("--version",), ("workflow", "waits"))
    ]


def _python(directory: Path, *words: str) -> None:
    subprocess.run([sys.executable, *words], cwd=directory, check=True, capture_output=True)
