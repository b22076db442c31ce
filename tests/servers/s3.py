"""An S3 service for the tests: moto's server, in a process of its own.

In this process it would share the interpreter's lock with what it serves, and turn any warning of its own into
an answer 500, since the tests make errors of warnings.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from xml.etree import ElementTree

from swamp_store_contract.under_test import Verb

from tests.servers.canary import check
from tests.servers.process import HOST, serving
from tests.servers.server import Server, body_of, looking
from tests.servers.wire import Reply

REGION = "us-east-1"
_MOTO = Path(__file__).with_name("moto_app.py")
_SIGNED = (
    f"AWS4-HMAC-SHA256 Credential=testing/20260101/{REGION}/s3/aws4_request, SignedHeaders=host, Signature=0"
)
_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class S3Server(Server):
    """Buckets of moto's server, addressed by path."""

    scheme = "s3"
    environ: ClassVar[Mapping[str, str]] = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": HOST,
        "no_proxy": HOST,
    }

    def options(self) -> dict[str, str]:
        return {"region": REGION}

    def create_bucket(self, name: str) -> None:
        body_of(self.request("PUT", f"/{name}"), 200)

    def create_object(self, bucket: str, name: str, data: bytes) -> bool:
        reply = self.request("PUT", _path(bucket, name), data, {"If-None-Match": "*"})
        body_of(reply, 200, 412)
        return reply.status == 200

    def put_object(self, bucket: str, name: str, data: bytes) -> None:
        body_of(self.request("PUT", _path(bucket, name), data), 200)

    def get_object(self, bucket: str, name: str) -> bytes | None:
        reply = self.request("GET", _path(bucket, name))
        body = body_of(reply, 200, 404)
        return body if reply.status == 200 else None

    def delete_object(self, bucket: str, name: str) -> None:
        body_of(self.request("DELETE", _path(bucket, name)), 204)

    def looker(self, bucket: str, prefix: str) -> str:
        return looking(
            self.address,
            {"Authorization": _SIGNED},
            listing=f'"/{bucket}?list-type=2&prefix={prefix}/" + sys.argv[1]',
            names='re.findall("<Key>([^<]*)</Key>", listing.decode())',
            path=f'"/{bucket}/" + name',
        )

    def names(self, bucket: str, *, page: int = 1000) -> list[str]:
        names: list[str] = []
        query = {"list-type": "2", "max-keys": str(page)}
        while True:
            answer = ElementTree.fromstring(
                body_of(self.request("GET", f"/{bucket}?{urlencode(query)}"), 200)
            )
            names += [key.text or "" for key in answer.iter(f"{_NAMESPACE}Key")]
            token = answer.findtext(f"{_NAMESPACE}NextContinuationToken")
            if token is None:
                return sorted(names)
            query["continuation-token"] = token

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """One request, as somebody who may do it: the server looks for a signature, and not whether it is right."""
        return super().request(method, path, body, {"Authorization": _SIGNED, **(headers or {})})

    @staticmethod
    def verb_of(method: str, path: str) -> Verb | None:
        parts = urlsplit(path)
        _, _, name = parts.path[1:].partition("/")
        match method, bool(name):
            case ("PUT" | "HEAD", True):
                return "put_if_absent"
            case ("GET", True):
                return "get"
            case ("GET", False) if "list-type" in parse_qs(parts.query):
                return "list"
            case ("DELETE", True):
                return "delete"
            case _:
                return None


@contextmanager
def s3_serving() -> Iterator[S3Server]:
    """An S3 service that runs within the context, and has been seen to refuse a second create."""
    with serving(lambda port: [sys.executable, str(_MOTO), HOST, str(port)]) as address:
        server = S3Server(address)
        check(server)
        yield server


def _path(bucket: str, name: str) -> str:
    return f"/{bucket}/{quote(name)}"
