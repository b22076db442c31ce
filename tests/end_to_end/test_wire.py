"""What an operation and a command cost in a bucket, counted as requests that arrive there.

`test_requests` counts what a store is asked; here a proxy before the service counts what its SDK sends. What a store
sends beside that, once, has a test of its own: the short probe of the first run, where the service is not known to
keep its promises, and a look at a listing, where an answer 404 does not say that it is the object that is missing.
"""

import json
from collections import Counter
from dataclasses import dataclass, replace
from urllib.parse import unquote

import pytest
from swamp_core.app.init import init
from swamp_core.store import open_store
from swamp_core.store.probing import Note, note_key

from tests.end_to_end.conftest import CommandLine
from tests.end_to_end.datastores import PREFIX, BucketPlace
from tests.end_to_end.releases import SHIP, new_release
from tests.servers.faults import Answer, DropReply, DropRequest
from tests.servers.proxy import FaultProxy
from tests.servers.server import Server

CREATE = {"s3": "PUT", "gs": "POST"}
LOOK = {"s3": "HEAD", "gs": "GET"}
OPEN = 6
MANY = (
    "jobs: [{ name: many, steps: ["
    + ", ".join(
        f"{{ name: ask-{number}, task: {{ type: wait_for_signal, timeout: 24h }} }}" for number in range(OPEN)
    )
    + "] }]\n"
)
NO_OBJECT = Answer(
    404,
    json.dumps({"error": {"code": 404, "message": "No such object: some-bucket/some-key"}}).encode(),
    (("Content-Type", "application/json; charset=UTF-8"),),
)
"""As Cloud Storage itself says it; the emulator says the same of a bucket and of an object."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A bucket, and what arrives there."""

    server: Server
    proxy: FaultProxy
    bucket: str

    @property
    def url(self):
        """The setting that names the bucket behind the proxy."""
        return self.server.url(self.bucket, PREFIX, endpoint_url=self.proxy.url)

    @property
    def service(self):
        """How the bucket's service is known to whoever comes through the proxy."""
        return self.proxy.url

    @property
    def note(self):
        """What the first run notes of the service."""
        return Note(self.service, byte_order=True).encode()

    @property
    def create(self):
        """The method of a create."""
        return CREATE[self.server.scheme]

    @property
    def look(self):
        """The method of a look whose record is there."""
        return LOOK[self.server.scheme]

    def sent(self):
        """The method and the verb of each request since the last call, in order."""
        return [(request.method, request.verb) for request in self.requests()]

    def says_what_is_missing(self, request):
        """Let the emulator of Cloud Storage answer as that does for an object that is not there, in any bucket."""
        path = request.path.partition("?")[0].partition("/b/")[2]
        bucket, named, name = path.partition("/o/")
        if self.server.scheme != "gs" or request.method == "POST" or not named:
            return None
        return NO_OBJECT if self.server.get_object(bucket, unquote(name)) is None else None

    def requests(self):
        """The requests since the last call."""
        seen = self.proxy.requests
        self.proxy.forget()
        return seen


@pytest.fixture(params=["s3", "gcs"])
def wire(request, proxy_before):
    server = request.getfixturevalue(f"{request.param}_server")
    wire = Wire(server, proxy_before(server), server.new_bucket())
    with wire.proxy.scripted(wire.says_what_is_missing):
        yield wire


@pytest.fixture
def store(wire, monkeypatch):
    for name, value in wire.server.environ.items():
        monkeypatch.setenv(name, value)
    return open_store(wire.url)


@pytest.fixture
def release(wire, tmp_path):
    return repo_at(wire, tmp_path / "repo")


def repo_at(wire, directory):
    """A repo whose datastore is in the bucket."""
    swamp = CommandLine(directory, BucketPlace(wire.server, wire.bucket), {"SWAMP_DATASTORE": wire.url})
    init(swamp.directory)
    return new_release(swamp)


def test_a_create_that_wins_costs_one_request(wire, store):
    """A create is one conditional put."""
    assert store.put_if_absent("runs/a", b"mine")
    assert wire.sent() == [(wire.create, "put_if_absent")]


def test_a_create_that_loses_costs_two_requests(wire, store):
    """Where a record is there, one request is refused, and one looks whose it is."""
    store.put_if_absent("runs/a", b"another's")
    wire.proxy.forget()
    assert not store.put_if_absent("runs/a", b"mine")
    assert wire.sent() == [(wire.create, "put_if_absent"), (wire.look, "put_if_absent")]


def test_a_create_whose_request_is_lost_costs_two_requests(wire, store):
    """What did not arrive is sent once more, and that is all: nothing was there."""
    with wire.proxy.failing("put_if_absent", DropRequest()):
        assert store.put_if_absent("runs/a", b"mine")
    assert wire.sent() == [(wire.create, "put_if_absent")] * 2


def test_a_create_whose_reply_is_lost_costs_two_requests_and_a_look(wire, store):
    """It is sent twice; the second is refused because of the first, and one request more tells that it was ours."""
    with wire.proxy.failing("put_if_absent", DropReply()):
        assert store.put_if_absent("runs/a", b"mine")
    assert wire.sent() == [(wire.create, "put_if_absent")] * 2 + [(wire.look, "put_if_absent")]


def test_a_read_and_a_delete_cost_one_request_each(wire, store):
    """A record is read with one request, and deleted with one."""
    store.put_if_absent("runs/a", b"mine")
    wire.proxy.forget()
    assert store.get("runs/a") == b"mine"
    assert wire.sent() == [("GET", "get")]
    store.delete("runs/a")
    assert wire.sent() == [("DELETE", "delete")]


