"""`swamp datastore`: where the state is kept."""

from __future__ import annotations

import click

from swamp_core.cli.lazy import LazyGroup

HERE = "swamp_core.cli.commands"


@click.group(
    "datastore",
    cls=LazyGroup,
    homes={"show": f"{HERE}.datastore_show:show", "stores": f"{HERE}.datastore_stores:stores"},
)
def datastore() -> None:
    """See where the state is kept."""
