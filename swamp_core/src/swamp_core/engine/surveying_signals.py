"""What there is of the signals that were held for keys: the signals that stand, and what tells of those that do not.

Takes are listed before names, and names before signals, and a signal is stored after its name and before its takes. So
a take whose signal is not listed, or a name, is of a signal that does not stand any more, or not yet.

Of a signal that is known to be used by a run that is there nothing is read, nor any name where all are of such signals:
what a sweep reads does not grow with the runs that are over.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from swamp_core.journal.early import Take, highest_take
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.early import EarlyName, EarlySignal
from swamp_core.store.operations import Get, List, Protocol, Together, side_by_side
from swamp_core.waits.early import HeldSignal, look_at, read_signals

SignalId = tuple[str, str, str]
"""The workflow, the key, and the ID of a signal."""


@dataclass(frozen=True, slots=True)
class EarlyKeys:
    """The keys of all that is or was held, in the order in which they were listed: the newest take of each first."""

    takes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SignalTraces:
    """What there is of a signal: itself, if it stands; its highest take, if it does not; and its name, by its record.

    `name` is None where there is none, or none was read.
    """

    id: SignalId
    held: HeldSignal | None = None
    highest: Take | None = None
    name: EarlyName | None = None


@dataclass(slots=True)
class _Family:
    """What there is under one key: signals that are done with, those that are to be looked at, and names."""

    done: set[SignalId] = field(default_factory=set)
    open: set[SignalId] = field(default_factory=set)
    names: list[str] = field(default_factory=list)

    @property
    def needs_names(self) -> bool:
        return bool(self.open) or len(self.names) > len(self.done)


def list_signals(workflow: str | None = None) -> Protocol[EarlyKeys]:
    """List all that is or was held, for the keys of one workflow or of all. Three requests."""
    under = f"{workflow}/" if workflow else ""
    takes: list[str] = yield List(keys.EARLY_TAKES + under)
    names: list[str] = yield List(keys.EARLY_NAMES + under)
    signals: list[str] = yield List(keys.EARLY_SIGNALS + under)
    return EarlyKeys(*(tuple(filter(keys.early_parts, listed)) for listed in (takes, names, signals)))


def read_traces(listed: EarlyKeys, used: Container[str] = ()) -> Protocol[tuple[SignalTraces, ...]]:
    """Read what was listed, but for what is of a signal whose ID is among those that are `used`.

    A signal that cannot be read has no traces: nobody knows when its time is over.
    """
    signals, _ = yield from read_signals(list(listed.signals))
    held: list[HeldSignal] = yield from side_by_side([look_at(each) for each in signals])
    families = _families(listed, used)
    names = yield from _names([key for each in families.values() if each.needs_names for key in each.names])
    standing = {_id_of(each) for each in listed.signals}
    gone = sorted({*(each for family in families.values() for each in family.open), *names} - standing)
    gone = [each for each in gone if each[2] not in used]
    takes = yield from side_by_side([highest_take(*each) for each in gone])
    traces = [
        SignalTraces(id_of(each.signal), held=each, name=names.get(id_of(each.signal))) for each in held
    ]
    traces += [
        SignalTraces(each, highest=highest, name=names.get(each))
        for each, (_, highest) in zip(gone, takes, strict=True)
    ]
    return tuple(traces)


def id_of(signal: EarlySignal) -> SignalId:
    """What tells a signal from all others."""
    return signal.workflow, signal.key_name, signal.signal_id


def _id_of(key: str) -> SignalId:
    parts = keys.early_parts(key)
    assert parts is not None
    return parts


def _families(listed: EarlyKeys, used: Container[str]) -> dict[tuple[str, str], _Family]:
    families: dict[tuple[str, str], _Family] = {}
    standing = set(map(_id_of, listed.signals))
    for each in standing.union(map(_id_of, listed.takes)):
        family = families.setdefault(each[:2], _Family())
        (family.done if each in standing or each[2] in used else family.open).add(each)
    for key in listed.names:
        families.setdefault(_id_of(key)[:2], _Family()).names.append(key)
    return families


def _names(wanted: list[str]) -> Protocol[dict[SignalId, EarlyName]]:
    found: list[bytes | None] = (yield Together(tuple(map(Get, wanted)))) if wanted else []
    readings = [read_record(EarlyName, key, data) for key, data in zip(wanted, found, strict=True)]
    names = [each.record for each in readings if isinstance(each, Found)]
    return {id_of(each.signal): each for each in names}
