"""What a network can do to a store, done to both adapters on the path of their real SDKs, at real servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from network_services import S3, Gcs, Service
from swamp_core.store import (
    ConditionalWritesUnsupported,
    OutcomeUnknown,
    StoreError,
    StoreMisconfigured,
    StoreUnavailable,
)
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.repeating import ATTEMPTS_MAX
from swamp_store_contract.under_test import VERBS, Verb

from tests.servers.faults import (
    Answer,
    AnswerAfter,
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

KEY = "runs/r/holder"
RECORD = b'{"who": "me"}' * 100
CALLS: dict[Verb, Callable[[SignalWaitStore], object]] = {
    "put_if_absent": lambda store: store.put_if_absent(KEY, RECORD),
    "get": lambda store: store.get(KEY),
    "list": lambda store: list(store.list("runs/")),
    "delete": lambda store: store.delete(KEY),
}
BROKEN = [DropRequest(), DropReply(), ResetInBody(), Truncate()]


@pytest.fixture(scope="module", params=["s3", "gcs"])
def running(request: pytest.FixtureRequest) -> Iterator[Service]:
    kind: type[Service] = {"s3": S3, "gcs": Gcs}[request.param]
    with ExitStack() as opened:
        yield kind(request.getfixturevalue(f"{request.param}_server"), opened)


@pytest.fixture
def service(running: Service) -> Service:
    running.renew()
    return running


def test_exists_of_one_s_own_lost_write_is_true(service: Service) -> None:
    """The reply is lost, the second attempt is refused because of the first: two creates and one look, and True."""
    store = service.store()
    with service.proxy.failing("put_if_absent", DropReply()):
        assert store.put_if_absent(KEY, RECORD) is True
    assert len(service.proxy.requests) == 3
    assert service.stored(KEY) == RECORD


def test_exists_of_another_s_write_is_false(service: Service) -> None:
    """The reply is lost, and it was about another's record, of the same bytes."""
    assert service.store(direct=True).put_if_absent(KEY, RECORD) is True
    with service.proxy.failing("put_if_absent", DropReply()):
        assert service.store().put_if_absent(KEY, RECORD) is False


@pytest.mark.parametrize("fault", [Duplicate("second"), Duplicate("first")], ids=repr)
def test_a_request_that_a_hop_doubles_is_won_once(service: Service, fault: Fault) -> None:
    """The very first answer is "exists", and speaks of our own record."""
    with service.proxy.failing("put_if_absent", fault):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert len(service.proxy.requests) <= 2
    assert service.store().put_if_absent(KEY, RECORD) is False
    assert service.stored(KEY) == RECORD


def test_a_conflict_twice_with_nothing_stored_is_tried_again(service: Service) -> None:
    """409 decides nothing, and the third attempt lands."""
    conflict = service.says(409, "ConditionalRequestConflict")
    with service.proxy.failing("put_if_absent", conflict, times=2):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert len(service.proxy.requests) == 3
    assert service.stored(KEY) == RECORD


def test_exists_and_then_nothing_there_is_tried_again(service: Service) -> None:
    """412 of a record that is gone when it is looked at: nobody holds the key, so it is created."""
    with service.proxy.failing("put_if_absent", service.says(412, "PreconditionFailed")):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert [request.verb for request in service.proxy.requests].count("put_if_absent") == 3
    assert service.stored(KEY) == RECORD


def test_exists_for_ever_with_nothing_there_is_not_a_loss(service: Service) -> None:
    """A service that says 412 and has nothing is not believed, whatever time it is given."""
    exists = service.says(412, "PreconditionFailed")
    with (
        service.proxy.failing("put_if_absent", exists, Pass(), times=None),
        pytest.raises(OutcomeUnknown),
    ):
        service.store().put_if_absent(KEY, RECORD)


@pytest.mark.parametrize("look", [html(200), html(502), Answer(200), DropReply(), Answer(500)], ids=repr)
def test_a_look_that_fails_is_no_loss(service: Service, look: Fault) -> None:
    """The read-back after our own lost write is answered by something else: the record stays ours."""
    with service.proxy.failing("put_if_absent", DropReply(), Pass(), look):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert service.stored(KEY) == RECORD


@pytest.mark.parametrize("winner", ["the held one", "another"])
def test_a_write_that_lands_after_its_time_out_makes_no_second_holder(service: Service, winner: str) -> None:
    """We give up on a request, it lands while we wait to try again, and another creates before it or after it."""
    hold, answers, other = Hold(), [], service.store(direct=True)

    def the_other_creates() -> None:
        answers.append(other.put_if_absent(KEY, b"other"))

    def the_held_one_lands() -> None:
        hold.release.set()
        assert hold.landed.wait(10)

    def between() -> None:
        if not answers:
            happenings = [the_held_one_lands, the_other_creates]
            for happens in happenings if winner == "the held one" else reversed(happenings):
                happens()

    store = service.store(read_s=0.2, between=between)
    with service.proxy.failing("put_if_absent", hold):
        ours = store.put_if_absent(KEY, RECORD)
    assert (ours, answers) == ((True, [False]) if winner == "the held one" else (False, [True]))
    assert service.stored(KEY) == (RECORD if ours else b"other")


