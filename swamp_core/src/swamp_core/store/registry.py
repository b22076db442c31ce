"""From a datastore setting to a store: which backend, with which options, opened.

A setting is a URL (`file:///srv/swamp`) or a mapping (`{type: local, path: /srv/swamp}`). Backends are found
by entry points, so a third party adds one without touching this package, and only the backend that a setting
chooses is imported. Messages name a scheme, a type or an option, never a whole URL: it may hold a credential.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import metadata
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ValidationError

from swamp_core.store.backend import ENTRY_POINT_GROUP, Backend
from swamp_core.store.checked import CheckedStore
from swamp_core.store.errors import StoreMisconfigured
from swamp_core.store.protocol import SignalWaitStore

FIRST_PARTY = {
    "local": "swamp-store-local",
    "file": "swamp-store-local",
    "s3": "swamp-store-s3",
    "gcs": "swamp-store-gcs",
    "gs": "swamp-store-gcs",
}
"""The names that this project's own distributions give, so that a missing one can be named."""


@dataclass(frozen=True, slots=True)
class AvailableStore:
    """A store type that this installation knows: `install` says how it is made usable.

    `missing` are the distributions that are not there; one that misses none and is not `installed` cannot be loaded.
    """

    type: str
    distribution: str
    installed: bool
    install: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreDescription:
    """What a setting means.

    `store` names it, `options` are all that hold, defaults included, secrets hidden. `is_proven` is whether its
    service is known to make a create atomic; where it is not, the first run tries it.
    """

    store: str
    type: str
    options: dict[str, object]
    is_proven: bool


def how_to_install(distribution: str) -> str:
    """A sentence that is right for who has Swamp from an index, and for who has it from a clone."""
    if distribution not in FIRST_PARTY.values():
        return f"Install it: pip install {distribution}"
    folder = distribution.replace("-", "_")
    return f"Install it as Swamp was: `pip install {distribution}`, or in a clone `pip install ./{folder}`."


def open_store(setting: str | Mapping[str, object]) -> SignalWaitStore:
    """The store that the setting names, with every key checked; `StoreMisconfigured` says what to correct."""
    backend, options = _resolve(setting)
    return CheckedStore(backend.open(options), backend.store_name(options))


def describe(setting: str | Mapping[str, object]) -> StoreDescription:
    """What the setting means, without opening anything."""
    backend, options = _resolve(setting)
    return StoreDescription(
        backend.store_name(options), backend.name, options.model_dump(mode="json"), backend.is_proven(options)
    )


def available_stores() -> list[AvailableStore]:
    """Every type that can be used, and one of each distribution that is absent or cannot be loaded, by type."""
    found: dict[str, AvailableStore] = {}
    broken: dict[str, str] = {}
    for name, entry_point in _entry_points().items():
        distribution = _distribution(entry_point)
        try:
            type_ = _load(entry_point).name
        except StoreMisconfigured:
            broken[name] = distribution
        else:
            missing = _missing(entry_point)
            found[type_] = AvailableStore(
                type_, distribution, not missing, how_to_install(distribution), missing
            )
    for name, distribution in {**FIRST_PARTY, **broken}.items():
        if all(distribution != store.distribution for store in found.values()):
            found[name] = AvailableStore(
                name,
                distribution,
                False,
                how_to_install(distribution),
                () if name in broken else (distribution,),
            )
    return [found[type_] for type_ in sorted(found)]


