"""What one call prints on its two streams: kept within a bound, and told to whoever listens, as it comes."""

from __future__ import annotations

import threading

from swamp_core.models.kept import Kept
from swamp_core.models.listening import Lines, Listener
from swamp_core.models.method import STDERR, STDOUT, Heard, unheard


class Stream:
    """One of the streams. Any thread may add to it; once it is closed, what comes is let go."""

    def __init__(self, name: str, listener: Listener | None) -> None:
        self._name = name
        self._listener = listener
        self._lock = threading.Lock()
        self._kept = Kept()
        self._lines = Lines()
        self._closed = False

    def add(self, chunk: bytes) -> None:
        """The next bytes of the stream."""
        with self._lock:
            if self._closed:
                return
            self._kept.add(chunk)
            if self._listener is not None:
                self._listener.tell(self._name, self._lines.feed(chunk))

    def close(self) -> None:
        """The stream is over: a last line that no line break ended is told as it is."""
        with self._lock:
            if not self._closed and self._listener is not None:
                self._listener.tell(self._name, self._lines.rest())
            self._closed = True

    def text(self) -> str:
        """What is kept; see `Kept.text`."""
        return self._kept.text()


class Output:
    """Both streams of a call."""

    def __init__(self, heard: Heard) -> None:
        self._listener = None if heard is unheard else Listener(heard)
        self.stdout = Stream(STDOUT, self._listener)
        self.stderr = Stream(STDERR, self._listener)

    def close(self, patience_s: float) -> None:
        """The call is over. Whoever listens has heard everything when this returns, or was too slow for that."""
        self.stdout.close()
        self.stderr.close()
        if self._listener is not None:
            self._listener.close(patience_s)
