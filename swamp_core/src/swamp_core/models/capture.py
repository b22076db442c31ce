"""What a script prints, read as fast as it comes and kept within a bound: its first part and its last.

Reading never stops before the end of the stream, so a script is never held up by a full pipe, and however
much it prints takes no more memory.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import IO

HEAD_BYTES_MAX = 16 * 1024
TAIL_BYTES_MAX = 32 * 1024
KEPT_JSON_BYTES_MAX = 60 * 1024
_CHUNK_BYTES = 64 * 1024


class Capture:
    """One stream of a process, drained by a thread of its own until its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped_bytes = 0
        self._thread = threading.Thread(target=self._drain, name="swamp-capture", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the stream, at most so long; whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def text(self) -> str:
        """What was printed so far; where something was left out in the middle, a mark says how much.

        Bytes that are not UTF-8 become U+FFFD. As JSON the text is at most `KEPT_JSON_BYTES_MAX` long.
        """
        with self._lock:
            head, tail, dropped = bytes(self._head), b"".join(self._tail), self._dropped_bytes
        text = shortened(head, tail, dropped)
        while len(json.dumps(text, ensure_ascii=False).encode()) > KEPT_JSON_BYTES_MAX:
            lost = len(head) - len(head) // 2 + len(tail) // 2
            head, tail, dropped = head[: len(head) // 2], tail[len(tail) // 2 :], dropped + lost
            text = shortened(head, tail, dropped)
        return text

    def _drain(self) -> None:
        with self._stream as stream:
            while chunk := stream.read1(_CHUNK_BYTES):  # type: ignore[attr-defined]
                with self._lock:
                    self._keep(chunk)

    def _keep(self, chunk: bytes) -> None:
        room = HEAD_BYTES_MAX - len(self._head)
        self._head += chunk[:room]
        rest = chunk[room:]
        if not rest:
            return
        self._tail.append(rest)
        self._tail_bytes += len(rest)
        while self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES_MAX:
            self._dropped_bytes += len(self._tail[0])
            self._tail_bytes -= len(self._tail.popleft())
        excess = self._tail_bytes - TAIL_BYTES_MAX
        if excess > 0:
            self._tail[0] = self._tail[0][excess:]
            self._tail_bytes -= excess
            self._dropped_bytes += excess


def shortened(head: bytes, tail: bytes, dropped_bytes: int) -> str:
    """The two parts as text, with a mark between them if something was left out."""
    if not dropped_bytes:
        return (head + tail).decode("utf-8", "replace")
    mark = f"\n… {dropped_bytes} bytes left out …\n"
    return head.decode("utf-8", "replace") + mark + tail.decode("utf-8", "replace")
