"""The schemas that a payload can be held to: JSON Schema 2020-12, less whatever is not enforced.

A schema never promises a check that is not made. So each keyword is one that `violations` enforces or a plain
annotation, and anything else is a problem when the workflow is read: an unknown keyword, a format without a
check, a reference that leaves the document, a `then` without its `if`. All problems are told at once, each
with its place.
"""

from __future__ import annotations

import difflib
import graphlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote

from swamp_core.payload.formats import FORMATS
from swamp_core.payload.keywords import (
    IN_PLACE,
    KEYWORDS,
    MEANINGLESS_WITHOUT,
    RENAMED,
    TYPES,
    Holds,
)
from swamp_core.payload.patterns import PatternError, compile_pattern
from swamp_core.payload.python_values import check_python
from swamp_core.payload.values import JsonValue, PayloadError, compact
from swamp_core.payload.violations import violations, violations_of

__all__ = ["SchemaProblem", "schema_problems", "violations"]

SCHEMA_BYTES_MAX = 512 * 1024
SCHEMA_NESTING_MAX = 64
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """What makes a schema unusable, and where in it. The message is a sentence."""

    path: Path
    message: str


def schema_problems(
    schema: object, *, defaults: bool = False, is_open: Callable[[str], bool] = lambda text: False
) -> list[SchemaProblem]:
    """Everything that makes the schema unusable; empty if `violations` enforces all that it says.

    `defaults` allows a valid `default` on the members of the root, for a workflow's inputs. A string for
    which `is_open` is true stands for a value that is not known yet, and is not judged: check again once it
    is.
    """
    if isinstance(schema, str) and is_open(schema):
        return []
    try:
        value = check_python(schema, "schema", bytes_max=SCHEMA_BYTES_MAX, nesting_max=SCHEMA_NESTING_MAX)
    except PayloadError as error:
        return [SchemaProblem((), error.reason)]
    if not isinstance(value, dict):
        return [SchemaProblem((), "A schema is an object with keywords such as `type` and `properties`.")]
    if len(compact(value)) > SCHEMA_BYTES_MAX:
        return [SchemaProblem((), f"The schema has over {SCHEMA_BYTES_MAX} bytes as compact JSON.")]
    reader = _Reader(value, defaults, is_open)
    problems = [*reader.root_problems(), *reader.read(value, ()), *reader.reference_problems()]
    return problems or list(reader.default_problems())


