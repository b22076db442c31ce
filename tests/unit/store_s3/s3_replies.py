"""What S3 answers, as a test plays it, and how the fixtures open a store."""

from __future__ import annotations

from typing import Protocol

from swamp_core.store import CheckedStore

from tests.servers.faults import Answer

ELSEWHERE = "http://s3.example"
"""An endpoint that is not AWS's own, as the stores of these tests are told."""


class OpenStore(Protocol):
    """Opens a store over the bucket of the test, or over another one."""

    def __call__(
        self, prefix: str = "team", *, bucket: str | None = None, endpoint_url: str | None = ELSEWHERE
    ) -> CheckedStore: ...


def refusal(status: int, code: str, more: str = "", headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """An error as S3 words it."""
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>No.</Message>{more}</Error>'
    return Answer(
        status, body.encode(), (("Content-Type", "application/xml"), ("x-amz-request-id", "1"), *headers)
    )
