"""How the keys of a workflow are told, and who holds each."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.key_views import KeysResult, KeyView, ReleaseResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Gap, Part, Say
from swamp_core.cli.rendering.waits import wait_parts


def keys_parts(result: KeysResult, workspace: Workspace) -> Iterator[Part]:
    """Each key with its step, and its holder as an open wait is told."""
    if not result.keys:
        yield Say(f"No step of {result.workflow} declares a key.")
    for number, each in enumerate(result.keys):
        if number:
            yield Gap()
        yield from _key_parts(each, result.workflow, workspace)


def release_parts(result: ReleaseResult) -> Iterator[Part]:
    """Whether anything had to be cleared."""
    if result.released:
        yield Say(f"The key {result.key} is free.", "good")
    else:
        yield Say(f"The key {result.key} is free already.")


def _key_parts(each: KeyView, workflow: str, workspace: Workspace) -> Iterator[Part]:
    of = f"The key {each.key}" + (f" of {each.step}" if each.step else "")
    if each.unreadable:
        yield Say(f"{of} cannot be claimed: {each.unreadable}. Clear it with:", "bad")
        yield Copy(workspace.command("workflow", "keys", workflow, "--release", each.key))
    elif each.holder:
        yield Say(f"{of} is held.", "warn")
        yield from wait_parts(each.holder, workspace.ambient.clock.now())
    elif each.claimed_by:
        yield Say(f"{of} is held by a wait that is not open yet, of the run:", "warn")
        yield Copy(each.claimed_by)
    else:
        yield Say(f"{of} is free.")
    if each.held:
        held = "A signal is held for it" if each.held == 1 else f"{each.held} signals are held for it"
        yield Say(f"{held}; listed by:")
        yield Copy(workspace.command("workflow", "early-signals", "--workflow", workflow, "--key", each.key))
