"""A proxy between a client and a server, on which a test plays whatever a network can do.

    with FaultProxy(server.endpoint_url, server.verb_of) as proxy:
        with proxy.failing("put_if_absent", DropReply()):        # the next one; times=None is every one
            ...                                                  # a client at proxy.url
        assert [request.method for request in proxy.requests] == ["PUT", "PUT", "HEAD"]

It takes in a whole request before it does anything, keeps its connections to the client open as a server would, and
makes a fresh one to the server for each request, so that a request is sent exactly as often as a fault says.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import responses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self
from urllib.parse import urlsplit

from swamp_store_contract.under_test import Verb

from tests.servers.faults import (
    Answer,
    AnswerAfter,
    DropReply,
    DropRequest,
    Duplicate,
    Fault,
    Hold,
    InTurn,
    Pass,
    Request,
    ResetInBody,
    Script,
    Truncate,
)
from tests.servers.wire import Reply, exchange

_OF_ONE_HOP = {"connection", "keep-alive", "expect", "transfer-encoding", "content-length"}
_NO_BODY = {204, 304}


class FaultProxy:
    """A proxy on a loopback port of its own, for as long as its context lasts."""

    def __init__(self, upstream_url: str, verb_of: Callable[[str, str], Verb | None]) -> None:
        self.upstream = urlsplit(upstream_url).netloc
        self.verb_of = verb_of
        self.closing = Event()
        self.errors: list[Exception] = []
        self._requests: list[Request] = []
        self._scripts: list[Script] = []
        self._lock = Lock()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def address(self) -> str:
        """Where it is found, as `host:port`."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """The endpoint for a client."""
        return f"http://{self.address}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests that came since the last `forget`, in order."""
        with self._lock:
            return tuple(self._requests)

    def forget(self) -> None:
        """Count from here."""
        with self._lock:
            self._requests.clear()

    @contextmanager
    def failing(self, verb: Verb, *faults: Fault, times: int | None = 1) -> Iterator[None]:
        """Within the context, the requests of `verb` meet these faults in turn, `times` over; None is for ever."""
        with self.scripted(InTurn(verb, faults, times)):
            yield

    @contextmanager
    def scripted(self, script: Script) -> Iterator[None]:
        """Within the context, `script` decides about each request for which no earlier script has a fault."""
        with self._lock:
            self._scripts.append(script)
        try:
            yield
        finally:
            with self._lock:
                self._scripts.remove(script)

    def fault_for(self, request: Request) -> Fault | None:
        """Write the request down, and say what happens to it."""
        with self._lock:
            self._requests.append(request)
            scripts = tuple(self._scripts)
        return next((fault for script in scripts if (fault := script(request)) is not None), None)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.close()
        if self.errors:
            raise ExceptionGroup("the proxy failed by itself", self.errors)


class _Server(ThreadingHTTPServer):
    """One thread a connection; all are gone, and all sockets closed, when it has closed."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, proxy: FaultProxy) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy
        self._open: set[socket.socket] = set()
        self._lock = Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """End the connections that clients keep open, and wait for the threads."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what is a mistake of ours; a client that has gone away is none."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.proxy.errors.append(error)


class _Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def serve(self) -> None:
        body = self._body()
        proxy = self.server.proxy
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(proxy.verb_of(self.command, self.path), self.command, self.path, headers)
        fault = proxy.fault_for(request)
        try:
            self._meet(fault, body)
        except (
            ConnectionError
        ):  # Of the client, who gave up; or of the server, which is told in the same way.
            self._reset()

    do_DELETE = do_GET = do_HEAD = do_PATCH = do_POST = do_PUT = serve  # noqa: N815 - as the base class finds them

    def _meet(self, fault: Fault | None, body: bytes) -> None:
        match fault:
            case None | Pass():
                self._relay(self._forward(body))
            case DropRequest():
                self._reset()
            case DropReply():
                self._forward(body)
                self._reset()
            case Answer(status, answer, headers):
                self._relay(Reply(status, headers, answer))
            case AnswerAfter(status, answer, headers):
                self._forward(body)
                self._relay(Reply(status, headers, answer))
            case Hold():
                self._hold(fault, body)
            case ResetInBody():
                self.connection.sendall(_half(self._written(self._forward(body))))
                self._reset()
            case Truncate():
                self.connection.sendall(_half(self._written(self._forward(body))))
                self.close_connection = True
            case Duplicate(which):
                replies = [self._forward(body), self._forward(body)]
                self._relay(replies[0 if which == "first" else 1])

    def _hold(self, hold: Hold, body: bytes) -> None:
        hold.arrived.set()
        while not hold.release.wait(0.01):
            if self.server.proxy.closing.is_set():
                return self._reset()
        reply = self._forward(body)
        hold.landed.set()
        return self._relay(reply)

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():  # Trailers.
            pass
        return body

    def _forward(self, body: bytes) -> Reply:
        """The same request to the server, its Host included, which a signature may speak of."""
        headers = [(name, value) for name, value in self.headers.items() if name.lower() not in _OF_ONE_HOP]
        if body or "Content-Length" in self.headers:
            headers.append(("Content-Length", str(len(body))))
        return exchange(self.server.proxy.upstream, self.command, self.path, body, headers)

    def _relay(self, reply: Reply) -> None:
        head, body = self._written(reply)
        self.connection.sendall(head + body)

    def _written(self, reply: Reply) -> tuple[bytes, bytes]:
        """The head and the body of a reply as they go over the wire."""
        bare = self.command == "HEAD" or reply.status in _NO_BODY
        proxy = self.server.proxy
        lines = [f"HTTP/1.1 {reply.status} {responses.get(reply.status, 'Unknown')}"]
        for name, value in reply.headers:
            if name.lower() == "location":  # What continues elsewhere continues through here.
                value = value.replace(f"//{proxy.upstream}", f"//{proxy.address}")
            if name.lower() not in _OF_ONE_HOP or (bare and name.lower() == "content-length"):
                lines.append(f"{name}: {value}")
        if not bare:
            lines.append(f"Content-Length: {len(reply.body)}")
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        return head, b"" if bare else reply.body

    def _reset(self) -> None:
        """Let the client see a reset, and no end."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        descriptor = self.connection.detach()
        if descriptor >= 0:
            os.close(descriptor)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class names it
        """Say nothing: a test reads `requests`."""


def _half(written: tuple[bytes, bytes]) -> bytes:
    """A reply up to the middle of its body, or of its head when it has none."""
    head, body = written
    return head + body[: len(body) // 2] if body else head[: len(head) // 2]
