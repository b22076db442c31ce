"""Two thousand operations of several threads, a third of whose requests fail, and the story that they were told."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from threading import Lock

import pytest
from linearizable import Create, Delete, Listed, Read, Told, What, is_linearizable
from network_services import S3, Gcs, Service
from swamp_core.store import StoreError
from swamp_core.store.creating import Owner, Stored
from swamp_core.store.protocol import SignalWaitStore
from swamp_store_contract.under_test import Verb

from tests.servers.faults import (
    AtRandom,
    DropReply,
    DropRequest,
    Duplicate,
    Fault,
    ResetInBody,
    Truncate,
    html,
)

SHARE = 0.3
OPERATIONS = 2000
THREADS = 6
KEPT = [f"kept/{number:02d}/record" for number in range(40)]
"""Created by anybody, and never deleted: one winner, and everything that follows from it."""
CHURNED = [f"churned/{number:02d}" for number in range(12)]
"""Created and deleted by anybody, again and again."""
NEAR = 3
"""How many neighbouring keys the threads are at, at any time, so that they race."""


@dataclass(slots=True)
class Histories:
    """What was told of each key, by one clock for all threads."""

    by_key: dict[str, list[Told]] = field(default_factory=lambda: defaultdict(list))
    outcomes: Counter[str] = field(default_factory=Counter)
    ticks: Iterator[int] = field(default_factory=count)
    lock: Lock = field(default_factory=Lock)

    def tick(self) -> int:
        with self.lock:
            return next(self.ticks)

    def tell(self, began: int, told: dict[str, What]) -> None:
        with self.lock:
            ended = next(self.ticks)
            self.outcomes["told" if told and not _in_doubt(told) else "failed"] += 1
            for key, what in told.items():
                self.by_key[key].append(Told(began, ended, what))

    def stories_that_cannot_be(self) -> list[str]:
        return [key for key, history in sorted(self.by_key.items()) if not is_linearizable(history)]


def faults_of(service: Service) -> dict[Verb, list[Fault]]:
    """What can happen to the requests of each verb; nothing that is said of the record is a lie."""
    lost: list[Fault] = [DropRequest(), DropReply(), ResetInBody(), Truncate(), html(200), html(502)]
    failed: list[Fault] = [service.says(503, "InternalError"), service.says_after(500, "InternalError")]
    busy: list[Fault] = [service.says(429, "SlowDown")]
    doubled: list[Fault] = [Duplicate("first"), Duplicate("second")]
    conflict: list[Fault] = [service.says(409, "ConditionalRequestConflict")]
    return {
        "put_if_absent": [*lost, *failed, *busy, *doubled, *conflict],
        "get": [*lost, *failed, *busy],
        "list": [*lost, *failed, *busy],
        "delete": [*lost, *failed, *busy, *doubled],
    }


def one_operation(store: SignalWaitStore, chance: random.Random, near: int, data: bytes) -> dict[str, What]:
    """Do something with a key that others are at, and say what was told of which keys."""
    kept = chance.random() < 0.6
    key = chance.choice(KEPT[near : near + NEAR] if kept else CHURNED[near % 10 : near % 10 + NEAR])
    verb = chance.choices(["create", "get", "list", "delete"], [5, 4, 1, 0 if kept else 4])[0]
    match verb:
        case "create":
            try:
                return {key: Create(data, store.put_if_absent(key, data))}
            except StoreError:
                return {key: Create(data, None)}
        case "delete":
            try:
                store.delete(key)
            except StoreError:
                return {key: Delete(False)}
            return {key: Delete(True)}
        case "get":
            try:
                return {key: Read(store.get(key))}
            except StoreError:
                return {}
        case _:
            try:
                listed = set(store.list(key.partition("/")[0]))
            except StoreError:
                return {}
            return {each: Listed(each in listed) for each in (KEPT if kept else CHURNED)}


@pytest.fixture(params=["s3", "gcs"])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    kind: type[Service] = {"s3": S3, "gcs": Gcs}[request.param]
    with ExitStack() as opened:
        service = kind(request.getfixturevalue(f"{request.param}_server"), opened)
        service.renew()
        yield service


def histories_of(service: Service, seed: int, operations: int) -> Histories:
    """What the threads are told under faults, and what is there in the end."""
    histories = Histories()
    stores = [service.store(), service.store()]

    def work(thread: int) -> None:
        chance = random.Random(seed * 100 + thread)
        each = operations // THREADS + 1
        for number in range(each):
            near = number * (len(KEPT) - NEAR + 1) // each
            began = histories.tick()
            told = one_operation(stores[thread % 2], chance, near, b"%d/%d" % (thread, number))
            histories.tell(began, told)

    with (
        service.proxy.scripted(AtRandom(seed, SHARE, faults_of(service))),
        ThreadPoolExecutor(THREADS) as pool,
    ):
        list(pool.map(work, range(THREADS)))
    for key in [*KEPT, *CHURNED]:
        began = histories.tick()
        histories.tell(began, {key: Read(service.stored(key))})
    return histories


@pytest.mark.parametrize("seed", [20260727])
def test_under_faults_every_story_is_that_of_one_record(service: Service, seed: int) -> None:
    """Every verb, by several threads at once: one winner a key, nothing read that was not written, nothing lost."""
    histories = histories_of(service, seed, OPERATIONS)
    assert histories.stories_that_cannot_be() == [], f"seed {seed}"
    assert histories.outcomes["told"] > 0.8 * OPERATIONS, f"{histories.outcomes}, seed {seed}"


@pytest.mark.parametrize(
    "believed",
    [
        lambda put_id, stored: Owner.NOBODYS if stored is None else Owner.ANOTHERS,
        lambda put_id, stored: Owner.NOBODYS if stored is None else Owner.OURS,
    ],
    ids=["every exists is a loss", "every exists is a win"],
)
def test_a_store_that_guesses_is_found_out(
    service: Service, monkeypatch: pytest.MonkeyPatch, believed: Callable[[str, Stored | None], Owner]
) -> None:
    """The same run, with a create that does not look whose record is there, tells a story that cannot be."""
    monkeypatch.setattr("swamp_core.store.creating.whose_record", believed)
    assert histories_of(service, 1, 400).stories_that_cannot_be()


def _in_doubt(told: dict[str, What]) -> bool:
    return any(
        what in (Delete(False),) or (isinstance(what, Create) and what.won is None) for what in told.values()
    )