def _resolve(setting: str | Mapping[str, object]) -> tuple[Backend, BaseModel]:
    if isinstance(setting, str):
        scheme, separator, _ = setting.partition("://")
        if not separator:
            raise StoreMisconfigured(
                "The datastore setting is text but no URL",
                hint=f"Write a URL: for a directory `{_as_url(setting)}`, for a bucket `s3://team-bucket/releases`.",
            )
        backend = _backend(scheme.lower(), "URL scheme")
        return backend, _checked_options(backend, backend.from_url(setting))
    given = dict(setting)
    type_ = given.pop("type", None)
    if not isinstance(type_, str):
        meant = next((name for name in given if get_close_matches(name, ["type"])), None)
        raise StoreMisconfigured(
            "The datastore setting has no `type`" + (f", but `{_shown(meant)}`" if meant else ""),
            hint=f"Add one: {_listed(_entry_points())}.",
        )
    backend = _backend(type_, "type")
    return backend, _checked_options(backend, given)


def _backend(name: str, what: str) -> Backend:
    known = _entry_points()
    if name in known:
        return _load(known[name])
    if name in FIRST_PARTY:
        distribution = FIRST_PARTY[name]
        raise StoreMisconfigured(
            f"The datastore {what} `{name}` needs the distribution {distribution}, which is not installed",
            hint=how_to_install(distribution),
        )
    raise StoreMisconfigured(
        f"No installed store has the {what} `{_shown(name)}`",
        hint=f"{_did_you_mean(name, known)}Installed: {_listed(known)}.",
    )


def _load(entry_point: EntryPoint) -> Backend:
    try:
        return cast("Backend", entry_point.load())
    except Exception as error:  # whatever a third party's module raises while it is imported
        distribution = _distribution(entry_point)
        raise StoreMisconfigured(
            f"The store `{entry_point.name}` of {distribution} cannot be loaded",
            hint=f"It is broken, or lacks what it needs. {how_to_install(distribution)}",
        ) from error


def _checked_options(backend: Backend, given: Mapping[str, object]) -> BaseModel:
    try:
        return backend.options.model_validate(given)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        # One that is misspelt is also missing, and then the first is what to tell.
        problem = next((each for each in problems if each["type"] == "extra_forbidden"), problems[0])
        option = ".".join(str(part) for part in problem["loc"]) or "options"
        known = backend.options.model_fields
        if problem["type"] == "extra_forbidden":
            raise StoreMisconfigured(
                f"The {backend.name} store has no option `{_shown(option)}`",
                hint=f"{_did_you_mean(option, known)}Its options: {_listed(known)}.",
            ) from None
        if problem["type"] == "missing":
            raise StoreMisconfigured(
                f"The {backend.name} store needs the option `{option}`",
                hint=f"Add it to the datastore setting. All options: {_listed(known)}.",
            ) from None
        reason = problem["msg"].removeprefix("Value error, ").replace("Input should be", "it must be")
        raise StoreMisconfigured(
            f"The option `{option}` of the {backend.name} store is wrong: {reason.rstrip('.')}"
        ) from None


def _entry_points() -> dict[str, EntryPoint]:
    return {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINT_GROUP)}


def _distribution(entry_point: EntryPoint) -> str:
    return entry_point.dist.name if entry_point.dist else entry_point.module


def _missing(entry_point: EntryPoint) -> tuple[str, ...]:
    """The distributions that are needed and not there, told without importing an SDK."""
    needed = (entry_point.dist.requires if entry_point.dist else None) or []
    names = [re.split(r"[^\w.-]", each.strip(), maxsplit=1)[0] for each in needed if ";" not in each]
    return tuple(name for name in names if not _is_there(name))


def _is_there(distribution: str) -> bool:
    try:
        metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    matches = get_close_matches(name.lower(), list(known), n=1)
    return f"Did you mean `{matches[0]}`? " if matches else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"


def _as_url(setting: str) -> str:
    """The URL that a path was meant for; one that is absolute, or that there is, holds no credential."""
    path = Path(setting)
    if path.is_absolute():
        return path.as_uri()
    try:
        return path.resolve().as_uri() if setting and path.is_dir() else "file:///srv/swamp"
    except OSError:  # It is too long to be one.
        return "file:///srv/swamp"


def _shown(name: str) -> str:
    return ascii(name)[1:-1][:64]
