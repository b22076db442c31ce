"""What every record is: one JSON object with a kind and a format, found, absent or unreadable.

1. A record is checked before it is written and again whenever it is read: other writers reach the store.
2. It names the key that it stands under. A record under another key is unreadable, so none can be passed off.
3. Unreadable is a case of its own, never taken for absent: something that exists may have won a race.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from swamp_core.store.reads import TooLarge

FORMAT = 1
"""The format of the records that this build reads and writes."""


def instant_text(instant: datetime) -> str:
    """The instant as ISO 8601 in UTC with milliseconds and `Z`."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _in_utc(instant: datetime) -> datetime:
    try:
        return instant.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("no_instant", "It is before the year 1 or after 9999 in UTC") from error


Instant = Annotated[
    AwareDatetime,
    AfterValidator(_in_utc),
    PlainSerializer(instant_text, when_used="json"),
]
"""A moment in UTC; as JSON, ISO 8601 with milliseconds and `Z`."""


class Model(BaseModel):
    """A frozen part of a record, in camelCase as JSON; unknown fields are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,  # A command pays for the models that it uses.
        strict=False,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        ser_json_inf_nan="constants",
    )


class Record(Model):
    """A whole record; a subclass adds `kind` as a literal and says where it stands."""

    format: int = FORMAT

    def key(self) -> str:
        """The key that this record stands under."""
        raise AssertionError(f"{type(self).__name__} does not say where it stands")

    def encode(self) -> bytes:
        """The record as it is stored: compact UTF-8 JSON, members that are None left out."""
        return self.model_dump_json(exclude_none=True).encode()


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Found(Generic[R]):
    """There is a record and it can be trusted to have its form."""

    record: R


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no record."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """There is something that is no record of this family: truncated, foreign, or of a newer format."""

    key: str
    reason: str


Reading = Found[R] | Absent | Unreadable


def read_record(family: type[R] | TypeAdapter[R], key: str, data: bytes | None) -> Reading[R]:
    """What the bytes under a key are: never an exception, whatever they hold."""
    if data is None:
        return Absent()
    if isinstance(data, TooLarge):
        return Unreadable(key, "it is larger than any record")
    try:
        record = (
            family.validate_json(data)
            if isinstance(family, TypeAdapter)
            else family.model_validate_json(data)
        )
    except ValidationError as error:
        return Unreadable(key, _newer_format(data) or _first_problem(error, data))
    if record.format != FORMAT:
        return Unreadable(
            key, _newer_format(data) or f"it is in format {record.format}, which no build writes"
        )
    if record.key() != key:
        return Unreadable(key, f"it belongs under `{record.key()}`")
    return Found(record)


def _newer_format(data: bytes) -> str | None:
    try:
        number = json.loads(data)["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if isinstance(number, int) and number > FORMAT:
        return f"it is in format {number}, written by a newer build; this one reads format {FORMAT}"
    return None


def _first_problem(error: ValidationError, data: bytes) -> str:
    if not data:
        return "it is empty"
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{first['msg']}{f' at `{place}`' if place else ''}"
