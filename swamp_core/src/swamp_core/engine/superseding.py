"""Which earlier runs a new run of a workflow takes the place of: those that wait only for a decision on the same.

A run that has a wait for a signal is never touched, nor one whose gate somebody has decided: what was acknowledged is
applied. A nested run is no candidate: it is the work of a step, and goes when its parent does.

A gate is decided by the first create of its outcome, so a supersede creates that first, as `cancelled`, of every gate;
only when it has won them all does it ask for the end. What may come between, as interleavings:

1. Somebody approves a gate after it was seen undecided. (1) A supersede sees the gates of the run undecided. (2) An
   approval creates its outcome, and is acknowledged. (3) The supersede loses that create, and leaves the run alone. If
   it asked for the end after (1), the run would be cancelled, and the approval lost.
2. Of two gates, it closes one and loses the other: the run goes on, and a closed gate cannot be reopened. Its outcome
   cannot be taken back either: somebody may have taken it up by now, and a decision that came after would be
   acknowledged and lost. So whoever resumes a run that is not to end and finds a closed gate resets its step: the
   gate is asked again, under a new wait ID (`answers`). A run with such a gate can be resumed whatever else is open.
3. It dies when it has closed gates, and has asked for nothing. The next supersede takes them for its own; or the next
   resume asks them again, as in 2.
4. (1) It closes the gate. (2) A resume asks the gate again, and somebody approves that one. (3) It wakes and would ask
   for the end. So the end is asked for only of a run that waits for none but the gates that it has closed, by the
   state that the request is appended to; else it looks anew.
5. It stalls before it closes the gates, and wakes when the run was removed: what it makes then is withdrawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import NoReason, RunEnded, ask_for_end
from swamp_core.journal.ending import close_waits, withdraw_outcomes
from swamp_core.payload.strict_json import same_value
from swamp_core.run.events import CancelRequested, Json
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol
from swamp_core.waits.applying import Overdue, StillOpen, Unanswered, judge_waits


@dataclass(frozen=True, slots=True)
class Superseded:
    """The earlier run was cancelled."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The earlier run is left alone; the reason is a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotConcerned:
    """The earlier run waits for nobody, being driven or over; or it is nested, and stands or falls with its parent."""


Decision = Superseded | Kept | NotConcerned


def decide_supersession(earlier: RunState, inputs: Json) -> Decision:
    """What a new run with these inputs does to an earlier run of its workflow, if no gate of it was decided."""
    if earlier.parent is not None:
        return NotConcerned()
    waits = list(earlier.waiting().values())
    signals = sum(wait.kind == "signal" for wait in waits)
    if signals:
        what = "a signal" if signals == 1 else f"{signals} signals"
        return Kept(f"It waits for {what}, and a new run never takes a wait away.")
    if earlier.status != "suspended":
        return NotConcerned()
    if earlier.waiting_children():
        return Kept("It waits for a nested run.")
    if not waits:
        return Kept("It waits for nothing, and can be resumed.")
    if not same_value(earlier.inputs, inputs):
        return Kept("Its inputs are others.")
    return Superseded()


def supersede(earlier: RunState, new_run_id: str, inputs: Json, ambient: Ambient) -> Protocol[Decision]:
    """Cancel the earlier run if a new run with these inputs takes its place. It can be repeated."""
    run = earlier
    while True:
        decision = decide_supersession(run, inputs)
        if not isinstance(decision, Superseded):
            return decision
        gates = frozenset(run.waiting())
        if not (yield from _close(run, gates, ambient.clock.now())):
            yield from withdraw_outcomes(run)
            return Kept("A gate of it has been decided; resume it to apply the decision.")

        def request(run: RunState, now: datetime, gates: frozenset[str] = gates) -> CancelRequested | None:
            if not (
                isinstance(decide_supersession(run, inputs), Superseded) and run.waiting().keys() <= gates
            ):
                return None
            return CancelRequested(at=now, by=ambient.user, reason=f"The run {new_run_id} took its place.")

        ended = yield from ask_for_end(earlier.run_id, request, ambient=ambient)
        if isinstance(ended, RunEnded) and not ended.already:
            return Superseded()
        if not isinstance(ended, NoReason):
            yield from withdraw_outcomes(run)
            return NotConcerned()
        run = ended.run


def _close(run: RunState, gates: frozenset[str], now: datetime) -> Protocol[bool]:
    """Close these gates; whether nobody has decided one of them, nor ever will. Closes none if one is settled already.

    One that is closed already was so by a supersede that was cut off, or by the end of the run.
    """
    judged = yield from judge_waits(run, now)
    if any(not isinstance(each, StillOpen | Overdue | Unanswered) for each in judged.values()):
        return False
    closed = yield from close_waits(run, gates, now)
    judged = yield from judge_waits(run, now, closed=closed)
    return all(isinstance(each, Unanswered) for each in judged.values())
