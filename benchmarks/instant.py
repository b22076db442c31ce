"""A bucket service that keeps nothing and answers at once, `python -m benchmarks.instant PORT`.

Before it, all that takes time is what a client does itself. It speaks as much of S3 and of Cloud Storage as the calls
that are measured need: every create wins, every read finds the same record, and a listing is as long as was asked.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import sys
from urllib.parse import parse_qs, urlsplit

import google_crc32c

from benchmarks.bare import RECORD
from tests.servers.process import HOST

NAMES_MAX = 100
GCS_PATHS = ("/storage/v1/", "/upload/storage/v1/", "/download/storage/v1/")
_ABOUT = re.compile(rb'"metadata": (\{[^}]*\})')
_CRC32C = base64.b64encode(google_crc32c.value(RECORD).to_bytes(4, "big"))

Answer = tuple[bytes, tuple[tuple[bytes, bytes], ...], bytes]
"""The status line after the version, the headers and the body."""


class Instant(asyncio.Protocol):
    """One connection, kept open."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._received = b""
        self._told_to_go_on = False

    def data_received(self, data: bytes) -> None:
        """Answer each request that has come whole."""
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, rest = self._received.partition(b"\r\n\r\n")
            lines = head.split(b"\r\n")
            pairs = (line.partition(b":") for line in lines[1:])
            headers = {name.lower(): value.strip() for name, _, value in pairs}
            length = int(headers.get(b"content-length", 0))
            if len(rest) < length:
                if b"expect" in headers and not self._told_to_go_on:
                    self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                    self._told_to_go_on = True
                return
            self._received, self._told_to_go_on = rest[length:], False
            method, path, _ = lines[0].decode().split(" ")
            self._transport.write(_written(answer(method, path, rest[:length])))


def answer(method: str, path: str, body: bytes) -> Answer:
    """What the service that the path belongs to says."""
    return _gcs(method, path, body) if path.startswith(GCS_PATHS) else _s3(method, path)


def _s3(method: str, path: str) -> Answer:
    etag = ((b"ETag", b'"1"'), (b"x-amz-request-id", b"1"))
    parts = urlsplit(path)
    query = parse_qs(parts.query)
    if method == "DELETE":
        return b"204 No Content", etag, b""
    if "list-type" not in query:
        return b"200 OK", etag, RECORD if method == "GET" else b""
    found = "".join(
        f"<Contents><Key>{name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;1&quot;</ETag>"
        f"<Size>400</Size><StorageClass>STANDARD</StorageClass></Contents>"
        for name in _names(query["prefix"][0], query["max-keys"][0])
    )
    listing = f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
    return b"200 OK", (*etag, (b"Content-Type", b"application/xml")), listing.encode()


def _gcs(method: str, path: str, body: bytes) -> Answer:
    content = (b"Content-Type", b"application/json; charset=UTF-8")
    parts = urlsplit(path)
    query = parse_qs(parts.query)
    about: dict[str, object] = {"kind": "storage#object", "generation": "1"}
    if method == "DELETE":
        return b"204 No Content", (), b""
    if method == "POST":
        told = _ABOUT.search(body)
        about["metadata"] = json.loads(told[1]) if told else {}
    elif query.get("alt") == ["media"]:
        return b"200 OK", ((b"X-Goog-Generation", b"1"), (b"X-Goog-Hash", b"crc32c=" + _CRC32C)), RECORD
    elif parts.path.endswith("/o"):
        names = _names(query["prefix"][0], query["maxResults"][0])
        about = {"kind": "storage#objects", "items": [{"name": name} for name in names]}
    return b"200 OK", (content,), json.dumps(about).encode()


def _names(prefix: str, number: str) -> list[str]:
    return [f"{prefix}{each:04}" for each in range(min(int(number), NAMES_MAX))]


def _written(said: Answer) -> bytes:
    status, headers, body = said
    lines = [b"HTTP/1.1 " + status, *(name + b": " + value for name, value in headers)]
    if not status.startswith(b"204"):
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"", body])


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Instant, HOST, port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
