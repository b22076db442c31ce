"""A create on S3: what each reply means, counted at the wire."""

from __future__ import annotations

import pytest
from s3_replies import OpenStore, refusal
from swamp_core.store import (
    ConditionalWritesUnsupported,
    OutcomeUnknown,
    StoreAccessDenied,
    StoreNotFound,
    StoreUnavailable,
)

from tests.servers.faults import Answer, AnswerAfter, DropReply, DropRequest, Duplicate, Fault, Pass, html
from tests.servers.proxy import FaultProxy
from tests.servers.s3 import S3Server

CONFLICT = refusal(409, "ConditionalRequestConflict")
SLOW_DOWN = refusal(503, "SlowDown")


def methods(proxy: FaultProxy) -> list[str]:
    return [request.method for request in proxy.requests]


def test_a_create_is_one_request_on_condition(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """The precondition and the put-id are on it, and nothing that another service may stumble over."""
    assert open_s3().put_if_absent("a", b"mine") is True
    (put,) = proxy.requests
    assert (put.method, put.headers["if-none-match"]) == ("PUT", "*")
    assert len(put.headers["x-amz-meta-swamp-put-id"]) == 32
    assert put.headers["content-length"] == "4"
    assert not {
        name for name in put.headers if "checksum" in name or name in ("content-encoding", "x-amz-trailer")
    }


@pytest.mark.parametrize(("length", "asks_first"), [(0, False), (65_536, False), (65_537, True)])
def test_a_small_record_comes_with_its_request(
    open_s3: OpenStore, proxy: FaultProxy, length: int, asks_first: bool
) -> None:
    """`Expect: 100-continue` would cost a round trip more; a large record is not sent for nothing."""
    assert open_s3().put_if_absent("a", bytes(length)) is True
    assert ("expect" in proxy.requests[0].headers) is asks_first


def test_each_create_has_a_put_id_of_its_own(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """Two creates are never taken for one."""
    store = open_s3()
    store.put_if_absent("a", b"")
    store.put_if_absent("b", b"")
    assert len({request.headers["x-amz-meta-swamp-put-id"] for request in proxy.requests}) == 2


def test_a_create_that_loses_looks_whose_record_it_is(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """Every 412 is looked into: two requests."""
    open_s3().put_if_absent("a", b"theirs")
    proxy.forget()
    assert open_s3().put_if_absent("a", b"mine") is False
    assert methods(proxy) == ["PUT", "HEAD"]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (DropRequest(), ["PUT", "PUT"]),
        (DropReply(), ["PUT", "PUT", "HEAD"]),
        (Duplicate("first"), ["PUT"]),
        (Duplicate("second"), ["PUT", "HEAD"]),
        (CONFLICT, ["PUT", "PUT"]),
        (Answer(409), ["PUT", "PUT"]),
        (SLOW_DOWN, ["PUT", "PUT"]),
        (Answer(429), ["PUT", "PUT"]),
        (AnswerAfter(500), ["PUT", "PUT", "HEAD"]),
        (AnswerAfter(502), ["PUT", "PUT", "HEAD"]),
        (AnswerAfter(503), ["PUT", "PUT", "HEAD"]),
        (AnswerAfter(504), ["PUT", "PUT", "HEAD"]),
        (html(502), ["PUT", "PUT"]),
        (html(200), ["PUT", "PUT"]),
        (Answer(200), ["PUT", "PUT"]),
        (AnswerAfter(200), ["PUT", "PUT", "HEAD"]),
        (
            Answer(200, b"<html><body/></html>", (("Content-Type", "text/html"), ("ETag", '"1"'))),
            ["PUT", "PUT"],
        ),
        (Answer(200, b"<Error><Code>InternalError</Code></Error>"), ["PUT", "PUT"]),
        (Answer(412), ["PUT", "HEAD", "PUT"]),
    ],
    ids=str,
)
def test_one_fault_does_not_lose_a_create(
    open_s3: OpenStore, proxy: FaultProxy, bucket: str, s3_server: S3Server, fault: Fault, expected: list[str]
) -> None:
    """Whatever happened to the first request, the create is won, its record stored once, and no request is spare."""
    with proxy.failing("put_if_absent", fault):
        assert open_s3().put_if_absent("a", b"mine") is True
    assert methods(proxy) == expected
    puts = [request for request in proxy.requests if request.method == "PUT"]
    assert len({put.headers["x-amz-meta-swamp-put-id"] for put in puts}) == 1
    assert s3_server.get_object(bucket, "team/a") == b"mine"


@pytest.mark.parametrize(
    "fault",
    [DropReply(), DropRequest(), CONFLICT, AnswerAfter(500), Duplicate("first"), Duplicate("second")],
    ids=str,
)
def test_one_fault_does_not_win_a_create(open_s3: OpenStore, proxy: FaultProxy, fault: Fault) -> None:
    """Another's record is there: the create is lost, whatever happened on the way."""
    open_s3().put_if_absent("a", b"mine")
    with proxy.failing("put_if_absent", fault):
        assert open_s3().put_if_absent("a", b"mine") is False


def test_two_conflicts_with_nothing_stored_are_overcome(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """S3 says 409 also when a delete comes in between: it decided nothing."""
    with proxy.failing("put_if_absent", CONFLICT, CONFLICT):
        assert open_s3().put_if_absent("a", b"mine") is True
    assert methods(proxy) == ["PUT"] * 3


@pytest.mark.parametrize("fault", [CONFLICT, SLOW_DOWN, Answer(429)], ids=str)
def test_what_is_busy_for_ever_stored_nothing(open_s3: OpenStore, proxy: FaultProxy, fault: Fault) -> None:
    """Nothing is in doubt, so the caller is not left in doubt."""
    with proxy.failing("put_if_absent", fault, times=None), pytest.raises(StoreUnavailable):
        open_s3().put_if_absent("a", b"mine")
    assert open_s3().get("a") is None


@pytest.mark.parametrize(
    "fault", [DropReply(), DropRequest(), AnswerAfter(500), html(200), html(503)], ids=str
)
def test_what_is_lost_for_ever_is_not_guessed(open_s3: OpenStore, proxy: FaultProxy, fault: Fault) -> None:
    """Nobody can know whether it landed, and that is what is said."""
    with proxy.failing("put_if_absent", fault, times=None), pytest.raises(OutcomeUnknown) as raised:
        open_s3().put_if_absent("a", b"mine")
    assert raised.value.put_id in {
        request.headers.get("x-amz-meta-swamp-put-id") for request in proxy.requests
    }


@pytest.mark.parametrize(
    "answer", [Answer(501), refusal(501, "NotImplemented"), refusal(400, "NotImplemented")], ids=str
)
def test_a_service_without_conditions_is_refused_at_once(
    open_s3: OpenStore, proxy: FaultProxy, answer: Answer
) -> None:
    """There is no fallback to looking first and writing then."""
    with proxy.failing("put_if_absent", answer), pytest.raises(ConditionalWritesUnsupported):
        open_s3().put_if_absent("a", b"mine")
    assert methods(proxy) == ["PUT"]


def test_a_refusal_is_not_tried_again(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """Denied is denied; nothing was sent before, so nothing is in doubt."""
    with proxy.failing("put_if_absent", refusal(403, "AccessDenied")), pytest.raises(StoreAccessDenied):
        open_s3().put_if_absent("a", b"mine")
    assert methods(proxy) == ["PUT"]


def test_a_refusal_after_a_lost_reply_is_unknown(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """The credentials expired in between; the first request may have landed."""
    faults = (DropReply(), refusal(400, "ExpiredToken"))
    with proxy.failing("put_if_absent", *faults), pytest.raises(OutcomeUnknown) as raised:
        open_s3().put_if_absent("a", b"mine")
    assert isinstance(raised.value.__cause__, StoreAccessDenied)


def test_a_bucket_that_goes_away_is_not_a_lost_create(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """A HEAD says 404 of a missing bucket and of a missing record alike; the next put tells."""
    with proxy.failing("put_if_absent", Answer(412)), pytest.raises(OutcomeUnknown) as raised:
        open_s3(bucket="nobodys-bucket").put_if_absent("a", b"mine")
    assert isinstance(raised.value.__cause__, StoreNotFound)
    assert methods(proxy) == ["PUT", "HEAD", "PUT"]


def test_a_look_whose_record_is_there_that_finds_nothing_decides_nothing(
    open_s3: OpenStore, proxy: FaultProxy
) -> None:
    """The 404 to a HEAD may be a gateway's: the create is sent again, and another's record stays another's."""
    open_s3().put_if_absent("a", b"another's")
    proxy.forget()
    with proxy.failing("put_if_absent", Pass(), Answer(404)):
        assert open_s3().put_if_absent("a", b"mine") is False
    assert methods(proxy) == ["PUT", "HEAD", "PUT", "HEAD"]


def test_a_record_of_another_program_is_another_s(
    open_s3: OpenStore, bucket: str, s3_server: S3Server
) -> None:
    """It has no put-id."""
    s3_server.put_object(bucket, "team/a", b"mine")
    assert open_s3().put_if_absent("a", b"mine") is False
