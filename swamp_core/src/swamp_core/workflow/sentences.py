"""Turns what pydantic says about a definition into findings: a sentence for the author, at the right path.

Pydantic's own words are about Python's types. Each kind of error that our definitions can cause has its
sentence here; an unknown field is answered with the field that was probably meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted

_TYPE_SENTENCES = {
    "string_type": "must be text; quote it",
    "bool_type": "must be `true` or `false`",
    "dict_type": "must be a mapping",
    "tuple_type": "must be a list",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "union_tag_not_found": "must be a mapping with a `type`",
    "too_short": "must not be empty",
}


def findings_of(error: ValidationError, value: Any, root: type[BaseModel]) -> list[Finding]:
    """The findings that the error amounts to; `value` is what was validated as a `root`."""
    errors = error.errors(include_url=False, include_input=False)
    return [_finding(each, value, root) for each in errors if not _echoes(each, value)]


def _echoes(error: ErrorDetails, value: Any) -> bool:
    """Whether it says only that a list is empty once its invalid members, each reported, are left out."""
    return error["type"] == "too_short" and len(_value_at(value, _path_in(value, error["loc"]))) > 0


def _finding(error: ErrorDetails, value: Any, root: type[BaseModel]) -> Finding:
    path = _path_in(value, error["loc"])
    field = str(error["loc"][-1]) if error["loc"] else ""
    subject = quoted(_last_key(path)) if any(isinstance(step, str) for step in path) else "The file"
    context = error.get("ctx", {})
    match error["type"]:
        case "missing":
            where = f" in {subject}" if path else ""
            return Finding(path, "missing_field", f"The field {quoted(field)} is missing{where}.")
        case "extra_forbidden":
            suggestion = did_you_mean(field, _fields_at(root, error["loc"][:-1]))
            return Finding(path, "unknown_field", f"Unknown field {quoted(field)}{suggestion}", at_key=True)
        case "literal_error":
            given = str(_value_at(value, path))
            known = context["expected"].strip("'").split("' or '")
            message = f"Unknown {field} {quoted(given)}{did_you_mean(given, known)}"
            return Finding(path, f"unknown_{field}", message)
        case "union_tag_invalid":
            tag = context["tag"]
            known = [each.strip(" '") for each in context["expected_tags"].split(",")]
            return Finding(
                (*path, "type"), "unknown_type", f"Unknown type {quoted(tag)}{did_you_mean(tag, known)}"
            )
        case (
            "invalid_name" | "invalid_timeout" | "invalid_concurrency" | "invalid_early_signals" | "no_value"
        ) as code:
            return Finding(path, code, f"{subject} {error['msg']}.")
        case kind:
            return Finding(path, "wrong_type", f"{subject} {_TYPE_SENTENCES.get(kind, error['msg'])}.")


def _path_in(value: Any, location: tuple[int | str, ...]) -> KeyPath:
    """The location without the union tags that pydantic puts in, and without a last field that is missing."""
    path: list[str | int] = []
    after_tag = False
    for step in location:
        is_tag = isinstance(value, dict) and value.get("type") == step and not after_tag
        in_mapping = isinstance(value, dict) and step in value and not is_tag
        after_tag = is_tag
        if in_mapping or (isinstance(value, list) and isinstance(step, int) and step < len(value)):
            value = value[step]
            path.append(step)
    return tuple(path)


def _value_at(value: Any, path: KeyPath) -> Any:
    for step in path:
        value = value[step]
    return value


def _last_key(path: KeyPath) -> str:
    steps = [step for step in path if isinstance(step, str)]
    index = f"[{path[-1]}]" if isinstance(path[-1], int) else ""
    return f"{steps[-1]}{index}"


def _fields_at(root: type[BaseModel], location: tuple[int | str, ...]) -> set[str]:
    models = {root}
    for step in location:
        tagged = {each for each in models if step in _tags(each)}
        inner = {found for each in models for found in _models_of_field(each, step)}
        models = tagged or inner or models
    return {field.alias or name for each in models for name, field in each.model_fields.items()}


def _models_of_field(model: type[BaseModel], alias: int | str) -> Iterator[type[BaseModel]]:
    for name, field in model.model_fields.items():
        if alias == (field.alias or name):
            yield from _models_within(field.annotation)


def _models_within(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models_within(each)


def _tags(model: type[BaseModel]) -> tuple[Any, ...]:
    field = model.model_fields.get("type")
    return get_args(field.annotation) if field else ()
