"""How waits are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from swamp_core.app.views import WaitsResult, WaitView
from swamp_core.app.workspace import Workspace
from swamp_core.cli.escaping import shortened
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say
from swamp_core.cli.rendering.sources import looked_in
from swamp_core.cli.times import until

SCHEMA_CHARACTERS_MAX = 400


def waits_parts(result: WaitsResult, workspace: Workspace, *, workflow: str | None = None) -> Iterator[Part]:
    """The open waits for a signal, each with the command that settles it; if there is none, where the gates are."""
    none = f"No wait of {workflow} is open." if workflow else "No wait is open."
    if result.others:
        none = f"No wait{f' of {workflow}' if workflow else ''} for a signal is open."
    yield from _listed(result, workspace, none)
    yield from _nested(result, "wait", "open", workspace.command("workflow", "waits"))
    if result.others and not result.waits:
        gates = (
            "The gate that is undecided is" if result.others == 1 else f"{result.others} undecided gates are"
        )
        yield Say(f"{gates} listed by:")
        yield Copy(workspace.command("workflow", "approvals", *_of(workflow)))


def approvals_parts(
    result: WaitsResult, workspace: Workspace, *, workflow: str | None = None
) -> Iterator[Part]:
    """The undecided gates, each with the command that approves it; if there is none, where the other waits are."""
    none = f"No gate of {workflow} is undecided." if workflow else "No gate is undecided."
    yield from _listed(result, workspace, none)
    yield from _nested(result, "gate", "undecided", workspace.command("workflow", "approvals"))
    if result.others and not result.waits:
        waits = "The open wait for a signal is" if result.others == 1 else f"{result.others} open waits are"
        yield Say(f"{waits} listed by:")
        yield Copy(workspace.command("workflow", "waits", *_of(workflow)))


def _nested(result: WaitsResult, what: str, how: str, command: str) -> Iterator[Part]:
    """Where the waits are that the runs of the workflow may be held up by, though they are of nested runs."""
    if result.waits or not result.nested:
        return
    one = result.nested == 1
    counted = f"A {what} of a nested run is" if one else f"{result.nested} {what}s of nested runs are"
    yield Say(f"{counted} {how}, which may be what it waits for. All are listed by:")
    yield Copy(command)


def _of(workflow: str | None) -> tuple[str, ...]:
    return ("--workflow", workflow) if workflow else ()


def _listed(result: WaitsResult, workspace: Workspace, none: str) -> Iterator[Part]:
    if not result.waits and not result.unreadable:
        yield Say(none)
        if not (result.others or result.nested):
            yield from looked_in(workspace)
    for number, wait in enumerate(result.waits):
        if number:
            yield Gap()
        yield from wait_parts(wait, workspace.ambient.clock.now())
    for each in result.unreadable:
        yield Say(f"A record of the wait {each.wait_id} cannot be read: {each.reason}.", "bad")


def wait_parts(wait: WaitView, now: datetime) -> Iterator[Part]:
    """One open wait: what it is, and what to do about it."""
    when = until(wait.deadline, now)
    what = "an approval" if wait.kind == "approval" else "a signal"
    if wait.expired:
        yield Say(f"{wait.job}/{wait.step} of {wait.workflow} waited for {what}{when}.", "bad")
    else:
        yield Say(f"{wait.job}/{wait.step} of {wait.workflow} waits for {what}{when}.", "warn")
    if wait.prompt:
        yield Say(wait.prompt)
    payload = () if wait.kind == "approval" else (("payload", schema_text(wait)),)
    key = (("key", wait.key),) if wait.key else ()
    parent = (("nested in", wait.parent_run_id),) if wait.parent_run_id else ()
    yield Facts((("wait", wait.wait_id), *key, ("run", wait.run_id), *parent, *payload))
    settle = (
        "Approve it with this, or reject it with `reject` in the place of `approve`:"
        if wait.kind == "approval"
        else "Signal it with:"
    )
    yield Say("It has expired. Let it time out with:" if wait.expired else settle)
    yield Copy(wait.next_command)


def schema_text(wait: WaitView) -> str:
    """What a payload must look like, on one line."""
    if wait.payload_schema is None:
        return "any JSON object"
    return shortened(json.dumps(wait.payload_schema, ensure_ascii=False), SCHEMA_CHARACTERS_MAX)
