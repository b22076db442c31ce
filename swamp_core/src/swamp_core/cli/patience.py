"""What is told on stderr while a command waits, for another process or for the store: each reason once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from swamp_core.app.patience import Awaited, Patience
from swamp_core.cli.failures import interrupted_failure
from swamp_core.cli.interrupting import interrupts, leave
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Say
from swamp_core.cli.times import moment_from_now
from swamp_core.flag import Flag
from swamp_core.run.state import RunState
from swamp_core.store.errors import StoreError


@contextmanager
def patient(invocation: Invocation, saying: str) -> Iterator[Patience]:
    """For as long as the block lasts, waits are told of, and an interrupt is told of by a sentence and ends them."""
    with watched_interrupts(invocation, saying) as interrupted:
        yield Patience(awaited_once(invocation), told_once(invocation), interrupted)


@contextmanager
def watched_interrupts(invocation: Invocation, saying: str) -> Iterator[Flag]:
    """For as long as the block lasts, a first interrupt ends the waiting, and a second one the process."""
    output = invocation.output
    with interrupts(
        lambda: saying, lambda: None, lambda: leave(output, interrupted_failure())
    ) as interrupted:
        yield interrupted


def awaited_once(invocation: Invocation) -> Awaited:
    """Says of each process that drives a run once that it is waited for, and how long at most if it hangs."""
    told: set[tuple[str, str]] = set()

    def awaited(run: RunState) -> None:
        owner = run.owner
        if owner is None or (run.run_id, owner.token) in told:
            return
        told.add((run.run_id, owner.token))
        lease = moment_from_now(owner.lease_until, invocation.workspace.ambient.clock.now())
        invocation.output.note(
            Say(
                f"Waiting for process {owner.pid} on {owner.host}, which drives the run {run.run_id}; "
                f"if it gives no sign of life, until {lease}.",
                "dim",
            )
        )

    return awaited


def told_once(invocation: Invocation) -> Callable[[StoreError], None]:
    """Says of each kind of failure once that it is waited out: it may last for hours."""
    told: set[str] = set()

    def trouble(error: StoreError) -> None:
        if error.detail not in told:
            told.add(error.detail)
            invocation.output.warn(
                Say(f"The store cannot be used just now, and is tried again: {error.detail}.", "warn")
            )

    return trouble
