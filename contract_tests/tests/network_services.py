"""The two services of the network as the tests of faults see them: a store behind a proxy, and what each answers."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from unittest import mock

from swamp_core.store import CheckedStore
from swamp_core.store.creating import Pace, Patience
from swamp_store_gcs.client import open_bucket
from swamp_store_gcs.options import GcsOptions
from swamp_store_gcs.store import GcsStore
from swamp_store_s3.client import open_client
from swamp_store_s3.options import S3Options
from swamp_store_s3.store import S3Store

from tests.servers.faults import Answer, AnswerAfter
from tests.servers.proxy import FaultProxy
from tests.servers.s3 import REGION
from tests.servers.server import Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PREFIX = "a-prefix"
READ_S = 20.0


class NoTime:
    """A clock that moves only when somebody sleeps; nobody waits, and `between` is done at each sleep."""

    def __init__(self, between: Callable[[], object] = lambda: None) -> None:
        self.now_s = 0.0
        self._between = between

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self._between()

    def pace(self) -> Pace:
        return Pace(clock=lambda: self.now_s, sleep=self.sleep, chance=lambda: 1.0)


class Service(ABC):
    """A real server, and a proxy before it; `renew` gives each test a bucket of its own."""

    def __init__(self, server: Server, opened: ExitStack) -> None:
        self.server = server
        self.bucket = ""
        self.proxy = opened.enter_context(FaultProxy(server.endpoint_url, server.verb_of))
        self.opened = opened

    def renew(self) -> None:
        """An empty bucket, and no request counted."""
        self.bucket = self.server.new_bucket()
        self.proxy.forget()

    def store(
        self,
        *,
        total_s: float = 3.0,
        read_s: float = READ_S,
        between: Callable[[], object] = lambda: None,
        direct: bool = False,
    ) -> CheckedStore:
        """A store with connections of its own, through the proxy unless `direct`, that never really sleeps."""
        endpoint_url = self.server.endpoint_url if direct else self.proxy.url
        store = self._open(endpoint_url, Patience(total_s=total_s), NoTime(between).pace(), read_s)
        return CheckedStore(store, self.server.url(self.bucket, PREFIX))

    def stored(self, key: str) -> bytes | None:
        """The record that the server holds."""
        return self.server.get_object(self.bucket, f"{PREFIX}/{key}")

    def put(self, key: str, data: bytes) -> None:
        """A record that is there before the test."""
        self.server.put_object(self.bucket, f"{PREFIX}/{key}", data)

    @abstractmethod
    def _open(
        self, endpoint_url: str, patience: Patience, pace: Pace, read_s: float
    ) -> S3Store | GcsStore: ...

    @abstractmethod
    def says(self, status: int, code: str) -> Answer:
        """What the service answers with such a status, in its own form."""

    def says_after(self, status: int, code: str) -> AnswerAfter:
        """The same, from a service that has carried out the request."""
        answer = self.says(status, code)
        return AnswerAfter(answer.status, answer.body, answer.headers)


class S3(Service):
    """S3, by boto3, whose clients take long to make and are kept."""

    def __init__(self, server: Server, opened: ExitStack) -> None:
        super().__init__(server, opened)
        self._clients: dict[tuple[str, float], S3Client] = {}

    def _open(self, endpoint_url: str, patience: Patience, pace: Pace, read_s: float) -> S3Store:
        client = self._clients.get((endpoint_url, read_s)) or self._new_client(endpoint_url, read_s)
        return S3Store(client, self.bucket, PREFIX, endpoint_url=endpoint_url, patience=patience, pace=pace)

    def _new_client(self, endpoint_url: str, read_s: float) -> S3Client:
        options = S3Options(bucket=self.bucket, region=REGION, endpoint_url=endpoint_url)
        with mock.patch.dict("os.environ", self.server.environ):
            client = open_client(options, read_timeout_s=read_s)
        self.opened.callback(client.close)
        self._clients[endpoint_url, read_s] = client
        return client

    def says(self, status: int, code: str) -> Answer:
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{code}.</Message></Error>'
        return Answer(status, body.encode(), (("Content-Type", "application/xml"),))


class Gcs(Service):
    """Google Cloud Storage, by google-cloud-storage."""

    def _open(self, endpoint_url: str, patience: Patience, pace: Pace, read_s: float) -> GcsStore:
        options = GcsOptions(bucket=self.bucket, prefix=PREFIX, endpoint_url=endpoint_url)
        store = GcsStore(open_bucket(options, read_s=read_s), options.start, patience=patience, pace=pace)
        self.opened.callback(store.close)
        return store

    def says(self, status: int, code: str) -> Answer:
        about: dict[str, Any] = {
            "code": status,
            "message": code,
            "errors": [{"reason": code, "message": code}],
        }
        headers = (("Content-Type", "application/json; charset=UTF-8"),)
        return Answer(status, json.dumps({"error": about}).encode(), headers)
