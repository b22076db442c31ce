"""Each fault does to a request what it says, and only to the requests that it is meant for."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

import pytest
from swamp_store_contract.under_test import Verb

from tests.servers.faults import (
    Answer,
    AnswerAfter,
    AtRandom,
    DropReply,
    DropRequest,
    Duplicate,
    Fault,
    Hold,
    Pass,
    Request,
    ResetInBody,
    Truncate,
    html,
)
from tests.servers.proxy import FaultProxy
from tests.servers.wire import Reply, exchange

VERBS: dict[str, Verb] = {"PUT": "put_if_absent", "GET": "get", "DELETE": "delete"}


class Upstream(ThreadingHTTPServer):
    """Writes down each request that reaches it, and answers with their number; a second PUT is refused."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), UpstreamHandler)
        self.seen: list[tuple[str, str, bytes, str]] = []
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class UpstreamHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.server.lock:
            self.server.seen.append((self.command, self.path, body, self.headers["Host"]))
            number = len(self.server.seen)
        answer = f"reply number {number}".encode()
        self.send_response(412 if self.command == "PUT" and number > 1 else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.send_header("X-Number", str(number))
        self.send_header("Location", f"{self.server.url}/next")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_GET = do_PUT = do_DELETE = do_HEAD = serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(upstream: Upstream) -> Iterator[FaultProxy]:
    with FaultProxy(upstream.url, lambda method, path: VERBS.get(method)) as proxy:
        yield proxy


def ask(proxy: FaultProxy, method: str = "GET", path: str = "/b/k?x=1", body: bytes = b"") -> Reply:
    return exchange(proxy.address, method, path, body)


def test_without_a_fault_everything_passes_as_it_is(proxy: FaultProxy, upstream: Upstream) -> None:
    """Method, path, query, body and Host reach the server, and its reply comes back."""
    reply = ask(proxy, "PUT", "/b/a%20b?x=%2F", b"data")
    assert upstream.seen == [("PUT", "/b/a%20b?x=%2F", b"data", proxy.address)]
    assert (reply.status, reply.body) == (200, b"reply number 1")
    assert dict(reply.headers)["X-Number"] == "1"
    assert [(seen.verb, seen.method, seen.path) for seen in proxy.requests] == [
        ("put_if_absent", "PUT", "/b/a%20b?x=%2F")
    ]


def test_what_continues_elsewhere_continues_through_the_proxy(proxy: FaultProxy) -> None:
    """A Location on the server is one on the proxy."""
    assert dict(ask(proxy).headers)["Location"] == f"{proxy.url}/next"


def test_a_reply_to_head_keeps_its_length_and_has_no_body(proxy: FaultProxy) -> None:
    """The length in a reply to HEAD speaks of the object."""
    reply = ask(proxy, "HEAD")
    assert (dict(reply.headers)["Content-Length"], reply.body) == ("14", b"")


def test_a_body_in_chunks_arrives_whole(proxy: FaultProxy, upstream: Upstream) -> None:
    """The server gets the length of what the client sent in pieces."""
    with closing(http.client.HTTPConnection(proxy.address)) as connection:
        connection.request("PUT", "/b/k", iter([b"da", b"ta"]), encode_chunked=True)
        assert connection.getresponse().read() == b"reply number 1"
    assert upstream.seen[0][2] == b"data"


def test_a_client_that_waits_for_permission_to_send_gets_it(proxy: FaultProxy, upstream: Upstream) -> None:
    """`Expect: 100-continue` is answered before the body is there, and is not passed on."""
    with closing(http.client.HTTPConnection(proxy.address)) as connection:
        connection.request("PUT", "/b/k", b"data", {"Expect": "100-continue"})
        assert connection.getresponse().read() == b"reply number 1"
    assert upstream.seen[0][2] == b"data"


def test_a_client_may_keep_its_connection(proxy: FaultProxy) -> None:
    """Many requests go over one connection, as to a real service."""
    with closing(http.client.HTTPConnection(proxy.address)) as connection:
        connection.connect()
        socket = connection.sock
        for number in (1, 2):
            connection.request("GET", "/b/k")
            assert connection.getresponse().read() == b"reply number %d" % number
        assert connection.sock is socket


@pytest.mark.parametrize(
    ("fault", "forwarded", "status"),
    [
        (Answer(503), 0, 503),
        (AnswerAfter(503), 1, 503),
        (html(200), 0, 200),
        (Duplicate("first"), 2, 200),
        (Duplicate("second"), 2, 412),
    ],
    ids=repr,
)
def test_an_answer_of_another(
    proxy: FaultProxy, upstream: Upstream, fault: Fault, forwarded: int, status: int
) -> None:
    """What the client is told, and how often the server was asked, are as the fault says."""
    with proxy.failing("put_if_absent", fault):
        assert ask(proxy, "PUT", body=b"data").status == status
    assert [body for _, _, body, _ in upstream.seen] == [b"data"] * forwarded
    assert len(proxy.requests) == 1


@pytest.mark.parametrize(("fault", "forwarded"), [(DropRequest(), 0), (DropReply(), 1), (ResetInBody(), 1)])
def test_a_reset(proxy: FaultProxy, upstream: Upstream, fault: Fault, forwarded: int) -> None:
    """The client sees a reset, not an end, whether the server was asked or not."""
    with proxy.failing("get", fault), pytest.raises(ConnectionResetError):
        ask(proxy)
    assert len(upstream.seen) == forwarded
    assert ask(proxy).status == 200


def test_a_truncated_reply_ends_before_its_length(proxy: FaultProxy) -> None:
    """The head promises more bytes than come."""
    with proxy.failing("get", Truncate()), pytest.raises(http.client.IncompleteRead) as raised:
        ask(proxy)
    assert raised.value.partial == b"reply n"


def test_a_body_that_somebody_else_sends(proxy: FaultProxy) -> None:
    """An answer has the headers and the body that it is given."""
    with proxy.failing("get", Answer(429, b"slower", (("Retry-After", "1"),))):
        reply = ask(proxy)
    assert (reply.status, reply.body, dict(reply.headers)["Retry-After"]) == (429, b"slower", "1")


def test_a_held_request_is_carried_out_when_it_is_let_go(proxy: FaultProxy, upstream: Upstream) -> None:
    """The client gives up; nothing has happened by then, and it happens later."""
    hold = Hold()
    with proxy.failing("put_if_absent", hold):
        connection = http.client.HTTPConnection(proxy.address, timeout=0.05)
        with closing(connection):
            connection.request("PUT", "/b/k", b"late")
            with pytest.raises(TimeoutError):
                connection.getresponse()
    assert hold.arrived.is_set()
    assert upstream.seen == []
    hold.release.set()
    assert hold.landed.wait(10)
    assert upstream.seen[0][2] == b"late"


def test_a_held_request_that_nobody_lets_go_is_dropped_at_the_end(upstream: Upstream) -> None:
    """A test that forgot it does not hang, and the server never sees it."""

    def given_up() -> None:
        with pytest.raises(ConnectionError):
            ask(proxy)

    with FaultProxy(upstream.url, lambda method, path: "get") as proxy, proxy.failing("get", hold := Hold()):
        client = Thread(target=given_up)
        client.start()
        assert hold.arrived.wait(10)
    client.join()
    assert upstream.seen == []


def test_faults_are_met_in_turn_and_by_their_verb_only(proxy: FaultProxy) -> None:
    """A sequence is played once, as often as it is asked for, to the requests of its verb."""
    with proxy.failing("get", Answer(500), Pass(), Answer(503), times=2):
        assert ask(proxy, "DELETE").status == 200
        assert [ask(proxy).status for _ in range(7)] == [500, 200, 503, 500, 200, 503, 200]


def test_a_fault_for_ever_ends_with_its_context(proxy: FaultProxy) -> None:
    """Without a number each request fails, and none afterwards."""
    with proxy.failing("get", Answer(500), times=None):
        assert [ask(proxy).status for _ in range(3)] == [500] * 3
    assert ask(proxy).status == 200


def test_what_was_left_of_a_fault_is_gone_with_its_context(proxy: FaultProxy) -> None:
    """A fault that nobody met does not wait for the next test."""
    with proxy.failing("get", Answer(500), times=3):
        ask(proxy)
    assert ask(proxy).status == 200


def test_many_threads_are_served_at_once_and_counted(proxy: FaultProxy, upstream: Upstream) -> None:
    """Every request is counted, and each scripted fault is met by exactly one of them."""
    with proxy.failing("get", Answer(500), times=10), ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda _: ask(proxy).status, range(64)))
    assert statuses.count(500) == 10
    assert (len(proxy.requests), len(upstream.seen)) == (64, 54)
    proxy.forget()
    assert proxy.requests == ()


