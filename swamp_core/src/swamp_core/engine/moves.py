"""What the driver does next: pure. A *move* is the events that become durable first, and the effect after them.

Rule 1: every ID and deadline is chosen before anything is done (`beginning`), and stands in the events; so a process
that finds the events can do the effect again unchanged.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from swamp_core.ambient import Ambient
from swamp_core.engine.beginning import Effect, OpenWait, RunChild, begin, expand, failed
from swamp_core.engine.ceiling import Room
from swamp_core.engine.line import Line
from swamp_core.engine.plan import Plan, StepRef, declared
from swamp_core.engine.readiness import (
    NotYet,
    Ready,
    Skip,
    all_steps,
    cleans_up,
    decide_start,
    follows,
)
from swamp_core.journal.entry import events_bytes
from swamp_core.run.events import Event, StepSkipped
from swamp_core.run.state import RunState
from swamp_core.run.transitions import apply
from swamp_core.workflow.definition import Assert, ModelMethod, NestedWorkflow

INTENT_BYTES_MAX = 2 * 1024 * 1024
"""The weight of intents after which an entry takes no further one; a wait's is at most 256 KiB."""

WHY_CUT_OFF = "The run was ended before it could start."
WHY_GIVEN_UP = "The run was ended while the step waited."


@dataclass(slots=True)
class Moves:
    """Events to commit, effects to start once they are durable, and the run as the events leave it.

    `more`: some steps could go on at once, but the entry is full.
    """

    run: RunState
    events: list[Event] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    more: bool = False
    room_bytes: int = INTENT_BYTES_MAX

    def add(self, events: list[Event], effect: Effect | None) -> None:
        """Add a move."""
        for event in events:
            self.run = apply(self.run, event)
        self.events += events
        self.room_bytes -= events_bytes(events)
        if effect is not None:
            self.effects.append(effect)


def next_moves(
    plan: Plan, run: RunState, line: Line, room: Room, ambient: Ambient, *, cleaning: bool = False
) -> Moves:
    """What can be done at once for the steps in line; takes them from it, and room for the effects that need it.

    `cleaning`: the run is to end, so of what is ready only a call or an assert that cleans up is begun.
    """
    moves = Moves(run)
    for ref in line.unseen():
        if moves.run.step(*ref).status == "pending":
            _look(plan, moves, ref, line, ambient, cleaning)
        if moves.room_bytes <= 0:
            break
    while moves.room_bytes > 0 and (let_in := line.let_in(room)):
        group, ref = let_in
        events, effect = begin(plan, moves.run, ref, ambient)
        if effect is None:
            room.give(group)
        moves.add(events, effect)
        _follow(plan, moves, ref, line)
    moves.more = moves.room_bytes <= 0 or line.has_unseen
    return moves


def cancel_moves(plan: Plan, run: RunState, ambient: Ambient, *, running: bool = False) -> list[Event]:
    """The events that leave no step pending nor, when nobody drives the run, `running`."""
    events: list[Event] = []
    for ref in all_steps(plan, run):
        step = run.step(*ref)
        if step.status == "pending":
            events.append(_cut_off(ref, ambient))
        elif step.status == "running" and running:
            message = "The run was ended; nobody knows how far the step came."
            events.append(failed(plan, run, ref, ambient, "cancelled", message, cut_off=True))
    return events


def give_up_children(
    plan: Plan, run: RunState, ambient: Ambient, *, besides: Collection[StepRef] = ()
) -> list[Event]:
    """The events that leave no step waiting for a nested run, but for these steps."""
    waiting = [(child.job, child.step) for child in run.waiting_children().values()]
    return [
        failed(plan, run, ref, ambient, "cancelled", WHY_GIVEN_UP, cut_off=True)
        for ref in waiting
        if ref not in besides
    ]


def not_cleaned_up(plan: Plan, run: RunState) -> list[StepRef]:
    """The steps that a driver would have run as clean-up, of a run that was ended without one."""
    cut_off = [ref for ref in plan.steps if run.step(*ref).status == "skipped" and run.step(*ref).cut_off]
    return [
        ref for ref in cut_off if _may_clean_up(plan, ref) and isinstance(decide_start(plan, run, ref), Ready)
    ]


def planned_effects(run: RunState) -> list[Effect]:
    """The effects that the journal plans and that nobody is known to have finished."""
    waits: list[Effect] = [
        OpenWait(wait_id) for wait_id, wait in run.waiting().items() if wait.status == "planned"
    ]
    return waits + [RunChild(run_id) for run_id in run.waiting_children()]


def _look(plan: Plan, moves: Moves, ref: StepRef, line: Line, ambient: Ambient, cleaning: bool) -> None:
    group = declared(moves.run, ref)
    step = plan.steps[group]
    match decide_start(plan, moves.run, ref):
        case NotYet():
            return
        case Skip(reason=reason):
            moves.add([StepSkipped(at=ambient.clock.now(), job=ref[0], step=ref[1], reason=reason)], None)
        case Ready() if cleaning and not _may_clean_up(plan, group):
            moves.add([_cut_off(ref, ambient)], None)
        case Ready() if step.for_each is not None and ref == group:
            moves.add(expand(plan, moves.run, ref, ambient), None)
            expansion = moves.run.step(*ref).expansion
            line.look_at((ref[0], name) for name in (expansion.names if expansion else ()))
        case Ready() if isinstance(step.task, ModelMethod | NestedWorkflow):
            line.stand(group, ref)
            return
        case Ready():
            moves.add(*begin(plan, moves.run, ref, ambient))
    _follow(plan, moves, ref, line)


def _follow(plan: Plan, moves: Moves, ref: StepRef, line: Line) -> None:
    if moves.run.step(*ref).ended:
        line.look_at(follows(plan, moves.run, [ref]))


def _may_clean_up(plan: Plan, group: StepRef) -> bool:
    return cleans_up(plan, group) and isinstance(plan.steps[group].task, ModelMethod | Assert)


def _cut_off(ref: StepRef, ambient: Ambient) -> StepSkipped:
    return StepSkipped(at=ambient.clock.now(), job=ref[0], step=ref[1], reason=WHY_CUT_OFF, cut_off=True)
