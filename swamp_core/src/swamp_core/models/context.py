"""What a method of a Python model may ask for: for whom it works, a log, and whether it is to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


def _unlogged(text: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class MethodContext:
    """The step that a method is called for. A method whose parameter is annotated with this class is given one.

    `repo_dir` is the directory of the repo on this host. `stopped` is set when the run is cancelled or the call
    takes longer than its timeout: a method that takes long looks at it, or waits on it instead of sleeping, and
    returns. One that does not is left behind after a while, and what it does then is not recorded.

    In a test of a method, `MethodContext()` will do.
    """

    workflow: str = ""
    run_id: str = ""
    job: str = ""
    step: str = ""
    repo_dir: Path = field(default_factory=Path)
    stopped: threading.Event = field(default_factory=threading.Event)
    write: Callable[[str], None] = _unlogged

    def log(self, text: str) -> None:
        """Add a line to the log of the step. What the method prints is added as well."""
        self.write(f"{text}\n")
