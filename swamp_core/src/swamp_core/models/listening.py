"""Telling what a call prints while it runs, to a listener that may be slow, blocked or broken.

A listener is called by a thread of its own, so that it holds up neither the call nor what is kept of its output.
What it cannot take in time waits for it within a bound, and beyond that is left out, with a mark.
"""

from __future__ import annotations

import codecs
import threading
from collections import deque
from contextlib import suppress

from swamp_core.models.method import Heard

LINE_CHARACTERS_MAX = 8 * 1024
WAITING_CHARACTERS_MAX = 1024 * 1024


class Lines:
    """Cuts a stream of bytes into whole lines of text.

    A line of more than `LINE_CHARACTERS_MAX` characters comes in pieces. Bytes that are not UTF-8 become U+FFFD.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._characters = 0

    def feed(self, chunk: bytes) -> str:
        """The lines that the next bytes complete, together; empty if they complete none."""
        text = self._decoder.decode(chunk)
        end = text.rfind("\n") + 1
        begun = 0 if end else self._characters
        if begun + len(text) - end > LINE_CHARACTERS_MAX:
            end = len(text)
        if not end:
            self._keep(text)
            return ""
        whole = "".join(self._pieces) + text[:end]
        self._pieces, self._characters = [], 0
        self._keep(text[end:])
        return whole

    def rest(self) -> str:
        """What is left of the stream at its end."""
        return "".join(self._pieces) + self._decoder.decode(b"", final=True)

    def _keep(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._characters += len(text)


class Listener:
    """Tells one listener what it is to hear, in order, each text by one call that nothing waits for."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._changed = threading.Condition()
        self._waiting: deque[tuple[str, str]] = deque()
        self._waiting_characters = 0
        self._left_out_of = ""
        self._left_out_characters = 0
        self._closed = False
        self._thread = threading.Thread(target=self._hand_on, name="swamp-listener", daemon=True)
        self._thread.start()

    def tell(self, stream: str, text: str) -> None:
        """Have the text heard; returns at once."""
        if not text:
            return
        with self._changed:
            if self._left_out_characters or self._waiting_characters + len(text) > WAITING_CHARACTERS_MAX:
                self._left_out_of = stream
                self._left_out_characters += len(text)
            else:
                self._waiting.append((stream, text))
                self._waiting_characters += len(text)
            self._changed.notify()

    def close(self, patience_s: float) -> None:
        """Nothing more is to be heard. Waits until all was, at most so long."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(patience_s)

    def _hand_on(self) -> None:
        while (next_text := self._next()) is not None:
            with suppress(Exception):
                self._heard(*next_text)

    def _next(self) -> tuple[str, str] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._left_out_characters or self._closed)
            if self._waiting:
                stream, text = self._waiting.popleft()
                self._waiting_characters -= len(text)
                return stream, text
            if self._left_out_characters:
                mark = f"… {self._left_out_characters} characters left out …\n"
                self._left_out_characters = 0
                return self._left_out_of, mark
            return None
