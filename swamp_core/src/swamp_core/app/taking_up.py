"""Taking up a suspended run, once or for as long as it takes.

An attempt keeps its owner token and its entry ID until its answer is known: with others it would take its own lost
reply for another process. To stay with a run is to do what a person with `resume` would, again and again with backoff
and jitter: it holds nothing, so another host may resume the run first, and this process then waits for that one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from swamp_core.app.driving import Attention, driver_of
from swamp_core.app.run_refusals import not_resumable, unusable
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import is_driven
from swamp_core.engine.plan import StepRef
from swamp_core.engine.retrying import Retrial, retry_failed_run
from swamp_core.engine.suspending import NotSuspended, Resumed, Resumption, WaitsOpen, resume_run
from swamp_core.run.events import Json, Owner
from swamp_core.run.state import RunState
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.operations import Protocol

POLL_INITIAL_S = 0.5
POLL_MAX_S = 15.0
TRIES_MAX = 5

T = TypeVar("T")


def take_up(
    workspace: Workspace,
    run_id: str,
    attention: Attention,
    *,
    inputs: Json | None = None,
    tries: int | None = TRIES_MAX,
) -> tuple[Resumption, Owner]:
    """Try to resume a run, and as which owner; while the store is away, again for so many tries (None: for ever)."""
    ambient = workspace.ambient
    owner, entry_id = driver_of(workspace), ambient.ids.random_id()

    def attempt() -> Protocol[Resumption]:
        return resume_run(
            run_id,
            owner=owner,
            now=ambient.clock.now(),
            entry_id=entry_id,
            build=workspace.build,
            by=ambient.user,
            inputs=inputs,
        )

    return _tried(workspace, run_id, attention, attempt, tries), owner


def retry(
    workspace: Workspace, run_id: str, attention: Attention, *, steps: tuple[StepRef, ...], inputs: Json
) -> tuple[Retrial, Owner]:
    """Try to retry a failed run, and as which owner."""
    ambient = workspace.ambient
    owner, entry_id, now = driver_of(workspace), ambient.ids.random_id(), ambient.clock.now()

    def attempt() -> Protocol[Retrial]:
        return retry_failed_run(
            run_id,
            steps=steps,
            owner=owner,
            by=ambient.user,
            inputs=inputs,
            now=now,
            entry_id=entry_id,
            build=workspace.build,
        )

    return _tried(workspace, run_id, attention, attempt, TRIES_MAX), owner


def _tried(
    workspace: Workspace,
    run_id: str,
    attention: Attention,
    attempt: Callable[[], Protocol[T]],
    tries: int | None,
) -> T:
    attention.phase = "taking_up"
    ambient = workspace.ambient
    tried, delay_s = 0, POLL_INITIAL_S
    while True:
        try:
            return workspace.execute(attempt())
        except (StoreUnavailable, OutcomeUnknown) as error:
            tried += 1
            attention.trouble(error)
            given_up = tried == tries or ambient.clock.wait(
                attention.interrupted, _spread(workspace, delay_s)
            )
            if given_up:
                again = workspace.command("workflow", "resume", run_id)
                error.advise(f"Try again later; if the run was taken up, that says how to go on:\n{again}")
                raise
            delay_s = min(delay_s * 2, POLL_MAX_S)


def stay(workspace: Workspace, run: RunState, attention: Attention) -> RunState:
    """Stay with a run until it ends, whoever drives it, or the caller interrupts.

    `attention` is shown the run before it is waited for, so that a person knows what to do meanwhile. Raises
    `Refused` when the run cannot be gone on with: it was removed, or its driver was lost.
    """
    attention.observe(run, [])
    attention.leaves(run)
    delay_s = POLL_INITIAL_S
    while not run.ended:
        workspace.ambient.clock.wait(attention.interrupted, _spread(workspace, delay_s))
        if not attention.goes_on():
            return run
        delay_s = min(delay_s * 2, POLL_MAX_S)
        taken, owner = take_up(workspace, run.run_id, attention, tries=None)
        match taken:
            case Resumed():
                run, delay_s = attention.drive(workspace, taken, owner), POLL_INITIAL_S
            case WaitsOpen(run=run):
                attention.leaves(run)
            case NotSuspended(run=run):
                attention.leaves(run)
                if not run.ended and not is_driven(
                    run, workspace.ambient.clock.now(), workspace.ambient.host
                ):
                    raise not_resumable(workspace, run)
                attention.awaited(run)
            case _:
                raise unusable(workspace, run.run_id, taken)
    return run


def _spread(workspace: Workspace, delay_s: float) -> float:
    return delay_s * (0.5 + workspace.ambient.ids.jitter())