@pytest.mark.parametrize("winner", ["the held one", "another"])
def test_a_write_that_lands_after_all_patience_makes_no_second_holder(service: Service, winner: str) -> None:
    """The outcome is said to be unknown; the request lands later, before another's create or after it."""
    hold, other = Hold(), service.store(direct=True)
    with service.proxy.failing("put_if_absent", hold), pytest.raises(OutcomeUnknown):
        service.store(read_s=0.2, total_s=0.0).put_if_absent(KEY, RECORD)
    assert service.stored(KEY) is None
    answer = None if winner == "the held one" else other.put_if_absent(KEY, b"other")
    hold.release.set()
    assert hold.landed.wait(10)
    if answer is None:
        answer = other.put_if_absent(KEY, b"other")
    assert answer is (winner == "another")
    assert service.stored(KEY) == (b"other" if answer else RECORD)


def test_a_write_that_lands_after_its_next_attempt_is_refused(service: Service) -> None:
    """The second attempt wins, the first one comes late and changes nothing, and nobody else can win."""
    hold = Hold()
    with service.proxy.failing("put_if_absent", hold):
        assert service.store(read_s=0.2).put_if_absent(KEY, RECORD) is True
    hold.release.set()
    assert hold.landed.wait(10)
    assert service.store(direct=True).put_if_absent(KEY, b"other") is False
    assert service.stored(KEY) == RECORD


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_after_the_write_is_true(service: Service, status: int) -> None:
    """The server stored the record and said that it failed."""
    with service.proxy.failing("put_if_absent", service.says_after(status, "InternalError")):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert service.stored(KEY) == RECORD


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_server_errors_without_end_leave_the_outcome_unknown(service: Service, status: int) -> None:
    """The server stored the record, and all that it ever says is that it failed."""
    fault = service.says_after(status, "InternalError")
    with service.proxy.failing("put_if_absent", fault, times=None), pytest.raises(OutcomeUnknown) as raised:
        service.store().put_if_absent(KEY, RECORD)
    assert raised.value.put_id
    assert service.stored(KEY) == RECORD


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("verb", ["get", "list", "delete"])
def test_a_server_error_is_overcome_by_trying_again(service: Service, verb: Verb, status: int) -> None:
    """What can be repeated is, and the answer is the one without the error."""
    service.put(KEY, RECORD)
    store = service.store()
    fault = service.says_after(status, "InternalError")
    with service.proxy.failing(verb, fault):
        assert CALLS[verb](store) == {"get": RECORD, "list": [KEY], "delete": None}[verb]
    assert [request.verb for request in service.proxy.requests].count(verb) == 2
    assert service.stored(KEY) == (None if verb == "delete" else RECORD)


def test_throttled_once_is_tried_again(service: Service) -> None:
    """429 stored nothing, and the next attempt does."""
    with service.proxy.failing("put_if_absent", service.says(429, "rateLimitExceeded")):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert len(service.proxy.requests) == 2


def test_throttled_for_ever_is_unavailable_and_not_unknown(service: Service) -> None:
    """429 leaves no doubt: nothing is stored."""
    fault = service.says(429, "TooManyRequests")
    with service.proxy.failing("put_if_absent", fault, times=None), pytest.raises(StoreUnavailable) as raised:
        service.store().put_if_absent(KEY, RECORD)
    assert not isinstance(raised.value, OutcomeUnknown)
    assert service.stored(KEY) is None


@pytest.mark.parametrize("verb", ["get", "list", "delete"])
def test_throttled_is_never_an_answer(service: Service, verb: Verb) -> None:
    """429 for ever is `StoreUnavailable` at every verb, and nothing was done."""
    service.put(KEY, RECORD)
    fault = service.says(429, "TooManyRequests")
    with service.proxy.failing(verb, fault, times=None), pytest.raises(StoreUnavailable):
        CALLS[verb](service.store())
    assert service.stored(KEY) == RECORD


@pytest.mark.parametrize("verb", ["get", "list", "delete"])
def test_faults_in_a_row_are_overcome_up_to_a_bound(service: Service, verb: Verb) -> None:
    """Seven requests are lost, and the eighth is answered; when that is lost too, it is given up."""
    service.put(KEY, RECORD)
    with service.proxy.failing(verb, DropRequest(), times=ATTEMPTS_MAX):
        with pytest.raises(StoreUnavailable):
            CALLS[verb](service.store(total_s=30.0))
        assert len(service.proxy.requests) == ATTEMPTS_MAX
    with service.proxy.failing(verb, DropRequest(), times=ATTEMPTS_MAX - 1):
        assert (
            CALLS[verb](service.store(total_s=30.0)) == {"get": RECORD, "list": [KEY], "delete": None}[verb]
        )


