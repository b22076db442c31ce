"""The S3 store at a real server, through a fault proxy, with invented credentials and no waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from s3_replies import ELSEWHERE, OpenStore
from swamp_core.store import CheckedStore
from swamp_core.store.creating import Pace, Patience
from swamp_store_s3.client import open_client
from swamp_store_s3.options import S3Options
from swamp_store_s3.store import S3Store

from tests.servers.proxy import FaultProxy
from tests.servers.s3 import REGION, S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class InstantTime:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def pace(self) -> Pace:
        return Pace(clock=lambda: self._now_s, sleep=self._pass, chance=lambda: 1.0)

    def _pass(self, seconds: float) -> None:
        self._now_s += seconds


@pytest.fixture(autouse=True)
def aws_environment(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials of the test server."""
    for name in (
        "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
    ):
        monkeypatch.delenv(name, raising=False)
    for name, value in s3_server.environ.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def reached(s3_server: S3Server) -> Iterator[tuple[FaultProxy, S3Client]]:
    """A proxy before the server, and a client of it, which costs a fifth of a second."""
    with (
        FaultProxy(s3_server.endpoint_url, s3_server.verb_of) as proxy,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in s3_server.environ.items():
            patch.setenv(name, value)
        client = open_client(S3Options(bucket="any", region=REGION, endpoint_url=proxy.url))
        patch.undo()
        yield proxy, client


@pytest.fixture
def proxy(reached: tuple[FaultProxy, S3Client]) -> FaultProxy:
    """The proxy, with nothing counted yet."""
    reached[0].forget()
    return reached[0]


@pytest.fixture
def bucket(s3_server: S3Server) -> str:
    return s3_server.new_bucket()


@pytest.fixture
def open_s3(reached: tuple[FaultProxy, S3Client], bucket: str) -> OpenStore:
    """Opens a store over the bucket of this test."""

    own = bucket

    def open_s3(
        prefix: str = "team", *, bucket: str | None = None, endpoint_url: str | None = ELSEWHERE
    ) -> CheckedStore:
        store = S3Store(
            reached[1],
            bucket or own,
            prefix,
            endpoint_url=endpoint_url,
            patience=Patience(total_s=3),
            pace=InstantTime().pace(),
        )
        return CheckedStore(store, f"s3://{bucket or own}/{prefix}")

    return open_s3
