"""Expanding a step with a forEach: from the list or object that it names to items with names of their own. Pure.

The names are for people and for commands: printable, short, and unique in the job. An item's name is that of its step
with what it is for in brackets, such as `deploy[eu-west]`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from pydantic import JsonValue

from swamp_core.payload.values import compact, printable
from swamp_core.run.events import Item
from swamp_core.workflow.fields import TITLE_CHARACTERS_MAX

ITEMS_MAX = 10_000
ITEMS_BYTES_MAX = 1024 * 1024


class NoItems(ValueError):
    """What a forEach names cannot be gone through: `code` says why, and the message is a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def items_of(step: str, value: JsonValue, taken: Container[str]) -> list[Item]:
    """The items of a list, or those of an object as key and value; `taken` are names in use. Raises `NoItems`."""
    match value:
        case list():
            labelled = [(_label(each), each) for each in value]
        case dict():
            labelled = [(key, {"key": key, "value": each}) for key, each in value.items()]
        case _:
            raise NoItems("invalid_items", "What its forEach goes through is neither a list nor an object.")
    if len(labelled) > ITEMS_MAX:
        message = f"Its forEach has {len(labelled)} items; at most {ITEMS_MAX} are taken. Split the work."
        raise NoItems("too_many_items", message)
    size = len(compact(value))
    if size > ITEMS_BYTES_MAX:
        message = (
            f"The items of its forEach have {size} bytes; at most {ITEMS_BYTES_MAX} are taken. Pass less."
        )
        raise NoItems("too_many_items", message)
    names = unique_names(step, [label for label, _ in labelled], taken)
    return [Item(name=name, value=each) for name, (_, each) in zip(names, labelled, strict=True)]


def unique_names(step: str, labels: Iterable[str], taken: Container[str] = ()) -> list[str]:
    """A name for each label: printable, at most as long as a step's name may be, and none twice or taken."""
    names: dict[str, None] = {}
    numbers: dict[str, int] = {}
    for label in labels:
        name = first = _named(step, label, "")
        while name in names or name in taken:
            numbers[first] = numbers.get(first, 1) + 1
            name = _named(step, label, f"#{numbers[first]}")
        names[name] = None
    return list(names)


def _named(step: str, label: str, suffix: str) -> str:
    shown = printable(label).strip() or "-"
    room = TITLE_CHARACTERS_MAX - len(suffix) - 2
    kept = step if len(step) <= room // 2 else f"{step[: room // 2 - 1]}…"
    room -= len(kept)
    return f"{kept}[{shown if len(shown) <= room else f'{shown[: room - 1]}…'}{suffix}]"


def _label(value: JsonValue) -> str:
    return value if isinstance(value, str) else compact(value).decode()
