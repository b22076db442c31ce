"""Every line of the table, through the SDK where the wire can show it: one clear sentence, no SDK's exception."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http.client import IncompleteRead
from ssl import SSLCertVerificationError

import pytest
from gcs_site import Site
from google.auth.exceptions import GoogleAuthError
from requests import exceptions as http
from swamp_core.store import (
    CheckedStore,
    ConditionalWritesUnsupported,
    OutcomeUnknown,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)
from swamp_store_gcs.errors import ANSWERS, FAILURES, meaning_of
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, SSLError

from tests.servers.faults import Answer, DropRequest, Fault, Hold, Truncate, html

CALLS: dict[str, Callable[[CheckedStore], object]] = {
    "put_if_absent": lambda store: store.put_if_absent("new", b"new"),
    "get": lambda store: store.get("there"),
    "list": lambda store: list(store.list("")),
    "delete": lambda store: store.delete("there"),
}


def answer(status: int, words: str) -> Answer:
    return Answer(
        status, f'{{"error": {{"message": "{words}"}}}}'.encode(), (("Content-Type", "application/json"),)
    )


@dataclass(frozen=True)
class Case:
    """What happens on the way each time, what each verb raises, and what its message says."""

    name: str
    fault: Fault
    error: type[StoreError]
    says: str
    create: type[StoreError] | None = None
    """What a create raises when it is another error: where its record may have landed."""


MAY_HAVE_LANDED = OutcomeUnknown
CASES = [
    Case("throttled", answer(429, "slow down"), StoreUnavailable, "one object takes one write a second"),
    Case("page 502", html(502), StoreUnavailable, "A web page came back", MAY_HAVE_LANDED),
    Case("page 403", html(403), StoreMisconfigured, "A web page came back"),
    Case("page 404", html(404), StoreMisconfigured, "Look for a proxy or a sign-in page"),
    Case("empty 404", Answer(404), StoreUnavailable, "not one of Cloud Storage", MAY_HAVE_LANDED),
    Case("no route", Answer(404, b"404 page not found\n"), StoreUnavailable, "not one of", MAY_HAVE_LANDED),
    Case("gateway 404", Answer(404, b'{"message": "?"}'), StoreUnavailable, "not one of", MAY_HAVE_LANDED),
    Case("no way", Answer(404, b'{"error": "not found"}'), StoreUnavailable, "not one of", MAY_HAVE_LANDED),
    Case("not found", Answer(404, b"Not Found\n"), StoreUnavailable, "not one of", MAY_HAVE_LANDED),
    Case("page 200", html(200), StoreUnavailable, "not one of Cloud Storage", MAY_HAVE_LANDED),
    Case("not json", Answer(200, b"fine"), StoreUnavailable, "not one of Cloud Storage", MAY_HAVE_LANDED),
    Case(
        "requester pays", answer(400, "Bucket is requester pays bucket"), StoreMisconfigured, "as `project`"
    ),
    Case(
        "damaged", answer(400, "Provided CRC32C does not match"), StoreUnavailable, "was damaged on its way"
    ),
    Case("quota", answer(403, "rateLimitExceeded"), StoreUnavailable, "A quota of the project is used up"),
    Case("billing", answer(403, "The billing account is disabled"), StoreAccessDenied, "Enable billing"),
    Case(
        "billed project",
        answer(403, "lacks serviceusage.services.use"),
        StoreAccessDenied,
        "may not bill the project",
    ),
    Case("no API", answer(403, "accessNotConfigured"), StoreAccessDenied, "gcloud services enable"),
    Case("retention", answer(403, "under the bucket's retention policy"), StoreAccessDenied, "go yet"),
    Case("perimeter", answer(403, "vpcServiceControls"), StoreAccessDenied, "VPC Service Controls"),
    Case("denied", answer(403, "no"), StoreAccessDenied, "lack the permission storage.objects."),
    Case("proxy's credentials", Answer(407), StoreMisconfigured, "HTTPS_PROXY"),
    Case("slow request", Answer(408), StoreUnavailable, "too long to arrive", MAY_HAVE_LANDED),
    Case("conflict", answer(409, "conflict"), StoreUnavailable, "busy with the same object"),
    Case("failed", answer(500, "Backend Error"), StoreUnavailable, "Cloud Storage failed", MAY_HAVE_LANDED),
    Case("unavailable", answer(503, "Backend Error"), StoreUnavailable, "(status 503)", MAY_HAVE_LANDED),
    Case(
        "refused", answer(400, "Invalid bucket name"), StoreMisconfigured, "refused the request (status 400)"
    ),
    Case("no bucket", answer(404, "The specified bucket does not exist."), StoreNotFound, "no such bucket"),
    Case("no credentials", Answer(401), StoreAccessDenied, "with http:// none are sent"),
    Case("reset", DropRequest(), StoreUnavailable, "The connection broke", MAY_HAVE_LANDED),
    Case("truncated", Truncate(), StoreUnavailable, "The connection broke", MAY_HAVE_LANDED),
]


NO_CONDITIONS = [answer(501, "Not Implemented"), answer(400, "NotImplemented")]


@pytest.mark.parametrize("fault", NO_CONDITIONS, ids=["501", "400"])
def test_a_service_that_refuses_the_condition_can_hold_no_store(
    site: Site, store: CheckedStore, fault: Answer
) -> None:
    """There is no other way to create: a create says so, and a read is not concerned."""
    with site.proxy.failing("put_if_absent", fault), pytest.raises(ConditionalWritesUnsupported):
        store.put_if_absent("new", b"new")
    with site.proxy.failing("get", fault, times=None), pytest.raises(StoreError) as raised:
        store.get("there")
    assert not isinstance(raised.value, ConditionalWritesUnsupported)


@pytest.mark.parametrize("verb", CALLS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_lasts_has_its_type_and_says_what_to_do(
    site: Site, store: CheckedStore, case: Case, verb: str
) -> None:
    """It is no answer, and an SDK's exception is its cause, not itself."""
    site.put("there", b"there")
    with site.proxy.failing(verb, case.fault, times=None), pytest.raises(StoreError) as raised:
        CALLS[verb](store)
    expected = case.create if verb == "put_if_absent" and case.create else case.error
    assert type(raised.value) is expected
    if expected is case.error:
        assert case.says in str(raised.value)
        assert raised.value.__cause__ is not None
    assert raised.value.hint.strip()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("verb", CALLS)
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.error is StoreUnavailable], ids=lambda case: case.name
)
def test_what_passes_is_overcome(site: Site, store: CheckedStore, case: Case, verb: str) -> None:
    """A request that failed once is sent again, and the answer is as if it had not."""
    site.put("there", b"there")
    with site.proxy.failing(verb, case.fault):
        told = CALLS[verb](store)
    assert told == {"put_if_absent": True, "get": b"there", "list": ["there"], "delete": None}[verb]


