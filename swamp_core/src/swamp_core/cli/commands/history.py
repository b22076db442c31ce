"""`swamp workflow history`: the runs that there were."""

from __future__ import annotations

import click

from swamp_core.cli.lazy import LazyGroup

HERE = "swamp_core.cli.commands"


@click.group(
    "history",
    cls=LazyGroup,
    homes={
        "list": f"{HERE}.history_list:list_",
        "get": f"{HERE}.history_get:get",
        "logs": f"{HERE}.history_logs:logs",
    },
)
def history() -> None:
    """See the runs that there were, and their stories."""