@pytest.mark.parametrize("verb", VERBS)
def test_a_service_that_never_answers_is_named(service: Service, verb: Verb) -> None:
    """It takes connections and is silent: after its time-out the error says where nobody answered."""
    hold = Hold()
    with (
        service.proxy.failing(verb, hold, times=None),
        pytest.raises(StoreUnavailable if verb != "put_if_absent" else OutcomeUnknown) as raised,
    ):
        CALLS[verb](service.store(read_s=0.1, total_s=0.0))
    hold.release.set()
    assert f"at {service.proxy.url} did not answer in time" in str(raised.value)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("verb", VERBS)
def test_a_service_that_sends_elsewhere_is_not_followed(service: Service, verb: Verb, status: int) -> None:
    """Neither for ever nor to a page whose 200 looks like an answer: an error that names the setting, nothing done."""
    if verb != "put_if_absent":
        service.put(KEY, RECORD)
    there = Answer(status, headers=(("Location", f"{service.proxy.url}/sign-in"),))

    def elsewhere(request: Request) -> Fault:
        return Answer(200) if request.path == "/sign-in" else there

    with (
        service.proxy.scripted(elsewhere),
        pytest.raises(StoreMisconfigured, match="another address") as raised,
    ):
        CALLS[verb](service.store())
    assert "endpoint_url" in raised.value.hint
    assert len(service.proxy.requests) <= 2
    assert service.stored(KEY) == (None if verb == "put_if_absent" else RECORD)


@pytest.mark.parametrize("fault", BROKEN, ids=repr)
@pytest.mark.parametrize("verb", ["get", "list"])
def test_a_broken_reply_is_whole_or_an_error(service: Service, verb: Verb, fault: Fault) -> None:
    """Once: the whole answer, by trying again, or `StoreUnavailable`. For ever: `StoreUnavailable`. Never a part."""
    service.put(KEY, RECORD)
    with service.proxy.failing(verb, fault):
        try:
            answer = CALLS[verb](service.store())
        except StoreUnavailable:
            answer = "unavailable"
    assert answer in (RECORD if verb == "get" else [KEY], "unavailable")
    with service.proxy.failing(verb, fault, times=None), pytest.raises(StoreUnavailable):
        CALLS[verb](service.store())


@pytest.mark.parametrize("fault", BROKEN, ids=repr)
def test_a_broken_reply_to_a_create_or_delete_changes_no_answer(service: Service, fault: Fault) -> None:
    """Whether the request arrived or not, the create is won once, and the record is gone after the delete."""
    store = service.store()
    with service.proxy.failing("put_if_absent", fault), service.proxy.failing("delete", fault):
        assert store.put_if_absent(KEY, RECORD) is True
        assert service.stored(KEY) == RECORD
        store.delete(KEY)
    assert service.stored(KEY) is None


@pytest.mark.parametrize("status", [200, 502])
@pytest.mark.parametrize("verb", VERBS)
def test_a_web_page_is_never_an_answer(service: Service, verb: Verb, status: int) -> None:
    """A portal answers everything with its page: an error that says so, no record, no listing, nothing deleted."""
    if verb != "put_if_absent":
        service.put(KEY, RECORD)
    with service.proxy.failing(verb, html(status), times=None), pytest.raises(StoreError) as raised:
        CALLS[verb](service.store())
    assert isinstance(raised.value, StoreUnavailable | StoreMisconfigured | OutcomeUnknown)
    assert raised.value.hint.strip()
    assert service.stored(KEY) == (None if verb == "put_if_absent" else RECORD)


@pytest.mark.parametrize("status", [200, 502])
def test_a_web_page_in_place_of_one_reply_to_a_create_proves_nothing(service: Service, status: int) -> None:
    """The portal's 200 is no win: the create goes on until the record is really there."""
    with service.proxy.failing("put_if_absent", html(status)):
        assert service.store().put_if_absent(KEY, RECORD) is True
    assert service.stored(KEY) == RECORD


@pytest.mark.parametrize("status", [200, 502])
@pytest.mark.parametrize("verb", ["get", "list", "delete"])
def test_a_web_page_for_an_absent_record_says_nothing_of_it(
    service: Service, verb: Verb, status: int
) -> None:
    """Nor does a page mean that nothing is there."""
    with service.proxy.failing(verb, html(status), times=None), pytest.raises(StoreError):
        CALLS[verb](service.store())


@pytest.mark.parametrize("status", [501, 400])
def test_a_service_without_conditions_is_refused(service: Service, status: int) -> None:
    """A service that cannot create on condition says so in two ways, and there is no fallback."""
    fault = service.says(status, "NotImplemented")
    with (
        service.proxy.failing("put_if_absent", fault, times=None),
        pytest.raises(ConditionalWritesUnsupported),
    ):
        service.store().put_if_absent(KEY, RECORD)
    assert len(service.proxy.requests) == 1
    assert service.stored(KEY) is None


@pytest.mark.parametrize("fault", [AnswerAfter(500), DropReply(), Truncate()], ids=repr)
def test_a_delete_whose_reply_is_lost_may_be_repeated(service: Service, fault: Fault) -> None:
    """The second delete finds nothing, which is no error."""
    service.put(KEY, RECORD)
    with service.proxy.failing("delete", fault):
        service.store().delete(KEY)
    assert service.stored(KEY) is None
