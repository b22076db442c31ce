"""How the datastore in use and the types of store are told."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from swamp_core.app.views import DatastoreView, StoresResult
from swamp_core.cli.parts import Copy, Facts, Part, Say, Table

SOURCES = {"default": "nothing else was set"}


def datastore_parts(view: DatastoreView) -> Iterator[Part]:
    """The datastore in use."""
    source = SOURCES.get(view.source, f"set by {view.source}")
    yield Say(f"The state is kept in the {view.type} store below; {source}.")
    yield Copy(view.store)
    yield Facts(tuple((name, _value(value)) for name, value in view.options.items()))


def _value(option: JsonValue) -> str:
    return option if isinstance(option, str) else json.dumps(option)


def stores_parts(result: StoresResult) -> Iterator[Part]:
    """The types of store."""
    yield Table(
        ("type", "distribution", "installed"),
        tuple((each.type, each.distribution, "yes" if each.installed else "no") for each in result.stores),
    )
    for each in result.stores:
        if not each.installed:
            yield Say(f"Install the {each.type} store with:")
            yield Copy(each.install)
