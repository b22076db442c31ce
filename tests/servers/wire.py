"""One HTTP request and its whole reply, by the standard library alone: what no SDK can embellish."""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def exchange(
    address: str,
    method: str,
    path: str,
    body: bytes = b"",
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
) -> Reply:
    """Send these headers and no others (but Host and the length, where they are missing); `OSError` on failure."""
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
    names = {name.lower() for name, _ in pairs}
    connection = http.client.HTTPConnection(address, timeout=TIMEOUT_S)
    try:
        connection.putrequest(method, path, skip_host="host" in names, skip_accept_encoding=True)
        for name, value in pairs:
            connection.putheader(name, value)
        if "content-length" not in names and (body or method in ("PUT", "POST")):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return Reply(answer.status, tuple(answer.getheaders()), answer.read())
    finally:
        connection.close()