def test_a_server_that_is_gone_is_a_connection_that_breaks() -> None:
    """The proxy answers nothing in place of a server that it cannot reach."""
    with Upstream() as server:
        url = server.url
    with FaultProxy(url, lambda method, path: "get") as proxy, pytest.raises(ConnectionError):
        ask(proxy)


def test_a_mistake_in_a_script_is_not_swallowed(upstream: Upstream) -> None:
    """An error of the test's own script comes out when the proxy closes."""

    def script(request: Request) -> Fault | None:
        raise ValueError(request.path)

    with (
        pytest.raises(ExceptionGroup, match="the proxy failed by itself"),
        FaultProxy(upstream.url, lambda method, path: "get") as proxy,
        proxy.scripted(script),
        pytest.raises((ConnectionError, http.client.HTTPException)),
    ):
        ask(proxy)


def test_chance_is_a_matter_of_the_seed() -> None:
    """The same seed and the same order give the same faults, about as many as asked for."""
    faults: dict[Verb, list[Fault]] = {"get": [DropReply(), DropRequest()]}
    request = Request("get", "GET", "/b/k", {})
    first, second = (
        [script(request) for _ in range(2000)]
        for script in (AtRandom(7, 0.3, faults), AtRandom(7, 0.3, faults))
    )
    assert first == second
    assert 500 < sum(fault is not None for fault in first) < 700
    assert AtRandom(7, 1.0, faults)(Request(None, "PUT", "/b", {})) is None
