"""The driver's hold on the run's journal: every commit is durable before it returns, or the driver has lost the run.

1. Nothing is started before the entry that plans it is durable (rule 1). While the store cannot be reached the
   commit is repeated, under the same entry ID, and nothing new begins.
2. Losing an append to `cancel_requested` or `gate_rejected` keeps what has happened and drops what was only intended:
   also to end the run for a rejection, and to ask a gate again.
3. Losing it to anything else, or to the end of the run, means that another process drives: `Fenced`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from swamp_core.ambient import Ambient
from swamp_core.engine.suspending import NotSuspended, Resumed, WaitsOpen, suspend_run
from swamp_core.flag import Flag
from swamp_core.journal.appending import Append, Appended, Blocked, Lost, Void, append
from swamp_core.journal.ending import end_run
from swamp_core.journal.entry import Entry, Journal, in_entries
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.run.events import CancelRequested, Event, GateRejected, Owner, RunEnd, StepReset
from swamp_core.run.state import RunState
from swamp_core.run.transitions import ImpossibleEvent
from swamp_core.store.errors import OutcomeUnknown, StoreAccessDenied, StoreError, StoreUnavailable
from swamp_core.store.operations import Get, Protocol, execute
from swamp_core.store.protocol import SignalWaitStore

RETRY_INITIAL_S = 0.2
RETRY_MAX_S = 15.0

T = TypeVar("T")
Observer = Callable[[RunState, list[Event]], None]
"""Told of a run as it is taken up, without events, and then of every commit: the run after it, and its events."""
Trouble = Callable[[StoreError], None]
"""Told of every failure of the store that is waited out."""


class Fenced(Exception):
    """This process no longer drives the run: another one has gone on with it, or it has ended."""


class Ledger:
    """Appends to one run's journal for the owner `token`, and keeps it folded."""

    def __init__(
        self,
        store: SignalWaitStore,
        ambient: Ambient,
        journal: Journal,
        token: str,
        *,
        observe: Observer,
        trouble: Trouble,
    ) -> None:
        self.journal = journal
        self.give_up = Flag()
        self._store = store
        self._ambient = ambient
        self._token = token
        self._observe = observe
        self._trouble = trouble

    @property
    def run(self) -> RunState:
        """The run's state as far as it is durable."""
        return self.journal.run

    def commit(self, facts: list[Event], intents: list[Event]) -> bool:
        """Make the events durable; False when the intents were dropped because the run is to be cancelled.

        Raises `Fenced` when this process no longer drives the run.
        """
        *before, facts = in_entries(facts)
        for each in before:
            self.commit(each, [])
        kept = True
        entry_id = self._ambient.ids.random_id()
        while facts or intents:
            events = facts + intents
            appended = self.patiently(partial(self._append, events, entry_id))
            if isinstance(appended, Appended):
                self._advance(appended.journal, events)
                return kept
            self._yield_to(appended)
            kept = kept and not intents
            entry_id, intents = self._ambient.ids.random_id(), []
            facts = [fact for fact in facts if not isinstance(fact, GateRejected | StepReset)]
        return kept

    def _append(self, events: list[Event], entry_id: str) -> Protocol[Append]:
        return append(self.journal, events, entry_id=entry_id, owner=self._token)

    def end(self, status: Callable[[RunState], RunEnd]) -> None:
        """End the run, whose steps are all over."""
        now = self._ambient.clock.now()
        while not self.run.ended:
            entry_id = self._ambient.ids.random_id()
            ending = partial(
                end_run, self.journal, status(self.run), now=now, entry_id=entry_id, owner=self._token
            )
            ended = self.patiently(ending)
            if isinstance(ended, Appended):
                self._advance(ended.journal, [])
            else:
                self._yield_to(ended)

    def suspend(self, owner: Owner) -> Resumed | WaitsOpen | NotSuspended | None:
        """Suspend the run: `Resumed` when its waits turn out to be settled and it is ours again.

        `NotSuspended` when it was suspended and another process has taken it up since. None when the run is to be
        cancelled instead.
        """
        suspending = partial(
            suspend_run,
            self.journal,
            owner=owner,
            now=self._ambient.clock.now(),
            suspended_id=self._ambient.ids.random_id(),
            resumed_id=self._ambient.ids.random_id(),
        )
        suspension = self.patiently(suspending)
        match suspension:
            case Resumed(journal=journal):
                self._advance(journal, [])
                return suspension
            case WaitsOpen(run=run) | NotSuspended(run=run):
                self._observe(run, [])
                return suspension
            case foreign:
                self._yield_to(foreign)
                return None

    def poll(self) -> None:
        """Take up an entry that another process has written. Raises `Fenced` as `commit` does. One request."""
        key = keys.entry(self.journal.run_id, self.journal.number + 1)
        try:
            reading = read_record(Entry, key, self.patiently(partial(_read, key)))
        except StoreAccessDenied:
            return  # A look that can be done without; the next append will tell.
        match reading:
            case Found(record=entry):
                self._yield_to(Lost(entry))
            case Unreadable():
                self._yield_to(Blocked(reading))

    def patiently(self, protocol: Callable[[], Protocol[T]]) -> T:
        """Run a protocol, again and again while the store cannot be reached, until the user interrupts."""
        delay_s = RETRY_INITIAL_S
        while True:
            try:
                return execute(protocol(), self._store)
            except (StoreUnavailable, OutcomeUnknown) as error:
                self._trouble(error)
                jittered_s = delay_s * (0.5 + self._ambient.ids.jitter())
                if self._ambient.clock.wait(self.give_up, jittered_s):
                    raise
                delay_s = min(delay_s * 2, RETRY_MAX_S)

    def _advance(self, journal: Journal, events: list[Event]) -> None:
        self.journal = journal
        self._observe(journal.run, events)

    def _yield_to(self, foreign: Lost | Void | Blocked) -> None:
        match foreign:
            case Void():
                raise Fenced("The run has ended while this process was driving it.")
            case Blocked(unreadable=Unreadable(key=key, reason=reason)):
                raise Fenced(f"The record `{key}` stands in the way and cannot be read: {reason}.")
            case Lost(theirs=entry) if all(
                isinstance(event, CancelRequested | GateRejected) for event in entry.events
            ):
                self._advance(self._followed_by(entry), entry.events)
            case Lost(theirs=entry):
                raise Fenced(
                    f"Another process has gone on with the run (journal entry {entry.number}, "
                    f"`{entry.events[0].event}`)."
                )

    def _followed_by(self, entry: Entry) -> Journal:
        try:
            return self.journal.followed_by(entry)
        except ImpossibleEvent as error:
            raise Fenced(f"The journal entry {entry.number} does not follow: {error}.") from error


def _read(key: str) -> Protocol[bytes | None]:
    data: bytes | None = yield Get(key)
    return data
