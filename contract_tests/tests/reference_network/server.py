"""A bucket service in this process.

PUT with If-None-Match, GET, HEAD, DELETE and paged listing, over HTTP.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import parse_qs, unquote, urlsplit

PAGE = 1000


@dataclass(slots=True)
class Bucket:
    """Objects by name: the put-id of the request that stored each, and its bytes."""

    objects: dict[str, tuple[str | None, bytes]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def create(self, name: str, put_id: str | None, data: bytes) -> bool:
        with self.lock:
            if name in self.objects:
                return False
            self.objects[name] = (put_id, data)
            return True

    def names(self, prefix: str, after: str, most: int) -> list[str]:
        with self.lock:
            names = sorted(self.objects)
        first = max(bisect_left(names, prefix), bisect_right(names, after))
        return [name for name in names[first : first + most] if name.startswith(prefix)]


class Server(ThreadingHTTPServer):
    """Serves its buckets until it is closed."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, *buckets: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.buckets = {name: Bucket() for name in buckets}
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request: `/bucket/name`, or `/bucket/?prefix=…` for a page of names."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Server

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        bucket, name = self._target()
        if bucket is None:
            self._answer(404, b"NoSuchBucket")
        elif bucket.create(name, self.headers.get("X-Put-Id"), data):
            self._answer(200)
        else:
            self._answer(412)

    def do_GET(self) -> None:
        bucket, name = self._target()
        if bucket is None:
            self._answer(404, b"NoSuchBucket")
        elif not name:
            query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
            names = bucket.names(query["prefix"][0], query["after"][0], min(PAGE, int(query["most"][0])))
            self._answer(200, json.dumps(names).encode())
        elif (found := bucket.objects.get(name)) is None:
            self._answer(404, b"NoSuchKey")
        else:
            self._answer(200, found[1], put_id=found[0])

    def do_HEAD(self) -> None:
        bucket, name = self._target()
        found = bucket.objects.get(name) if bucket else None
        self._answer(404 if found is None else 200, put_id=found[0] if found else None)

    def do_DELETE(self) -> None:
        bucket, name = self._target()
        if bucket is None:
            self._answer(404, b"NoSuchBucket")
        else:
            with bucket.lock:
                bucket.objects.pop(name, None)
            self._answer(204)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class names it
        """Say nothing: a test reads answers, not a log."""

    def _target(self) -> tuple[Bucket | None, str]:
        bucket, _, name = unquote(urlsplit(self.path).path)[1:].partition("/")
        return self.server.buckets.get(bucket), name

    def _answer(self, status: int, body: bytes = b"", *, put_id: str | None = None) -> None:
        self.send_response(status)
        if put_id is not None:
            self.send_header("X-Put-Id", put_id)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body and self.command != "HEAD":
            self.wfile.write(body)
