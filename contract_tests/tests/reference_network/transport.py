"""One HTTP request and its reply, with faults: what a test wants lost is lost here, below the store."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from swamp_store_contract.under_test import Fault, Verb


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered."""

    status: int
    body: bytes = b""
    put_id: str | None = None


REFUSALS = {
    Fault.CONFLICT: Reply(409, b"ConditionalRequestConflict"),
    Fault.DENIED: Reply(403, b"AccessDenied"),
    Fault.THROTTLED: Reply(503, b"SlowDown"),
}


class Transport:
    """Connections to one server, kept open between requests."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._idle: list[http.client.HTTPConnection] = []
        self._faults: list[tuple[Verb, Fault]] = []
        self._lasting: dict[Verb, Fault] = {}
        self._lock = Lock()

    def request(
        self, verb: Verb, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        """Send one request for this verb of the store; `OSError` when no reply came."""
        fault = self._next_fault(verb)
        if fault in REFUSALS:
            return REFUSALS[fault]
        if fault is Fault.UNAVAILABLE:
            raise ConnectionRefusedError("Connection refused")
        if fault is Fault.LOST_REQUEST:
            raise TimeoutError("The request timed out")
        reply = self._exchange(method, path, body, headers or {})
        if fault is Fault.LOST_REPLY:
            raise ConnectionResetError("Connection reset by peer")
        return reply

    @contextmanager
    def failing(self, verb: Verb, fault: Fault, times: int | None) -> Iterator[None]:
        """Let the next requests of this verb meet the fault; None is all of them."""
        if times is None:
            self._lasting[verb] = fault
        else:
            self._faults += [(verb, fault)] * times
        try:
            yield
        finally:
            self._faults.clear()
            self._lasting.clear()

    def _next_fault(self, verb: Verb) -> Fault | None:
        with self._lock:
            for index, (failing, fault) in enumerate(self._faults):
                if failing == verb:
                    del self._faults[index]
                    return fault
        return self._lasting.get(verb)

    def _exchange(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = http.client.HTTPConnection(self._address, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            reply = Reply(answer.status, answer.read(), answer.headers.get("X-Put-Id"))
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._idle.append(connection)
        return reply

    def close(self) -> None:
        """Close the connections that no request uses."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()