@pytest.mark.parametrize(
    ("verb", "action"), [("put_if_absent", "create"), ("get", "get"), ("list", "list"), ("delete", "delete")]
)
def test_a_denial_names_the_permission(site: Site, store: CheckedStore, verb: str, action: str) -> None:
    """The one that the service names, else the one that the verb needs."""
    with site.proxy.failing(verb, Answer(403)), pytest.raises(StoreAccessDenied) as raised:
        CALLS[verb](store)
    assert f"Grant storage.objects.{action} on the bucket" in str(raised.value)
    assert raised.value.is_answer
    named = answer(403, "x does not have storage.buckets.frob access")
    with site.proxy.failing(verb, named), pytest.raises(StoreAccessDenied, match=r"storage\.buckets\.frob"):
        CALLS[verb](store)


def test_a_record_whose_checksum_differs_is_not_given(site: Site, store: CheckedStore) -> None:
    """Never part of a record, and never another's bytes."""
    headers = (("X-Goog-Generation", "1"), ("X-Goog-Hash", "crc32c=AAAAAA=="))
    damaged = Answer(200, b"there!", headers)
    with (
        site.proxy.failing("get", damaged, times=None),
        pytest.raises(StoreUnavailable, match="another checksum"),
    ):
        store.get("there")
    without = Answer(200, b"there!", headers[:1])
    with site.proxy.failing("get", without, times=None), pytest.raises(StoreUnavailable, match="not one of"):
        store.get("there")


def test_a_listing_that_does_not_say_that_it_is_one_is_not_empty(site: Site, store: CheckedStore) -> None:
    """`{}` may be anybody's answer."""
    with site.proxy.failing("list", Answer(200, b"{}"), times=None), pytest.raises(StoreUnavailable):
        list(store.list(""))


