"""`swamp run`: the commands that remove runs."""

from __future__ import annotations

import click

from swamp_core.cli.lazy import LazyGroup

HERE = "swamp_core.cli.commands"


@click.group(
    "run",
    cls=LazyGroup,
    homes={"delete": f"{HERE}.run_delete:delete", "gc": f"{HERE}.run_gc:gc"},
)
def run_group() -> None:
    """Remove runs, with every record of them."""
