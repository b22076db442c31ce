"""The servers of the tests: what they hold, which verb a request serves, and that they do not outlive us."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from urllib.parse import parse_qs, urlsplit

import pytest
from swamp_store_contract.under_test import Verb

from tests.docs.pages import ROOT
from tests.servers.canary import CanaryDied, check
from tests.servers.gcs import GCSServer
from tests.servers.process import HOST, NotStarted, is_answered, serving
from tests.servers.proxy import FaultProxy
from tests.servers.s3 import S3Server
from tests.servers.server import Server, UnexpectedReply

LOOKS_MAX = 10_000
LEFT_ALONE = """
import os, sys
from tests.servers.gcs import gcs_serving
with gcs_serving() as server:
    print(server.address, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["s3_server", "gcs_server"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


def test_a_bucket_holds_what_is_put_into_it(server: Server) -> None:
    """A second create is refused, a put is not, and odd names come back as they went."""
    bucket = server.new_bucket()
    assert server.names(bucket) == []
    assert server.create_object(bucket, "a/b c+%.x", b"\x00\r\n--") is True
    assert server.create_object(bucket, "a/b c+%.x", b"later") is False
    assert server.get_object(bucket, "a/b c+%.x") == b"\x00\r\n--"
    server.put_object(bucket, "a/b c+%.x", b"over")
    assert server.get_object(bucket, "a/b c+%.x") == b"over"
    assert server.get_object(bucket, "a") is None
    assert server.names(bucket) == ["a/b c+%.x"]


def test_names_are_all_names(server: Server) -> None:
    """Page after page, in the order of bytes."""
    bucket = server.new_bucket()
    expected = ["k", "k-0", *(f"k/{number}" for number in range(5))]
    for name in expected:
        server.put_object(bucket, name, b"")
    assert server.names(bucket, page=2) == server.names(bucket) == expected


def test_each_bucket_is_another(server: Server) -> None:
    """What one test writes, no other sees."""
    first, second = server.new_bucket(), server.new_bucket()
    server.put_object(first, "k", b"")
    assert server.names(second) == []


def test_a_client_that_stops_in_the_middle_of_a_request_keeps_nobody_waiting(server: Server) -> None:
    """The tests stop processes at any point. Those who share the server with them go on."""
    bucket = server.new_bucket()
    half = f"PUT /{bucket}/half HTTP/1.1\r\nHost: {server.address}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
    host, _, port = server.address.partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as stopped:
        stopped.sendall(half.encode())
        stopped.recv(1)  # The server goes on with this request from here.
        server.put_object(bucket, "whole", b"data")
        assert server.names(bucket) == ["whole"]


def test_a_reply_that_is_no_answer_is_an_error(server: Server) -> None:
    """A test that looks into a bucket that is missing is told so."""
    with pytest.raises(UnexpectedReply, match="404"):
        server.names("no-such-bucket")


def test_a_url_names_the_bucket_and_the_endpoint(server: Server) -> None:
    """The setting of a datastore, with the server or a proxy as its endpoint."""
    parts = urlsplit(server.url("team", "releases"))
    assert (parts.scheme, parts.netloc, parts.path) == (server.scheme, "team", "/releases")
    assert parse_qs(parts.query)["endpoint_url"] == [server.endpoint_url]
    parts = urlsplit(server.url("team", endpoint_url="http://127.0.0.1:1"))
    assert (parts.path, parse_qs(parts.query)["endpoint_url"]) == ("", ["http://127.0.0.1:1"])


def test_a_proxy_stands_before_a_server(server: Server, proxy_before: Callable[[Server], FaultProxy]) -> None:
    """What goes through it arrives, and is counted by verb."""
    bucket = server.new_bucket()
    proxy = proxy_before(server)
    through = type(server)(proxy.address)
    assert through.create_object(bucket, "a/k", b"data") is True
    assert server.get_object(bucket, "a/k") == through.get_object(bucket, "a/k") == b"data"
    assert through.names(bucket) == ["a/k"]
    assert [request.verb for request in proxy.requests] == ["put_if_absent", "get", "list"]


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [
        ("PUT", "/b/p/k", "put_if_absent"),
        ("HEAD", "/b/k", "put_if_absent"),
        ("GET", "/b/k", "get"),
        ("GET", "/b?list-type=2&prefix=", "list"),
        ("GET", "/b/?list-type=2", "list"),
        ("DELETE", "/b/k", "delete"),
        ("PUT", "/b", None),
        ("GET", "/b?location", None),
        ("HEAD", "/b", None),
    ],
)
def test_the_verb_of_a_request_to_s3(method: str, path: str, verb: Verb | None) -> None:
    """A read-back is part of the create, and what concerns a bucket alone is no verb."""
    assert S3Server.verb_of(method, path) == verb


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [
        ("POST", "/upload/storage/v1/b/b/o?uploadType=multipart&ifGenerationMatch=0", "put_if_absent"),
        ("POST", "/resumable/upload/storage/v1/b/b/o?uploadType=resumable", "put_if_absent"),
        ("PUT", "/upload/storage/v1/b/b/o?uploadType=resumable&upload_id=1", "put_if_absent"),
        ("GET", "/storage/v1/b/b/o/p%2Fk?projection=noAcl", "put_if_absent"),
        ("GET", "/download/storage/v1/b/b/o/p%2Fk?alt=media", "get"),
        ("GET", "/storage/v1/b/b/o/o?alt=media", "get"),
        ("GET", "/storage/v1/b/b/o?prefix=x", "list"),
        ("DELETE", "/storage/v1/b/b/o/k", "delete"),
        ("POST", "/storage/v1/b?project=p", None),
        ("GET", "/storage/v1/b/oo", None),
    ],
)
def test_the_verb_of_a_request_to_gcs(method: str, path: str, verb: Verb | None) -> None:
    """Reading what is known of an object is the read-back of a create, and reading its bytes is a get."""
    assert GCSServer.verb_of(method, path) == verb


