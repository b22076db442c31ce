"""`swamp datastore`: where the state is kept."""

from __future__ import annotations

import click

from swamp_core.cli.lazy import LazyGroup

HERE = "swamp_core.cli.commands"


@click.group(
    "datastore",
    cls=LazyGroup,
    homes={
        "show": f"{HERE}.datastore_show:show",
        "check": f"{HERE}.datastore_check:check",
        "stores": f"{HERE}.datastore_stores:stores",
        "copy": f"{HERE}.datastore_copy:copy",
    },
)
def datastore() -> None:
    """See, try and copy where the state is kept."""
