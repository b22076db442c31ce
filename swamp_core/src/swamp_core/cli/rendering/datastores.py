"""How the datastore in use, its examination, a copy of it and the types of store are told."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from swamp_core.app.datastore_views import CheckView, CopyResult, DatastoreCheck
from swamp_core.app.views import DatastoreView, StoresResult
from swamp_core.cli.parts import Copy, Facts, Part, Say, Table
from swamp_core.cli.rendering.sources import datastore_source

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
            what = f"lacks {', '.join(each.missing)}" if each.missing else "cannot be loaded"
            yield Say(f"The {each.type} store {what}. {each.install}")


def check_parts(result: DatastoreCheck, source: str) -> Iterator[Part]:
    """What an examination of the datastore found; `source` is where that one was set."""
    yield Say(f"{datastore_source(source)} It was tried:")
    yield Copy(result.store)
    yield Table(
        ("check", "", "time", "what was found"),
        tuple(
            (each.name, _verdict(each), "" if each.skipped else f"{each.seconds:.2f} s", each.detail)
            for each in result.checks
        ),
        tuple("dim" if each.skipped else "plain" if each.ok else "bad" for each in result.checks),
    )
    if result.ok:
        yield Say("Every promise is kept: Swamp can be used on it.", "good")
    else:
        yield Say("Do not use this datastore: what failed is told above.", "bad")


def _verdict(check: CheckView) -> str:
    if check.skipped:
        return "skipped"
    return "ok" if check.ok else "failed"


def copy_parts(result: CopyResult, setting: str) -> Iterator[Part]:
    """What was copied, and what is to be done with it: `setting` is the target as it was given, options and all."""
    yield Say(
        f"{result.copied} records were copied and {result.skipped} were there already; "
        f"all {result.verified} were read back and are equal.",
        "good",
    )
    yield Say("Now set the datastore to the following on every host. Nothing may use the other one any more.")
    yield Copy(setting)
