"""What both servers offer to a test, a benchmark, or a process that a test starts."""

from __future__ import annotations

import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import count
from typing import ClassVar
from urllib.parse import urlencode

from swamp_store_contract.under_test import Verb

from tests.servers.wire import Reply, exchange


class UnexpectedReply(Exception):
    """A server answered what a test that talks to it directly did not ask for."""


class Server(ABC):
    """A bucket service that runs, and objects in its buckets as it sees them itself, without any adapter."""

    scheme: ClassVar[str]
    """The scheme of the URLs by which a datastore setting names a bucket of it."""
    environ: ClassVar[Mapping[str, str]]
    """Environment variables with which a process reaches it: invented credentials, and no look elsewhere."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.endpoint_url = f"http://{address}"
        self._numbers = count(1)

    def url(self, bucket: str, prefix: str = "", *, endpoint_url: str | None = None) -> str:
        """The datastore setting for a bucket, at another endpoint when a proxy stands before the server."""
        query = urlencode({**self.options(), "endpoint_url": endpoint_url or self.endpoint_url})
        return f"{self.scheme}://{bucket}{'/' if prefix else ''}{prefix}?{query}"

    def options(self) -> dict[str, str]:
        """What a setting needs beside the endpoint."""
        return {}

    def new_bucket(self) -> str:
        """The name of an empty bucket that nobody else has."""
        name = f"swamp-{next(self._numbers)}"
        self.create_bucket(name)
        return name

    @abstractmethod
    def create_bucket(self, name: str) -> None:
        """Make a bucket of this name."""

    @abstractmethod
    def create_object(self, bucket: str, name: str, data: bytes) -> bool:
        """Create an object on the condition that there is none; whether it was created."""

    @abstractmethod
    def put_object(self, bucket: str, name: str, data: bytes) -> None:
        """Write an object, whether there is one or not."""

    @abstractmethod
    def get_object(self, bucket: str, name: str) -> bytes | None:
        """The bytes of an object, or None when there is none."""

    @abstractmethod
    def delete_object(self, bucket: str, name: str) -> None:
        """Delete an object that is there."""

    @abstractmethod
    def looker(self, bucket: str, prefix: str) -> str:
        """A program that prints the objects below the prefix whose names go on with its argument, for shell scripts."""

    @abstractmethod
    def names(self, bucket: str, *, page: int = 1000) -> list[str]:
        """The names of all objects of a bucket, in byte order, asked for in pages."""

    @staticmethod
    @abstractmethod
    def verb_of(method: str, path: str) -> Verb | None:
        """The verb of a store that such a request serves; the read-back of a put-id belongs to the create."""

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """One request, without any SDK."""
        return exchange(self.address, method, path, body, headers or {})


def looking(address: str, headers: Mapping[str, str], listing: str, names: str, path: str) -> str:
    """A program for `Server.looker`: `listing`, `names` and `path` are expressions for what differs by service.

    It imports little, because scripts call it again and again.
    """
    program = f"""
import http.client, json, re, sys
def get(path):
    connection = http.client.HTTPConnection({address!r}, timeout=30)
    connection.request("GET", path, headers={dict(headers)!r})
    return connection.getresponse().read()
listing = get({listing})
for name in {names}:
    sys.stdout.buffer.write(get({path}) + b"\\n")
"""
    return f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S -c {shlex.quote(program)} "$1"\n'


def body_of(reply: Reply, *statuses: int) -> bytes:
    """The body of a reply that has one of these statuses."""
    if reply.status not in statuses:
        raise UnexpectedReply(f"{reply.status}, not {statuses}: {reply.body[:500]!r}")
    return reply.body
