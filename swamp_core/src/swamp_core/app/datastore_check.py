"""The doctor of a datastore: whether the store that is configured keeps every promise, tried on the store itself.

All of it happens below a prefix that is thrown away. What was skipped, because something that it depends on failed,
is said to be skipped, never to be in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from statistics import median

from swamp_core.ambient import Clock, monotonic_s
from swamp_core.app.datastore_views import CheckView, DatastoreCheck
from swamp_core.app.proving import new_trial
from swamp_core.app.workspace import Workspace
from swamp_core.store.errors import StoreAccessDenied, StoreError
from swamp_core.store.fan_out import fan_out
from swamp_core.store.keys import KEY_BYTES_MAX, SEGMENT_BYTES_MAX
from swamp_core.store.probing import (
    WRITERS,
    Trial,
    check_racing_creates,
    check_second_create,
    cleaned_up,
    delete_below,
    lists_in_byte_order,
    server_now,
)
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.registry import describe

SKEW_MAX = timedelta(seconds=30)
"""More than this between the service's clock and ours, and deadlines and leases are far from what they say."""
ROUNDS = 5
ACCEPTED = "The service accepts the credentials."
LISTED = 20


class Failed(Exception):
    """What a check found to be wrong, and what to do, as sentences."""


@dataclass(frozen=True, slots=True)
class Patient:
    """The store under examination: a prefix of its own, and whether its service is known to keep its promises."""

    store: SignalWaitStore
    prefix: str
    clock: Clock
    is_proven: bool


@dataclass(frozen=True, slots=True)
class Check:
    """One promise; `examine` says what it found, or raises `Failed` or a `StoreError`."""

    name: str
    examine: Callable[[Patient], str]


def check_datastore(workspace: Workspace, trying: Callable[[Trial], None] = lambda _: None) -> DatastoreCheck:
    """Examine the store in use; nothing of it stays, and `trying` hears of it before it begins.

    Raises `StoreMisconfigured` when the store cannot even be opened.
    """
    description = describe(workspace.chosen.setting)
    try:
        trial = new_trial(workspace)
    except StoreAccessDenied as error:  # An SDK may look for credentials before it asks anything.
        return DatastoreCheck(store=description.store, checks=_unopened(error), ok=False)
    trying(trial)
    patient = Patient(trial, trial.prefix, workspace.ambient.clock, is_proven=description.is_proven)
    with cleaned_up(trial):
        checks = list(_examined(patient))
        if any(check.ok for check in checks if check.name == CREATE.name):
            checks.append(_carried_out(Check("clean-up", _clean_up), patient))
    return DatastoreCheck(store=description.store, checks=checks, ok=all(check.ok for check in checks))


def _unopened(error: StoreError) -> list[CheckView]:
    (reachable,), *others = STAGES
    told = CheckView(name=reachable.name, ok=False, detail=_reason(error), seconds=0)
    return [told, *(_skipped(check, [reachable.name]) for stage in others for check in stage)]


def _examined(patient: Patient) -> Iterator[CheckView]:
    """Each check in its turn; a stage is skipped unless all before it passed."""
    failed: list[str] = []
    for stage in STAGES:
        if failed:
            yield from (_skipped(check, failed) for check in stage)
        else:
            done = [_carried_out(check, patient) for check in stage]
            yield from done
            failed = [check.name for check in done if not check.ok]


def _carried_out(check: Check, patient: Patient) -> CheckView:
    began_s = monotonic_s()
    try:
        detail, ok = check.examine(patient), True
    except Failed as error:
        detail, ok = str(error), False
    except StoreError as error:
        detail, ok = _reason(error), False
    return CheckView(name=check.name, ok=ok, detail=detail, seconds=round(monotonic_s() - began_s, 3))


def _reason(error: StoreError) -> str:
    """What went wrong, without the key: it names a record that only this examination knows."""
    return f"{error.detail}. {error.hint}"


def _skipped(check: Check, failed: list[str]) -> CheckView:
    names = " and ".join(f"`{name}`" for name in failed)
    detail = f"Skipped, because {names} failed."
    return CheckView(name=check.name, ok=False, skipped=True, detail=detail, seconds=0)


def _reachable(patient: Patient) -> str:
    try:
        patient.store.get(f"{patient.prefix}absent")
    except StoreAccessDenied as error:
        if not error.is_answer:
            raise
        return "The service answers."  # What it refuses is told below.
    return "The service answers, and the bucket or directory is there."


def _credentials(patient: Patient) -> str:
    store, key = patient.store, f"{patient.prefix}credentials"
    asks: tuple[Callable[[], object], ...] = (
        lambda: store.get(key),
        lambda: list(store.list(patient.prefix, limit=1)),
    )
    for ask in asks:
        with suppress(StoreAccessDenied):
            ask()
            return ACCEPTED
    store.put_if_absent(key, b"")  # Denied too: they are good for nothing. Else what is denied is told below.
    return ACCEPTED


def _create(patient: Patient) -> str:
    if not patient.store.put_if_absent(f"{patient.prefix}right", b"right"):
        raise Failed("A create of a key that nobody else knows was told that another has it.")
    return "Records may be created."


def _read(patient: Patient) -> str:
    patient.store.get(f"{patient.prefix}right")
    return "Records may be read."


def _list(patient: Patient) -> str:
    list(patient.store.list(patient.prefix, limit=1))
    return "Records may be listed."


