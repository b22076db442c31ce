"""What the stores in buckets add to the calls of the SDKs that they cannot do without.

On the servers of the tests, where a request takes milliseconds as on a near service, and on one that answers at once,
where what the store does itself shows at its largest. Both sides use the same server in the same run, in turns and with
keys that nobody has used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from unittest.mock import patch

from swamp_core.store import SignalWaitStore, open_store
from swamp_core.store.probing import Note, note_key

from benchmarks.bare import RECORD
from benchmarks.bare_buckets import BareBucket, BareGcs, BareS3
from benchmarks.measuring import Figure, against
from tests.servers.gcs import GCSServer, gcs_serving
from tests.servers.process import serving
from tests.servers.s3 import S3Server, s3_serving
from tests.servers.server import Server

CALLS_OF_A_ROUND = 40
LISTED = 50
THREADS = 32
CALLS_OF_THREADS = 128


@dataclass(frozen=True, slots=True)
class Site:
    """A store and the bare bucket that it is compared with, on one server."""

    name: str
    store: SignalWaitStore
    bare: BareBucket


def figures(directory: Path, rounds: int) -> Iterator[Figure]:
    """Each verb by itself, and creates and reads by many threads at once, in each bucket on each server."""
    for opened in (_s3_sites, _gcs_sites):
        with opened() as sites:
            for site in sites:
                yield from latencies(site, rounds * CALLS_OF_A_ROUND)
                yield from throughputs(site, rounds)


def latencies(site: Site, calls: int) -> Iterator[Figure]:
    """So many calls of each verb, one after the other. What the creates leave is read, and deleted."""
    bare, store = site.bare, site.store
    for number in range(LISTED):
        bare.create(f"listed/{number:04}")

    def verb(
        name: str, measured: Callable[[str], object], call: str, floor: Callable[[str], object]
    ) -> Figure:
        ours, theirs = _numbered("ours"), _numbered("theirs")
        return against(
            f"{site.name}: {name}",
            lambda: measured(next(ours)),
            call,
            lambda: floor(next(theirs)),
            rounds=calls,
        )

    yield verb("put_if_absent", lambda key: _created(store, key), bare.create_call, bare.create)
    yield verb("get", store.get, bare.read_call, bare.read)
    for number in (1, LISTED):
        yield verb(
            f"list of {number}",
            lambda _, number=number: list(store.list("listed/", limit=number)),  # type: ignore[misc]
            bare.list_call,
            lambda _, number=number: bare.names("listed/", number),  # type: ignore[misc]
        )
    yield verb("delete", store.delete, bare.delete_call, bare.delete)


def throughputs(site: Site, rounds: int) -> Iterator[Figure]:
    """What one of many threads' creates takes, and then one of their reads."""
    bare, store = site.bare, site.store
    with ThreadPoolExecutor(THREADS) as pool:

        def by_threads(call: Callable[[str], object], side: str) -> Callable[[], object]:
            keys = _numbered(f"threads-{side}")
            return lambda: list(pool.map(call, [next(keys) for _ in range(CALLS_OF_THREADS)]))

        for name, measured, call, floor in (
            ("put_if_absent", lambda key: _created(store, key), bare.create_call, bare.create),
            ("get", store.get, bare.read_call, bare.read),
        ):
            yield against(
                f"{site.name}: {name}, {THREADS} threads",
                by_threads(measured, "ours"),
                call,
                by_threads(floor, "theirs"),
                rounds=2 * rounds,
                units=CALLS_OF_THREADS,
            )


@contextmanager
def _s3_sites() -> Iterator[list[Site]]:
    with ExitStack() as opened:
        opened.enter_context(patch.dict(os.environ, S3Server.environ))
        servers = {
            "moto": opened.enter_context(s3_serving()),
            "at once": S3Server(opened.enter_context(_instant())),
        }
        yield [_site(f"s3, {name}", server, BareS3) for name, server in servers.items()]


@contextmanager
def _gcs_sites() -> Iterator[list[Site]]:
    with ExitStack() as opened:
        opened.enter_context(patch.dict(os.environ, GCSServer.environ))
        servers = {
            "fake-gcs-server": opened.enter_context(gcs_serving()),
            "at once": GCSServer(opened.enter_context(_instant())),
        }
        yield [_site(f"gcs, {name}", server, BareGcs) for name, server in servers.items()]


def _instant() -> AbstractContextManager[str]:
    return serving(lambda port: [sys.executable, "-m", "benchmarks.instant", str(port)])


def _site(name: str, server: Server, bare: Callable[[str, str], BareBucket]) -> Site:
    bucket = server.new_bucket()
    store = open_store(server.url(bucket))
    service = server.endpoint_url.rstrip("/")
    store.put_if_absent(
        note_key(service), Note(service, byte_order=True).encode()
    )  # As the first run leaves it.
    return Site(name, store, bare(server.endpoint_url, bucket))


def _created(store: SignalWaitStore, key: str) -> None:
    assert store.put_if_absent(key, RECORD)


def _numbered(start: str) -> Iterator[str]:
    return (f"{start}/{number}" for number in count())
