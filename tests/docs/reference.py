"""The parts of the reference that are made from the program: the commands, the JSON answers, the events.

In a page they stand between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

import click
from pydantic import AwareDatetime, BaseModel
from swamp_core.app import datastore_views, key_views, seeing_views, views
from swamp_core.cli.root import root
from swamp_core.run import events

WIDTH = 100

_SECTION = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def regenerated(text: str) -> str:
    """The page with its generated sections as they should be now."""
    return _SECTION.sub(lambda match: match[1] + _SECTIONS[match[2]]() + match[3], text)


def commands(
    command: click.Command = root, parent: click.Context | None = None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command, groups included, as `swamp workflow run`, in the order of the help."""
    name = command.name or ""
    ctx = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
    yield ctx.command_path, command, ctx
    if isinstance(command, click.Group):
        for each in command.list_commands(ctx):
            inner = command.get_command(ctx, each)
            assert inner is not None
            yield from commands(inner, ctx)


def view_models() -> list[type[views.View]]:
    """The answers and their parts, in the order of their modules."""
    named = vars(views) | vars(seeing_views) | vars(key_views) | vars(datastore_views)
    found = [each for each in named.values() if isinstance(each, type) and issubclass(each, views.View)]
    return [each for each in found if each is not views.View]


def event_models() -> list[type[BaseModel]]:
    """The events of a run's journal."""
    union = get_args(events.Event)[0]
    return list(get_args(union))


def _commands_section() -> str:
    return "\n".join(_command_section(path, ctx) for path, _, ctx in commands())


def _command_section(path: str, ctx: click.Context) -> str:
    text = ctx.get_help()
    if ctx.parent is not None:
        text = text.partition("\n\nGlobal options:\n")[0]
    return f"## {path}\n\n```text\n{text.rstrip()}\n```\n"


def _views_section() -> str:
    return "\n".join(_model_section(each, each.__name__.removesuffix("View")) for each in view_models())


def _events_section() -> str:
    return "\n".join(_model_section(each, _tag(each)) for each in event_models())


def _tag(event: type[BaseModel]) -> str:
    return str(event.model_fields["event"].default)


def _model_section(model: type[BaseModel], title: str) -> str:
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    schema = schema.get("$defs", {}).get(
        model.__name__, schema
    )  # A model that holds itself is among its parts.
    instants = {
        each.alias or name for name, each in model.model_fields.items() if _is_instant(each.annotation)
    }
    rows = [
        f"| `{name}` | {_type(member).replace('text', 'instant') if name in instants else _type(member)} |"
        for name, member in schema["properties"].items()
    ]
    return "\n".join([f"### {title}", "", _about(model), "", "| field | value |", "|---|---|", *rows, ""])


def _about(model: type[BaseModel]) -> str:
    """What the model says of itself, with its fields by their names in JSON."""
    text = " ".join((model.__doc__ or "").split())
    for name, each in model.model_fields.items():
        shown = f"`{each.alias or name}`"
        text = text.replace(f"`{name}` (as JSON, {shown})", shown).replace(f"`{name}`", shown)
    return text


def _is_instant(annotation: object) -> bool:
    return annotation is AwareDatetime or any(map(_is_instant, get_args(annotation)))


def _type(schema: dict[str, Any]) -> str:
    """A JSON type in words: `text`, `list of Step`, `text or null`."""
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[keyword]))
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2].removesuffix("View")
        return "any JSON" if name == "JsonValue" else f"{name}"
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kinds = {
        "string": "text",
        "null": "null",
        "boolean": "true or false",
        "integer": "whole number",
        "number": "number",
    }
    match schema.get("type"):
        case "array":
            return f"list of {_type(schema['items'])}"
        case "object":
            return "object"
        case kind:
            return kinds.get(str(kind), "any JSON")


_SECTIONS: dict[str, Callable[[], str]] = {
    "commands": _commands_section,
    "views": _views_section,
    "events": _events_section,
}
