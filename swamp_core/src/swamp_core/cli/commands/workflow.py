"""`swamp workflow`: the commands about workflows and their runs."""

from __future__ import annotations

import click

from swamp_core.cli.lazy import LazyGroup

HERE = "swamp_core.cli.commands"


@click.group(
    "workflow",
    cls=LazyGroup,
    homes={
        "list": f"{HERE}.workflow_list:list_",
        "validate": f"{HERE}.validate:validate",
        "graph": f"{HERE}.graph:graph",
        "run": f"{HERE}.run:run",
        "waits": f"{HERE}.waits:waits",
        "keys": f"{HERE}.keys:keys",
        "early-signals": f"{HERE}.early_signals:early_signals",
        "signal": f"{HERE}.signal:signal",
        "resume": f"{HERE}.resume:resume",
        "approvals": f"{HERE}.approvals:approvals",
        "approve": f"{HERE}.approve:approve",
        "reject": f"{HERE}.reject:reject",
        "watch": f"{HERE}.watch:watch",
        "cancel": f"{HERE}.cancel:cancel",
        "recover": f"{HERE}.recover:recover",
        "history": f"{HERE}.history:history",
        "delete": f"{HERE}.workflow_delete:delete",
    },
)
def workflow() -> None:
    """Run workflows, signal their waits, see their history."""
