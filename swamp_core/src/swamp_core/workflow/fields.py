"""What the definitions that people write have in common: a strict base, and the values of fields.

Nothing is coerced and nothing is guessed: `"true"` is no boolean, 5 is no name, a field without a value is
refused (an empty `guard:` or `schema:` would otherwise quietly mean "none"), and an unknown field is an
error. In Python the fields have Python names; in YAML and JSON they are camelCase, and only that is read
there.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from swamp_core.records.fields import NAME
from swamp_core.store.keys import is_device_name

TIMEOUT_MIN_S = 1
TIMEOUT_MAX_S = 365 * 24 * 60 * 60
TITLE_CHARACTERS_MAX = 128
CONCURRENCY_MAX = 10_000

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z", re.ASCII)
_WORDS_OF_EXPRESSIONS = frozenset({"true", "false", "null", "in"})
_DURATION = re.compile(r"([0-9]{1,9})([smhd])\Z", re.ASCII)
_SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}


class Definition(BaseModel):
    """A frozen part of what a person declared in a file. Two are equal when all their fields are."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        allow_inf_nan=False,
    )

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON values, fields with their default left out; `from_json` reads it back."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """What `to_json` wrote, or a file holds; raises `pydantic.ValidationError`, a `ValueError`."""
        return cls.model_validate(value, by_alias=True, by_name=False)


class Tagged(Definition):
    """A definition that says by `type` which of several it is; it is written although it has a default."""

    @model_serializer(mode="wrap")
    def _keep_type(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"type": getattr(self, "type"), **handler(self)}  # noqa: B009 (its subclasses declare it)


def name_problem(name: str) -> str | None:
    """What keeps the text from being a name that can go into keys and file names; None if nothing does."""
    if not NAME.fullmatch(name):
        return "must have 1 to 64 characters from a-z, 0-9, `_` and `-`, and start with a letter or digit"
    if is_device_name(name):
        return "is the name of a device on Windows; choose another"
    return None


def title_problem(title: str) -> str | None:
    """What keeps the text from naming a job or step; None if nothing does."""
    if not title.strip():
        return "must not be empty"
    if len(title) > TITLE_CHARACTERS_MAX:
        return f"must have at most {TITLE_CHARACTERS_MAX} characters, and has {len(title)}"
    if not title.isprintable():
        return "must have printable characters only: no line break, tab or other control character"
    return None


def parse_seconds(value: Any) -> Any:
    """The seconds of `90s`, `30m`, `24h`, `7d` or a number; outside one second to one year it is refused."""
    if isinstance(value, str) and (match := _DURATION.match(value)):
        value = int(match[1]) * _SECONDS_PER_UNIT[match[2]]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError(
            "invalid_timeout", "must be a number of seconds, or `90s`, `30m`, `24h` or `7d`"
        )
    if not TIMEOUT_MIN_S <= value <= TIMEOUT_MAX_S:
        raise PydanticCustomError("invalid_timeout", "must be from one second to one year")
    return value


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("no_value", "has no value; give it one or leave the field out")
    return value


def _check_name(value: Any) -> Any:
    if isinstance(value, str) and (problem := name_problem(value)):
        raise PydanticCustomError("invalid_name", "{problem}", {"problem": problem})
    return value


def _check_key(value: Any) -> Any:
    if isinstance(value, str) and "${{" in value:
        raise PydanticCustomError(
            "expression_not_allowed", "is plain text, without expressions: who signals has to know it"
        )
    return _check_name(value)


def _check_title(value: Any) -> Any:
    if isinstance(value, str) and (problem := title_problem(value)):
        raise PydanticCustomError("invalid_name", "{problem}", {"problem": problem})
    return value


def _check_variable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not _VARIABLE.match(value):
        problem = "must be 1 to 64 of the characters a-z, A-Z, 0-9 and `_`, and not start with a digit"
    elif value in _WORDS_OF_EXPRESSIONS:
        problem = "is a word of the language of expressions, which could not read it; choose another"
    else:
        return value
    raise PydanticCustomError("invalid_name", "{problem}", {"problem": problem})


def _check_items(value: Any) -> Any:
    if not isinstance(value, str | list | dict):
        raise PydanticCustomError(
            "wrong_type", "must be a list, a mapping, or one expression that gives one, written `${{ … }}`"
        )
    return value


def _check_concurrency(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= CONCURRENCY_MAX:
        raise PydanticCustomError(
            "invalid_concurrency", f"must be a whole number from 1 to {CONCURRENCY_MAX}"
        )
    return value


Given = BeforeValidator(_refuse_null)
"""Marks an optional field: it may be left out, but where it is written it has a value."""

Name = Annotated[str, BeforeValidator(_check_name)]
"""The identity of a workflow or model: 1 to 64 characters `[a-z0-9][a-z0-9_-]*`, no device name."""

Key = Annotated[str, BeforeValidator(_check_key)]
"""The key of a wait: literal text of 1 to 64 characters `[a-z0-9][a-z0-9_-]*`, no device name."""

Title = Annotated[str, BeforeValidator(_check_title)]
"""The name of a job or step: printable text up to 128 characters, not blank."""

Variable = Annotated[str, BeforeValidator(_check_variable)]
"""A name that an expression can use after a dot."""

Items = Annotated[str | list[Any] | dict[str, Any], BeforeValidator(_check_items)]
"""What a step is done for: a list, a mapping, or the expression that gives one."""

Concurrency = Annotated[int, BeforeValidator(_check_concurrency)]
"""How many may run at a time."""

Seconds = Annotated[int | float, BeforeValidator(parse_seconds)]
"""A length of time: a number of seconds, or text such as `90s`, which becomes one; one second to one year."""