class _Reader:
    """One reading of one schema: walks the subschemas, and keeps where they are and what they refer to."""

    def __init__(self, root: dict[str, JsonValue], defaults: bool, is_open: Callable[[str], bool]) -> None:
        self.root = root
        self.defaults = defaults
        self.is_open = is_open
        self.applies: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        """Each subschema by its pointer, with those that it applies to the same value."""
        self.references: list[tuple[Path, str]] = []

    def root_problems(self) -> Iterator[SchemaProblem]:
        kind = self.root.get("type", "object" if "properties" in self.root else None)
        if kind != "object" and not self._open(kind):
            yield SchemaProblem(
                (), "The root of a schema declares `type: object`, or `properties` and no other type."
            )
        if "$schema" in self.root and self.root["$schema"] != DIALECT:
            yield SchemaProblem(("$schema",), f"The only dialect is `{DIALECT}`; leave `$schema` out.")

    def read(self, schema: JsonValue, path: Path) -> Iterator[SchemaProblem]:
        """The problems of the subschema at the path and of all below it."""
        self.applies[_pointer(path)] = []
        if isinstance(schema, bool) or self._open(schema):
            return
        if not isinstance(schema, dict):
            yield SchemaProblem(path, "A schema is expected here: an object, `true` or `false`.")
            return
        for name, value in schema.items():
            yield from self._keyword(name, value, schema, (*path, name))

    def reference_problems(self) -> Iterator[SchemaProblem]:
        for path, reference in self.references:
            target = _target(reference)
            if target is None:
                yield SchemaProblem(
                    path, "A `$ref` starts with `#`: no schema is fetched from anywhere else."
                )
            elif target not in self.applies:
                yield SchemaProblem(path, f"`{reference[:80]}` points to no schema in this document.")
            else:
                self.applies[_pointer(path[:-1])].append(target)
        try:
            graphlib.TopologicalSorter(self.applies).prepare()
        except graphlib.CycleError as error:
            looped = set(error.args[1])
            path = next(path for path, _ in self.references if _pointer(path[:-1]) in looped)
            yield SchemaProblem(
                path, "This `$ref` leads back to itself for the same value, and would never end."
            )

    def default_problems(self) -> Iterator[SchemaProblem]:
        """Defaults that break their own schema. The schema must be usable otherwise."""
        members = self.root.get("properties")
        if not isinstance(members, dict) or not self.defaults:
            return
        for name, member in members.items():
            if isinstance(member, dict) and "default" in member and not self._any_open(member):
                for message in violations_of(self.root, member, member["default"]):
                    yield SchemaProblem(
                        ("properties", name, "default"), f"The default does not fit. {message}"
                    )

    def _keyword(
        self, name: str, value: JsonValue, schema: dict[str, JsonValue], path: Path
    ) -> Iterator[SchemaProblem]:
        keyword = KEYWORDS.get(name)
        if keyword is None:
            yield SchemaProblem(path, f"The keyword `{name[:80]}` is not enforced here.{_meant(name)}")
            return
        if name == "$schema" and len(path) > 1:
            yield SchemaProblem(path, "`$schema` belongs to the root of a schema only.")
        if name == "default" and not (self.defaults and len(path) == 3 and path[0] == "properties"):
            yield SchemaProblem(path, "A `default` is never applied to a payload; leave it out.")
        needed = MEANINGLESS_WITHOUT.get(name)
        if needed is not None and needed not in schema:
            yield SchemaProblem(path, f"`{name}` does nothing without `{needed}` beside it.")
        if self._open(value):
            return
        if not keyword.accepts(value):
            yield SchemaProblem(path, f"`{name}` must be {keyword.expected}.{_meant_type(name, value)}")
            return
        yield from self._special(name, value, path)
        for sub_path, subschema in _subschemas(keyword.holds, value, path):
            yield from self.read(subschema, sub_path)
            if name in IN_PLACE:
                self.applies[_pointer(path[:-1])].append(_pointer(sub_path))

    def _special(self, name: str, value: JsonValue, path: Path) -> Iterator[SchemaProblem]:
        if name == "$ref" and isinstance(value, str):
            self.references.append((path, value))
        if name == "format" and value not in FORMATS:
            known = ", ".join(f"`{each}`" for each in FORMATS)
            yield SchemaProblem(
                path, f"The format {_quoted(value)} is not checked here; those that are: {known}."
            )
        patterns = value if name == "patternProperties" and isinstance(value, dict) else []
        for pattern in [value] if name == "pattern" else patterns:
            try:
                compile_pattern(str(pattern))
            except PatternError as error:
                yield SchemaProblem(path, f"The pattern {_quoted(pattern)} cannot be used: {error}.")

    def _open(self, value: JsonValue) -> bool:
        return isinstance(value, str) and self.is_open(value)

    def _any_open(self, value: JsonValue) -> bool:
        if isinstance(value, dict):
            return any(map(self._any_open, value.values()))
        if isinstance(value, list):
            return any(map(self._any_open, value))
        return self._open(value)


def _subschemas(holds: Holds, value: JsonValue, path: Path) -> Iterator[tuple[Path, JsonValue]]:
    if holds is Holds.ONE:
        yield path, value
    elif holds is Holds.LIST and isinstance(value, list):
        yield from (((*path, index), item) for index, item in enumerate(value))
    elif holds is Holds.MAP and isinstance(value, dict):
        yield from (((*path, name), member) for name, member in value.items())


def _pointer(path: Path) -> tuple[str, ...]:
    return tuple(map(str, path))


def _target(reference: str) -> tuple[str, ...] | None:
    if not reference.startswith("#"):
        return None
    pointer = unquote(reference[1:])
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        return (pointer, "is an anchor")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))


def _meant(name: str) -> str:
    renamed = RENAMED.get(name)
    close = [renamed] if renamed else difflib.get_close_matches(name[:80], KEYWORDS, n=1)
    return f" Did you mean `{close[0]}`?" if close else " Leave it out."


def _meant_type(name: str, value: JsonValue) -> str:
    close = (
        difflib.get_close_matches(value[:80], TYPES, n=1) if name == "type" and isinstance(value, str) else []
    )
    return f" Did you mean `{close[0]}`?" if close else ""


def _quoted(value: JsonValue) -> str:
    return f"`{str(value)[:80]}`"
