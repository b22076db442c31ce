"""Which earlier runs a new run of a workflow takes the place of: those that wait only for a decision on the same.

A run that has a wait for a signal is never touched, nor one whose gate somebody has decided: what was acknowledged is
applied. A nested run is no candidate: it is the work of a step, and goes when its parent does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import RunEnded, ask_for_end
from swamp_core.payload.strict_json import same_value
from swamp_core.records import keys
from swamp_core.run.events import CancelRequested, Json
from swamp_core.run.state import RunState
from swamp_core.store.operations import Get, Protocol, Together


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
    decision = decide_supersession(earlier, inputs)
    if not isinstance(decision, Superseded):
        return decision
    gates = tuple(Get(keys.outcome(wait_id)) for wait_id in earlier.waiting())
    outcomes: list[bytes | None] = yield Together(gates)
    if any(data is not None for data in outcomes):
        return Kept("A gate of it has been decided; resume it to apply the decision.")

    def request(run: RunState, now: datetime) -> CancelRequested | None:
        if not isinstance(decide_supersession(run, inputs), Superseded):
            return None
        return CancelRequested(at=now, by=ambient.user, reason=f"The run {new_run_id} took its place.")

    ended = yield from ask_for_end(earlier.run_id, request, ambient=ambient)
    return Superseded() if isinstance(ended, RunEnded) and not ended.already else NotConcerned()
