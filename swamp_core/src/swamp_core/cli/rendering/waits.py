"""How waits are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from swamp_core.app.views import WaitsResult, WaitView
from swamp_core.cli.escaping import shortened
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say
from swamp_core.cli.times import until

SCHEMA_CHARACTERS_MAX = 400


def waits_parts(result: WaitsResult, now: datetime, *, workflow: str | None = None) -> Iterator[Part]:
    """The open waits for a signal, each with the command that settles it."""
    yield from _listed(result, now, f"No wait of {workflow} is open." if workflow else "No wait is open.")


def approvals_parts(result: WaitsResult, now: datetime, *, workflow: str | None = None) -> Iterator[Part]:
    """The undecided gates, each with the command that approves it."""
    none = f"No gate of {workflow} is undecided." if workflow else "No gate is undecided."
    yield from _listed(result, now, none)


def _listed(result: WaitsResult, now: datetime, none: str) -> Iterator[Part]:
    if not result.waits and not result.unreadable:
        yield Say(none)
    for number, wait in enumerate(result.waits):
        if number:
            yield Gap()
        yield from wait_parts(wait, now)
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
    yield Facts((("wait", wait.wait_id), ("run", wait.run_id), *payload))
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