def _delete(patient: Patient) -> str:
    patient.store.delete(f"{patient.prefix}right")
    return "Records may be deleted."


def _second_create(patient: Patient) -> str:
    key = f"{patient.prefix}second"
    if not patient.store.put_if_absent(key, b"first"):
        raise Failed("The first create of a key was told that another has it.")
    check_second_create(patient.store, key)
    return "A second create of the same key is refused, and changes nothing."


def _racing_creates(patient: Patient) -> str:
    for number in range(ROUNDS):
        check_racing_creates(patient.store, f"{patient.prefix}race{number}")
    return f"Of {WRITERS} creates that race for one key, exactly one wins ({ROUNDS} rounds)."


def _list_after_create(patient: Patient) -> str:
    for number in range(ROUNDS):
        key = f"{patient.prefix}listed/{number}"
        patient.store.put_if_absent(key, b"")
        if key not in list(patient.store.list(f"{patient.prefix}listed/")):
            raise Failed(
                "A record was not listed right after its create: listings of this service come too late."
            )
    return "A record is listed as soon as it is created."


def _list_after_delete(patient: Patient) -> str:
    for number in range(ROUNDS):
        key = f"{patient.prefix}deleted/{number}"
        patient.store.put_if_absent(key, b"")
        patient.store.delete(key)
        if list(patient.store.list(f"{patient.prefix}deleted/")) or patient.store.get(key) is not None:
            raise Failed("A record was still there right after its delete: the service answers from a cache.")
    return "A record is gone from listings and reads as soon as it is deleted."


def _byte_order(patient: Patient) -> str:
    if lists_in_byte_order(patient.store, patient.prefix):
        return "Listings come in byte order."
    if patient.is_proven:
        raise Failed("Listings do not come in byte order, which is a fault of the store's adapter.")
    return (
        "The service lists folder by folder. The first run notes it, and Swamp sorts listings itself there."
    )


def _odd_keys(patient: Patient) -> str:
    keys = {
        patient.prefix + tail for tail in ("odd/.hidden", "odd/-", "odd/_.-", "odd/a", "odd/a/b", "odd/a.b-c")
    }
    keys.add(f"{patient.prefix}odd/{'x' * SEGMENT_BYTES_MAX}")
    longest = f"{patient.prefix}odd"
    while len(longest) < KEY_BYTES_MAX - 1:
        longest += "/" + "y" * min(SEGMENT_BYTES_MAX, KEY_BYTES_MAX - len(longest) - 1)
    keys.add(longest)
    fan_out(lambda key: patient.store.put_if_absent(key, key.encode()), sorted(keys))
    wrong = [key for key in sorted(keys) if patient.store.get(key) != key.encode()]
    if wrong or set(patient.store.list(f"{patient.prefix}odd")) != keys:
        raise Failed(f"A legal key is not kept as it is: {(wrong or sorted(keys))[0]}")
    return f"Keys of up to {KEY_BYTES_MAX} bytes and odd names are kept as they are."


def _read_back(patient: Patient) -> str:
    for number, data in enumerate((b"", bytes(range(256)) * 256, b"\r\n\x00\xff" * (1 << 18))):
        key = f"{patient.prefix}whole/{number}"
        patient.store.put_if_absent(key, data)
        if patient.store.get(key) != data:
            raise Failed(f"A record of {len(data)} bytes came back as something else than was stored.")
    return "Records of 0 bytes to 1 MiB come back as they were stored."


def _latency(patient: Patient) -> str:
    store, keys = patient.store, [f"{patient.prefix}timed/{number}" for number in range(ROUNDS)]
    timed: dict[str, Callable[[str], object]] = {
        "create": lambda key: store.put_if_absent(key, b"{}"),
        "read": store.get,
        "list": lambda key: list(store.list(key, limit=1)),
        "delete": store.delete,
    }
    medians = {name: median(_seconds(call, key) for key in keys) for name, call in timed.items()}
    told = ", ".join(f"{name} {1000 * seconds:.1f} ms" for name, seconds in medians.items())
    return f"Medians of {ROUNDS}: {told}."


def _seconds(call: Callable[[str], object], key: str) -> float:
    began_s = monotonic_s()
    call(key)
    return monotonic_s() - began_s


def _clock(patient: Patient) -> str:
    theirs = server_now(patient.store)
    if theirs is None:
        return "The store has no clock of its own."
    skew = patient.clock.now() - theirs
    told = f"This machine's clock is {abs(skew).total_seconds():.0f} s {'ahead of' if skew > timedelta() else 'behind'}"
    if abs(skew) > SKEW_MAX:
        raise Failed(f"{told} the service's. Set it (NTP): deadlines and leases are read off it.")
    return f"{told} the service's."


def _clean_up(patient: Patient) -> str:
    delete_below(patient.store, patient.prefix)
    return "Nothing of this examination is left."


CREATE = Check("may create", _create)
STAGES = (
    (Check("reachable", _reachable),),
    (Check("credentials", _credentials),),
    (
        CREATE,
        Check("may read", _read),
        Check("may list", _list),
        Check("may delete", _delete),
    ),
    (Check("second create", _second_create), Check("racing creates", _racing_creates)),
    (
        Check("list after create", _list_after_create),
        Check("list after delete", _list_after_delete),
        Check("byte order", _byte_order),
        Check("odd keys", _odd_keys),
        Check("read-back", _read_back),
        Check("latency", _latency),
        Check("clock", _clock),
    ),
)