def test_an_empty_200_deletes_nothing(site: Site, store: CheckedStore) -> None:
    """Cloud Storage confirms a delete with 204; whoever answers everything with nothing is somebody else."""
    with site.proxy.failing("delete", Answer(200), times=None), pytest.raises(StoreUnavailable):
        store.delete("there")
    site.put("there", b"there")
    with site.proxy.failing("delete", Answer(200)):
        store.delete("there")
    assert store.get("there") is None


def test_a_listing_that_goes_round_in_circles_ends(site: Site, store: CheckedStore) -> None:
    """A service that gives the same place to go on from twice would be asked for ever."""
    again = Answer(200, b'{"kind": "storage#objects", "nextPageToken": "again"}')
    with site.proxy.failing("list", again, times=None), pytest.raises(StoreUnavailable, match="not one of"):
        list(store.list(""))


def test_a_412_on_a_read_is_no_answer(site: Site, store: CheckedStore) -> None:
    """Only a create has a condition; whoever says that one failed elsewhere is not understood."""
    for verb in ("get", "list", "delete"):
        with site.proxy.failing(verb, Answer(412)), pytest.raises(StoreMisconfigured, match="status 412"):
            CALLS[verb](store)


def test_a_delete_whose_repetition_finds_nothing_is_done(site: Site, store: CheckedStore) -> None:
    """The first one may have landed although its reply was lost."""
    missing = answer(404, "No such object: bucket/team/there")
    with site.proxy.failing("delete", Answer(503), missing):
        store.delete("there")
    assert site.methods() == ["DELETE", "DELETE"]


def test_a_server_that_does_not_answer_is_given_up_within_the_time_out(site: Site) -> None:
    """A read says that it failed; a create says that it does not know."""
    store = site.open(read_s=0.05)
    with site.proxy.failing("get", Hold(), times=None), pytest.raises(StoreUnavailable, match="in time"):
        store.get("there")
    with site.proxy.failing("put_if_absent", Hold(), times=None), pytest.raises(OutcomeUnknown):
        store.put_if_absent("new", b"")


def certificate_not_trusted() -> Exception:
    error = SSLError(SSLCertVerificationError("self-signed certificate"))
    return http.SSLError(MaxRetryError(None, "/", error))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "expected", "says"),
    [
        (certificate_not_trusted(), StoreMisconfigured, "certificate of the service is not trusted"),
        (http.ConnectTimeout("x"), StoreUnavailable, "connection in time"),
        (ConnectTimeoutError("x"), StoreUnavailable, "connection in time"),
        (http.ProxyError("x"), StoreUnavailable, "HTTP proxy of the environment"),
        (http.InvalidURL("x"), StoreMisconfigured, "is no URL"),
        (GoogleAuthError("x"), StoreAccessDenied, "credentials cannot be used"),
        (HTTPError("x"), StoreUnavailable, "The connection broke"),
        (IncompleteRead(b""), StoreUnavailable, "The connection broke"),
        (OSError("x"), StoreUnavailable, "The connection broke"),
        (RuntimeError("anything else"), StoreUnavailable, "not one of Cloud Storage"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_what_the_wire_cannot_show_has_its_line_too(
    error: Exception, expected: type[StoreError], says: str
) -> None:
    """The table is asked directly."""
    meaning = meaning_of(error, "get")
    assert meaning.error is expected
    assert says in meaning.detail


def test_every_line_about_an_answer_is_met_by_a_case() -> None:
    """A line that no answer reaches stands behind one that takes its place, or is not needed."""
    faults = [case.fault for case in CASES] + NO_CONDITIONS
    met = {_line_of(fault) for fault in faults if isinstance(fault, Answer)}
    assert met >= set(range(len(ANSWERS)))


def _line_of(answer: Answer) -> int | None:
    words = answer.body.decode()
    lines = (
        number
        for number, (statuses, pattern, _) in enumerate(ANSWERS)
        if answer.status in statuses and re.search(pattern, words)
    )
    return next(lines, None)


def test_every_line_of_the_table_says_what_happened_in_its_own_words() -> None:
    """A line that repeats another's words for another error would mislead."""
    told: dict[str, type[StoreError]] = {}
    for meaning in [meaning for *_, meaning in ANSWERS] + [meaning for _, meaning in FAILURES]:
        if not meaning.detail.startswith("A web page"):
            assert told.setdefault(meaning.detail, meaning.error) is meaning.error
        assert not meaning.detail.endswith(".")
        assert (meaning.hint or "x.").endswith(".")