class LaxServer(S3Server):
    """A service that does not know the condition."""

    def create_object(self, bucket: str, name: str, data: bytes) -> bool:
        self.put_object(bucket, name, data)
        return True


class LateServer(S3Server):
    """A service that lets one of a race win, and one who comes later as well."""

    def create_object(self, bucket: str, name: str, data: bytes) -> bool:
        return super().create_object(bucket, name, data) or data == b"later"


class ForgetfulServer(S3Server):
    """A service that says who won and keeps something else."""

    def get_object(self, bucket: str, name: str) -> bytes | None:
        return b"another's"


@pytest.mark.parametrize(
    ("lax", "reason"),
    [
        (LaxServer, "16 of 16 racing creates"),
        (LateServer, "although it was there"),
        (ForgetfulServer, "does not hold what its winner wrote"),
    ],
)
def test_the_canary_dies(s3_server: S3Server, lax: type[S3Server], reason: str) -> None:
    """A server that lets a second create win is found out."""
    server = lax(s3_server.address)
    server._numbers = s3_server._numbers
    with pytest.raises(CanaryDied, match=reason):
        check(server)


def test_a_server_that_ends_at_once_is_not_taken_for_one_that_runs() -> None:
    """Every port is refused to it, and the error says what was tried."""
    with pytest.raises(NotStarted, match="false"), serving(lambda port: ["false"]):
        pass


def test_a_server_is_stopped_when_the_test_fails() -> None:
    """Its port is free again after an error."""

    def python(port: int) -> list[str]:
        return [sys.executable, "-m", "http.server", "--bind", HOST, str(port)]

    addresses = []

    def failing() -> None:
        with serving(python) as address:
            addresses.append(address)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert not is_answered(addresses[0])


def test_a_server_does_not_outlive_tests_that_are_killed() -> None:
    """Killed without a chance to clean up, the tests take their servers with them."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", LEFT_ALONE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
        cwd=ROOT,
    ) as tests:
        assert tests.stdout is not None
        address = tests.stdout.readline().strip()
        host, _, port = address.partition(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            tests.send_signal(signal.SIGKILL)
            tests.wait()
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b"", "The server says something that nobody asked."
    looks = count()
    while is_answered(address):  # A process that ends closes one file after the other.
        assert next(looks) < LOOKS_MAX, "The server outlived the tests."
