"""The inputs of a run in a few words, by which a person tells it from other runs of its workflow."""

from __future__ import annotations

from swamp_core.payload.values import printable, shown
from swamp_core.run.events import Json

INPUTS_CHARACTERS_MAX = 60
VALUE_CHARACTERS_MAX = 24


def inputs_text(inputs: Json) -> str:
    """`env=dev, tag="2.1 final"`: the values as JSON, cut where they are long; a plain word goes without quotes."""
    told: list[str] = []
    for name, value in inputs.items():
        text = shown(value, characters_max=VALUE_CHARACTERS_MAX)
        is_word = isinstance(value, str) and value and text == f'"{value}"' and not set(value) & set(' ,="')
        told.append(f"{printable(name)}={value if is_word else text}")
        if len(", ".join(told)) > INPUTS_CHARACTERS_MAX:
            break
    return printable(", ".join(told), characters_max=INPUTS_CHARACTERS_MAX)
