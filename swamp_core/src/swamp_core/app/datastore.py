"""What the datastore in use is, and which types of store there are."""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from swamp_core.app.views import DatastoreView, StoresResult, StoreTypeView
from swamp_core.app.workspace import Workspace
from swamp_core.store.registry import available_stores, describe


def show_datastore(workspace: Workspace) -> DatastoreView:
    """The datastore setting that holds and where it was found; opens nothing. Raises `StoreMisconfigured`."""
    chosen = workspace.chosen
    description = describe(chosen.setting)
    return DatastoreView(
        store=description.store,
        type=description.type,
        options=cast("dict[str, JsonValue]", description.options),
        source=chosen.source,
    )


def list_stores() -> StoresResult:
    """The types of store that are installed, and this project's own that are not."""
    return StoresResult(
        stores=[
            StoreTypeView(
                type=each.type,
                distribution=each.distribution,
                installed=each.installed,
                install=each.install,
                missing=list(each.missing),
            )
            for each in available_stores()
        ]
    )
