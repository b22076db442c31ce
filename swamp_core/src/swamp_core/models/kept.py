"""What a call prints, kept within a bound: its first part and its last, however much there is in between."""

from __future__ import annotations

import json
import threading
from collections import deque

HEAD_BYTES_MAX = 16 * 1024
TAIL_BYTES_MAX = 32 * 1024
KEPT_JSON_BYTES_MAX = 60 * 1024


class Kept:
    """The bytes of one stream so far. Any thread may add to it or read it at any time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped_bytes = 0

    def add(self, chunk: bytes) -> None:
        """Keep the next bytes of the stream, and of those before them what the bound allows."""
        with self._lock:
            room = HEAD_BYTES_MAX - len(self._head)
            self._head += chunk[:room]
            rest = chunk[room:]
            if rest:
                self._add_to_tail(rest)

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

    def _add_to_tail(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
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
