"""Listing what a store waits for: the open waits for a signal, and the undecided gates."""

from __future__ import annotations

from swamp_core.app.views import UnreadableView, WaitsResult
from swamp_core.app.wait_views import wait_view
from swamp_core.app.workspace import Workspace
from swamp_core.records.families import WaitKind
from swamp_core.waits.listing import list_open_waits


def list_waits(workspace: Workspace, *, workflow: str | None = None) -> WaitsResult:
    """The open waits for a signal, oldest first, of one workflow or of all, with those that cannot be read."""
    return _listed(workspace, "signal", workflow)


def list_approvals(workspace: Workspace, *, workflow: str | None = None) -> WaitsResult:
    """The undecided gates, oldest first, of one workflow or of all, with those that cannot be read.

    One whose deadline has passed by this host's clock is `expired`: it cannot be decided, and a resume fails it.
    """
    return _listed(workspace, "approval", workflow)


def _listed(workspace: Workspace, kind: WaitKind, workflow: str | None) -> WaitsResult:
    listed = workspace.execute(list_open_waits(kind))
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
        nested=sum(each.parent_run_id is not None and each.workflow != workflow for each in listed.waits)
        if workflow in listed.unfinished
        else 0,
        others=sum(workflow is None or each.workflow == workflow for each in listed.others),
    )
