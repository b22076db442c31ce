"""What a process prints, read as fast as it comes.

Reading never stops before the end of the stream, so a script is never held up by a full pipe, and however
much it prints takes no more memory.
"""

from __future__ import annotations

import threading
from typing import IO

from swamp_core.models.output import Stream

_CHUNK_BYTES = 64 * 1024


class Capture:
    """One stream of a process, drained by a thread of its own into what is kept of it, until its end."""

    def __init__(self, source: IO[bytes], stream: Stream) -> None:
        self._source = source
        self._stream = stream
        self._thread = threading.Thread(target=self._drain, name="swamp-capture", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the stream, at most so long; whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _drain(self) -> None:
        with self._source as source:
            while chunk := source.read1(_CHUNK_BYTES):  # type: ignore[attr-defined]
                self._stream.add(chunk)
