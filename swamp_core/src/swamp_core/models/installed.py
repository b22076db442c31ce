"""Finding the class that a Python model names, among what is installed, and importing it.

This is the one place where the code of a model is imported. It is other people's code: whatever its import raises
or prints, it ends in one of the named cases, and prints nothing where answers are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, packages_distributions, version

from swamp_core.models.printed import printing_aside
from swamp_core.models.python_definition import ENTRY_POINT_GROUP, Distribution
from swamp_core.models.raised import told
from swamp_core.workflow.problems import did_you_mean, quoted

_found: dict[str, type] = {}


@dataclass(frozen=True, slots=True)
class NotInstalled:
    """No installed distribution has the class; the message says what to install."""

    message: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """The class is installed, and no model can be made of it; the message says why."""

    message: str


def provided_names() -> list[str]:
    """The names under which installed distributions offer classes for models; nothing is imported."""
    return sorted({each.name for each in entry_points(group=ENTRY_POINT_GROUP)})


def find_class(class_name: str, pinned: Distribution | None = None) -> type | NotInstalled | Unusable:
    """The class, imported. `pinned` is the distribution that a run had it from, to name it where it is missing.

    A class that was found is kept, so that a further call costs nothing.
    """
    if class_name in _found:
        return _found[class_name]
    candidates = _entry_points(class_name)
    if not candidates:
        suggestion = did_you_mean(class_name, provided_names())
        return NotInstalled(
            f"No installed distribution offers {quoted(class_name)} among the entry points "
            f"`{ENTRY_POINT_GROUP}`{suggestion} {_advice(pinned)}"
        )
    if len({each.value for each in candidates}) > 1:
        places = " and ".join(sorted(quoted(each.value) for each in candidates))
        return Unusable(f"More than one installed class is called {quoted(class_name)}: {places}.")
    found = _import(candidates[0], pinned)
    if isinstance(found, type):
        _found[class_name] = found
    return found


def distribution_of(class_name: str) -> Distribution | None:
    """The distribution that the class comes from, if that is known; nothing is imported."""
    for each in _entry_points(class_name):
        if each.dist is not None:
            return Distribution(name=each.dist.name, version=each.dist.version)
        top = each.module.partition(".")[0]
        for name in packages_distributions().get(top, ()):
            try:
                return Distribution(name=name, version=version(name))
            except PackageNotFoundError:
                continue
    return None


def _entry_points(class_name: str) -> Sequence[EntryPoint]:
    if ":" in class_name:
        return [EntryPoint(class_name, class_name, ENTRY_POINT_GROUP)]
    return list(entry_points(group=ENTRY_POINT_GROUP, name=class_name))


def _import(entry_point: EntryPoint, pinned: Distribution | None) -> type | NotInstalled | Unusable:
    value = quoted(entry_point.value)
    try:
        with printing_aside():
            found = entry_point.load()
    except ModuleNotFoundError as error:
        return NotInstalled(
            f"The class {value} cannot be imported: there is no module {quoted(str(error.name))}. {_advice(pinned)}"
        )
    except (Exception, SystemExit) as error:
        return Unusable(f"The class {value} cannot be imported: {told(error)}.")
    return found if isinstance(found, type) else Unusable(f"What {value} names is no class.")


def _advice(pinned: Distribution | None) -> str:
    if pinned is None:
        return "Install the distribution that has it, in the environment in which Swamp runs."
    return f"Install it: pip install {pinned.name}=={pinned.version}"