def test_the_first_key_of_many_costs_one_request(wire, store):
    """`list(limit=1)` asks for one name, and not again, once a note tells that the service lists in byte order.

    Until there is one, an S3 service with an endpoint of its own costs a listing that is cut the read of the note, and
    the whole listing: it may be in any order.
    """
    for key in ("runs/a", "runs/b", "runs/c"):
        store.put_if_absent(key, b"")
    wire.proxy.forget()
    sorting = [("GET", "get"), ("GET", "list")] if wire.server.scheme == "s3" else []
    assert list(store.list("runs/", limit=1)) == ["runs/a"]
    assert wire.sent() == [("GET", "list"), *sorting]
    store.put_if_absent(note_key(wire.service), wire.note)
    list(store.list("runs/", limit=1))
    wire.proxy.forget()
    assert list(store.list("runs/", limit=1)) == ["runs/a"]
    assert wire.sent() == [("GET", "list")]


def test_a_record_that_is_not_there_costs_one_request(wire, store):
    """To read, and to delete."""
    assert store.get("runs/a") is None
    assert wire.sent() == [("GET", "get")]
    store.delete("runs/a")
    assert wire.sent() == [("DELETE", "delete")]


def test_a_signal_costs_three_requests_at_the_wire(wire, release):
    """A signal from a process that just started costs the registration, the outcome and the mark; nothing is probed."""
    wait_id = release.run()["waits"][0]["waitId"]
    wire.proxy.forget()
    release.signal(wait_id, SHIP)
    assert wire.sent() == [("GET", "get"), (wire.create, "put_if_absent"), ("GET", "get")]


def test_a_signal_whose_reply_is_lost_costs_five_requests(wire, release):
    """It is accepted: the outcome takes two requests and the look that tells that it was ours."""
    wait_id = release.run()["waits"][0]["waitId"]
    wire.proxy.forget()
    with wire.proxy.failing("put_if_absent", DropReply()):
        receipt = release.signal(wait_id, SHIP)["receipt"]
    puts = [(wire.create, "put_if_absent")] * 2 + [(wire.look, "put_if_absent")]
    assert wire.sent() == [("GET", "get"), *puts, ("GET", "get")]
    assert release.signal(wait_id, SHIP, code=3)["details"]["receipt"] == receipt


def test_waits_cost_two_requests_each_and_two_in_all(wire, release):
    """`waits` with W open ones is at most 2W + 2 requests, and the same when runs have finished."""
    release.swamp.write("workflows/many.yaml", MANY)
    release.swamp("workflow", "run", "many")
    costs = []
    for finished in (0, 2):
        for _ in range(finished):
            release.signal(release.run()["waits"][0]["waitId"], SHIP, "--resume")
        wire.proxy.forget()
        assert len(release.swamp.json("workflow", "waits")["waits"]) == OPEN
        costs.append(Counter(wire.sent()))
    assert costs[0] == costs[1] == {("GET", "list"): 2, ("GET", "get"): 2 * OPEN}


def test_only_the_first_run_tries_the_store(wire, tmp_path):
    """A service that is not known to keep its promises is tried by the first run: 160 requests that no other sends.

    They are 73 creates (four times 16 race, and one is too late; four are for the order, one is the note), the looks of
    the 64 of them that lose, 12 reads, 3 listings and 8 deletes.
    """
    counts = []
    for tried in (False, True):
        place = replace(wire, bucket=wire.server.new_bucket())
        if tried:
            wire.server.put_object(place.bucket, f"{PREFIX}/{note_key(wire.service)}", wire.note)
        repo_at(place, tmp_path / place.bucket).run()
        counts.append(Counter(wire.sent()))
    assert counts[0] - counts[1] == Counter(
        {
            (wire.create, "put_if_absent"): 73,
            (wire.look, "put_if_absent"): 64,
            ("GET", "get"): 12,
            ("GET", "list"): 3,
            ("DELETE", "delete"): 8,
        }
    )
    assert counts[1] - counts[0] == Counter()


@pytest.mark.parametrize("of_another", [True, False], ids=["another service's", "unreadable"])
def test_a_note_that_says_nothing_of_this_service_is_not_believed(wire, tmp_path, of_another):
    """A bucket was copied to another service with all that is in it, or its note was spoiled: the next run tries it."""
    elsewhere = "http://elsewhere.example"
    key = note_key(elsewhere if of_another else wire.service)
    data = Note(elsewhere, byte_order=True).encode() if of_another else b"{"
    wire.server.put_object(wire.bucket, f"{PREFIX}/{key}", data)
    release = repo_at(wire, tmp_path / "repo")
    tries = []
    for _ in range(2):
        wire.proxy.forget()
        release.run()
        tries.append(any("race0" in unquote(request.path) for request in wire.requests()))
    assert tries == [True, not of_another]  # What cannot be read cannot be replaced either.


def test_a_resume_tries_a_service_that_the_bucket_was_moved_to(wire, release):
    """The run began on another one, of which the note speaks."""
    ran = release.run()
    wire.server.delete_object(wire.bucket, f"{PREFIX}/{note_key(wire.service)}")
    release.signal(ran["waits"][0]["waitId"], SHIP)
    wire.proxy.forget()
    release.swamp("workflow", "resume", ran["run"]["id"])
    assert any("race0" in unquote(request.path) for request in wire.requests())


def test_a_later_run_reads_the_note(wire, release):
    """That is one request; two in S3, where the first listing that is cut asks whether it is in byte order."""
    release.run()
    wire.proxy.forget()
    release.run()
    notes = [(request.method, request.verb) for request in wire.requests() if "store-probe" in request.path]
    assert notes == [("GET", "get")] * (2 if wire.server.scheme == "s3" else 1)
