"""How signals are told that are held for the next wait under a key."""

from __future__ import annotations

import json
from collections.abc import Iterator

from swamp_core.app.key_views import DiscardResult, EarlySignalsResult, EarlySignalView
from swamp_core.app.workspace import Workspace
from swamp_core.cli.escaping import shortened
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say
from swamp_core.cli.rendering.sources import looked_in
from swamp_core.cli.times import moment

PAYLOAD_CHARACTERS_MAX = 400


def early_signals_parts(result: EarlySignalsResult, workspace: Workspace) -> Iterator[Part]:
    """Each signal with its key, and why it is not accepted as it is."""
    if not result.signals and not result.unreadable:
        yield Say("No signal is held.")
        yield from looked_in(workspace)
    for number, each in enumerate(result.signals):
        if number:
            yield Gap()
        yield from _signal_parts(each)
    for unreadable in result.unreadable:
        yield Say(
            f"The signal {unreadable.id} for the key {unreadable.key} of {unreadable.workflow} cannot be read: "
            f"{unreadable.reason}.",
            "bad",
        )
    if result.signals or result.unreadable:
        shown = result.signals[0].id if result.signals else result.unreadable[0].id
        yield Gap()
        yield Say("One that is not wanted is discarded with:")
        yield Copy(workspace.command("workflow", "early-signals", "--discard", shown))


def discard_parts(result: DiscardResult) -> Iterator[Part]:
    """That the signal is discarded."""
    yield Say(f"The signal {result.id} for the key {result.key} of {result.workflow} is discarded.", "good")


def _signal_parts(each: EarlySignalView) -> Iterator[Part]:
    told = {
        "held": "is held",
        "taken": "is being given to a wait",
        "used": "was taken by a wait",
        "expired": "has expired",
        "discarded": "was discarded",
    }
    yield Say(f"A signal for the key {each.key} of {each.workflow} {told[each.state]}.")
    if each.reason:
        yield Say(each.reason, "bad")
    yield Copy(each.id)
    payload = shortened(json.dumps(each.payload, ensure_ascii=False), PAYLOAD_CHARACTERS_MAX)
    yield Facts(
        (
            ("payload", payload),
            ("received", moment(each.received_at)),
            ("submitted by", each.submitted_by),
            ("held until", moment(each.expires_at)),
        )
    )
