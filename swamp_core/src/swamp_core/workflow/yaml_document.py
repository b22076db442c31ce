"""A YAML file as it was read: its values with the place of each; or why it was not read, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from swamp_core.workflow.problems import KeyPath, Problem


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; both numbers count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class InvalidYaml(Exception):
    """The bytes are not a YAML document that Swamp reads; `problem` says why and where."""

    def __init__(self, code: str, message: str, at: Position) -> None:
        super().__init__(message)
        self.problem = Problem("error", code, message, at.line, at.column)


@dataclass(slots=True)
class Node:
    """A value with its position, its members, and what it weighs once its aliases are written out."""

    value: Any
    at: Position
    members: dict[str, Node] | list[Node] | None = None
    keys: dict[str, Position] = field(default_factory=dict)
    nodes: int = 1
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds, and the place of everything in it."""

    root: Node

    @property
    def value(self) -> Any:
        """The whole file as JSON values. Aliased parts are shared, so it must not be changed in place."""
        return self.root.value

    def position(self, path: KeyPath, *, at_key: bool = False) -> Position:
        """Where the value at the path is, or its key; for a path that is not there, its nearest ancestor."""
        node, at = self.root, self.root.at
        for step in path:
            members = node.members
            if isinstance(members, dict) and isinstance(step, str) and step in members:
                at = node.keys[step] if at_key else members[step].at
                node = members[step]
            elif isinstance(members, list) and isinstance(step, int) and 0 <= step < len(members):
                node = members[step]
                at = node.at
            else:
                return at
        return at
