"""How what was held for keys goes: a signal that is over, its last records, and all that a workflow has of either.

A signal goes when its end is written, its name goes next, and its takes go last, the end being the last of them. While
the run that used a signal is there its name and its end stay, so that a repeat of the signal is told its receipt.
Otherwise they stay until the signal's time is over for long: until then the signal could still be stored, by a request
that is late, and would be free.
"""

from __future__ import annotations

from datetime import datetime

from swamp_core.engine.surveying_signals import SignalId, SignalTraces, id_of, list_signals, read_traces
from swamp_core.journal.early import KEPT_AFTER_EXPIRY, end_signal
from swamp_core.journal.removal import delete_together, present
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.early import EarlyEnd, EarlyName, EarlySignal, Use
from swamp_core.store.operations import Delete, Get, List, Protocol
from swamp_core.waits.early import Ended, Free, HeldSignal, Used, Void, look_at


def is_long_over(expires_at: datetime, now: datetime) -> bool:
    """Whether the time of a signal is over by more than a clock may be slow, or a request late."""
    return expires_at <= now - KEPT_AFTER_EXPIRY


def is_over(held: HeldSignal, now: datetime) -> bool:
    """Whether no wait will take a signal that stands, whatever happens. One that a wait has taken is not."""
    match held.state:
        case Ended() | Used() | Void():
            return True
        case Free():
            return is_long_over(held.signal.expires_at, now)
        case _:
            return False


def use_of(held: HeldSignal) -> Use | None:
    """The wait that used a signal."""
    match held.state:
        case Ended(end=end):
            return end.use
        case Used(use=use):
            return use
        case _:
            return None


def weigh_over(signal: EarlySignal, now: datetime) -> Protocol[int]:
    """How many records `remove_over` would delete."""
    if not (yield from present([signal.key()])):
        return 0
    held = yield from look_at(signal)
    if not is_over(held, now):
        return 0
    with_it = (yield from _last_of(signal)) if (yield from _is_forgotten(held, now)) else []
    return 1 + len(with_it)


def remove_over(signal: EarlySignal, now: datetime) -> Protocol[int]:
    """End and delete a signal that is over, and its last records if their time has come; how many there were."""
    count = yield from weigh_over(signal, now)
    if count and (yield from _is_ended(signal, now)):
        held = yield from look_at(signal)
        if (yield from _is_forgotten(held, now)):
            yield from delete_in_order((yield from _last_of(signal)))
        return count
    return 0


def forgettable(
    signal_id: SignalId, *, idempotency_key: str | None, wait_id: str | None
) -> Protocol[list[str]]:
    """The last records of a signal that does not stand, in the order in which they go.

    None of them if it stands by now, or if what its wait `wait_id` came to is there: then its run is.
    """
    asked = [keys.early_signal(*signal_id)] + ([keys.outcome(wait_id)] if wait_id else [])
    if (yield from present(asked)):
        return []
    return (yield from _last_records(signal_id, idempotency_key))


def delete_in_order(going: list[str]) -> Protocol[int]:
    """Delete records one after the other; how many they were."""
    for each in going:
        yield Delete(each)
    return len(going)


def forget_workflow(workflow: str) -> Protocol[int]:
    """Delete all that is or was held for the keys of a workflow; how many records that was. It can be repeated.

    What a run used that is there, nested in one of another workflow, is remembered as long as that run.
    """
    listed = yield from list_signals(workflow)
    traces = yield from read_traces(listed)
    kept = yield from _used_still(traces)
    kept_names = set(map(_name_key, kept))
    kept_ids = {each.id for each in kept}
    for each in kept:
        if each.held and isinstance(each.held.state, Used):
            use = each.held.state.use
            yield from end_signal(each.held.signal, after=each.held.number, reason="used", use=use)
    count = yield from delete_together(list(listed.signals))
    count += yield from delete_together([each for each in listed.names if each not in kept_names])
    takes = [each for each in listed.takes if keys.early_parts(each) not in kept_ids]
    newest = {keys.early_parts(each): each for each in reversed(takes)}
    lower = [each for each in takes if newest[keys.early_parts(each)] != each]
    count += yield from delete_together(lower)
    return count + (yield from delete_together(list(newest.values())))


def _used_still(traces: tuple[SignalTraces, ...]) -> Protocol[list[SignalTraces]]:
    """Those of the signals that a run used which is there."""
    uses = [(each, use) for each in traces if (use := _use_in(each)) is not None]
    there = set((yield from present({keys.outcome(use.wait_id) for _, use in uses})))
    return [each for each, use in uses if keys.outcome(use.wait_id) in there]


def _use_in(traces: SignalTraces) -> Use | None:
    if traces.held is not None:
        return use_of(traces.held)
    return traces.highest.use if isinstance(traces.highest, EarlyEnd) else None


def _is_ended(signal: EarlySignal, now: datetime) -> Protocol[bool]:
    """Give a signal its end, and delete it; False when a wait has it by now."""
    while True:
        held = yield from look_at(signal)
        if not is_over(held, now):
            return False
        if isinstance(held.state, Ended | Void):
            yield Delete(signal.key())
            return True
        use = use_of(held)
        yield from end_signal(signal, after=held.number, reason="used" if use else "expired", use=use)


def _is_forgotten(held: HeldSignal, now: datetime) -> Protocol[bool]:
    """Whether nothing has to tell any more of a signal that is over what became of it."""
    if not is_long_over(held.signal.expires_at, now):
        return False
    use = use_of(held)
    return use is None or not (yield from present([keys.outcome(use.wait_id)]))


def _last_of(signal: EarlySignal) -> Protocol[list[str]]:
    return (yield from _last_records(id_of(signal), signal.idempotency_key))


def _last_records(signal_id: SignalId, idempotency_key: str | None) -> Protocol[list[str]]:
    """The name of a signal, if it is its own, and its takes, the newest of them last."""
    going: list[str] = []
    if idempotency_key is not None:
        workflow, key, _ = signal_id
        name_key = keys.early_name(workflow, key, idempotency_key)
        name = read_record(EarlyName, name_key, (yield Get(name_key)))
        if isinstance(name, Found) and id_of(name.record.signal) == signal_id:
            going.append(name_key)
    newest_first: list[str] = yield List(keys.early_takes(*signal_id))
    return [*going, *newest_first[::-1]]


def _name_key(traces: SignalTraces) -> str | None:
    if traces.held is not None:
        return keys.early_name(*traces.id[:2], traces.held.signal.idempotency_key)
    return traces.name.key() if traces.name else None
