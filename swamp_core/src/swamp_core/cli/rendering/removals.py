"""How it is told what was removed, and what was kept and why."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.views import RemovalResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Part, Say
from swamp_core.cli.rendering.sources import looked_in


def removal_parts(result: RemovalResult, workspace: Workspace) -> Iterator[Part]:
    """The runs that were removed, or would be, and the records; then those that were kept."""
    yield Say(_sentence(result), "good" if result.records and not result.dry_run else "plain")
    if not result.removed and not result.records:
        yield from looked_in(workspace)
    for run_id in result.removed:
        yield Copy(run_id)
    for kept in result.kept:
        yield Say(f"Kept: {kept.reason}", "warn")
        yield Copy(kept.run_id)


def _sentence(result: RemovalResult) -> str:
    if not result.removed and not result.records:
        return "Nothing would be deleted." if result.dry_run else "There was nothing to delete."
    runs, records = _counted(len(result.removed), "run"), _counted(result.records, "record")
    if not result.removed:
        verb = "would be" if result.dry_run else ("was" if result.records == 1 else "were")
        return f"No run is old enough; {records} of runs that are gone or over {verb} deleted."
    verb = "would be" if result.dry_run else ("was" if len(result.removed) == 1 else "were")
    return f"{runs} {verb} deleted ({records}):"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
