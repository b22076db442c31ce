"""Listing the open waits of a store."""

from __future__ import annotations

from swamp_core.app.views import UnreadableView, WaitsResult
from swamp_core.app.wait_views import wait_view
from swamp_core.app.workspace import Workspace
from swamp_core.waits.listing import list_open_waits


def list_waits(workspace: Workspace, *, workflow: str | None = None) -> WaitsResult:
    """The open waits, oldest first, of one workflow or of all, with those whose records cannot be read."""
    listed = workspace.execute(list_open_waits())
    return WaitsResult(
        waits=[
            wait_view(each, workspace)
            for each in listed.waits
            if workflow is None or each.workflow == workflow
        ],
        unreadable=[
            UnreadableView(wait_id=each.key.rsplit("/", 1)[-1], reason=f"`{each.key}`: {each.reason}")
            for each in listed.unreadable
        ],
    )
