"""Reads a YAML file into plain JSON values, and knows the line and column of each.

The reader takes the part of YAML that cannot surprise: one document; keys that are text, each once; scalars
by the rule of `yaml_scalars`; no tags, directives or merge keys. An alias stands for what its anchor holds,
within a bound. Whatever the bytes are, the answer is a document or one `InvalidYaml` with a position, in time
linear in the size of the file; nothing is built by PyYAML's constructors, only its parser's events are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from swamp_core.workflow.problems import quoted
from swamp_core.workflow.yaml_document import Document, InvalidYaml, Node, Position
from swamp_core.workflow.yaml_scalars import InexactNumber, plain_value

try:
    from yaml import CSafeLoader as _Parser
except ImportError:  # PyYAML was built without libyaml; the rules are the same, only slower
    from yaml import SafeLoader as _Parser  # type: ignore[assignment]

FILE_BYTES_MAX = 1024 * 1024
DEPTH_MAX = 64
NODES_MAX = 200_000
EXPANDED_CHARACTERS_MAX = 2 * FILE_BYTES_MAX

_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_START = Position(1, 1)


def read_yaml(data: bytes) -> Document:
    """The document that the bytes of a file hold; raises `InvalidYaml`."""
    text = _decode(data)
    try:
        root = _Builder(yaml.parse(text, Loader=_Parser)).document()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text) from error
    except yaml.YAMLError as error:
        raise InvalidYaml("invalid_yaml", "This is not valid YAML.", _START) from error
    if root is None or root.value is None:
        raise InvalidYaml("empty_file", "The file is empty.", _START)
    return Document(root)


def _decode(data: bytes) -> str:
    if len(data) > FILE_BYTES_MAX:
        message = (
            f"The file has more than {FILE_BYTES_MAX // 1024 // 1024} MiB, which is the most that is read."
        )
        raise InvalidYaml("file_too_large", message, _START)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        message = "The file is not UTF-8 from here on; save it as UTF-8."
        raise InvalidYaml("not_utf8", message, _end_of(before)) from error
    if found := _NOT_PRINTABLE.search(text):
        message = f"The character U+{ord(found[0]):04X} is not allowed in YAML; remove it."
        raise InvalidYaml("invalid_yaml", message, _end_of(text[: found.start()]))
    return text


def _end_of(text: str) -> Position:
    line_start = text.rfind("\n") + 1
    return Position(text.count("\n") + 1, len(text) - line_start + 1)


class _Builder:
    """Builds nodes from parser events and stops at the first thing that is refused."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, Node | None] = {}

    def document(self) -> Node | None:
        root = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise _refused("A second document starts here; keep one document in a file.", event)
                if event.version or event.tags:
                    raise _refused("Directives such as %YAML and %TAG are not read; remove them.", event)
                root = self._node(next(self._events), depth=1)
        return root

    def _node(self, event: Any, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.tag is not None:
            raise _refused(f"The tag {quoted(event.tag)} is not read; remove it, or quote the text.", event)
        if depth > DEPTH_MAX:
            raise _too_deep(_position(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            node = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, depth)
        else:
            node = self._mapping(event, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: Any) -> Node:
        if event.anchor not in self._anchors:
            raise _refused(f"The alias {quoted(event.anchor)} names an anchor that is not above it.", event)
        target = self._anchors[event.anchor]
        if target is None:
            raise _refused(f"The alias {quoted(event.anchor)} stands inside its own anchor.", event)
        return target

    def _sequence(self, event: Any, depth: int) -> Node:
        members: list[Node] = []
        node = Node([], _position(event), members)
        for each in self._until(yaml.SequenceEndEvent):
            member = self._node(each, depth + 1)
            members.append(member)
            node.value.append(member.value)
            _weigh(node, member, each)
        return node

    def _mapping(self, event: Any, depth: int) -> Node:
        members: dict[str, Node] = {}
        node = Node({}, _position(event), members)
        for each in self._until(yaml.MappingEndEvent):
            key = self._key(each)
            at = _position(each)
            if key in members:
                message = f"The key {quoted(key)} is written twice in this mapping"
                raise InvalidYaml("duplicate_key", f"{message}; the first is at {node.keys[key]}.", at)
            member = self._node(next(self._events), depth + 1)
            members[key] = member
            node.keys[key] = at
            node.value[key] = member.value
            node.characters += len(key)
            _weigh(node, member, each)
        return node

    def _key(self, event: Any) -> str:
        if isinstance(event, yaml.AliasEvent) or not isinstance(event, yaml.ScalarEvent):
            message = "A key must be text, written out; quote it."
            raise InvalidYaml("key_not_text", message, _position(event))
        if event.implicit[0] and event.value == "<<":
            raise _refused("Merge keys (`<<`) are not read; write the fields out, or alias a value.", event)
        key = self._node(event, depth=1).value
        if not isinstance(key, str):
            message = f"The key {quoted(event.value)} must be text; quote it."
            raise InvalidYaml("key_not_text", message, _position(event))
        return key

    def _until(self, end: type) -> Iterator[Any]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event


def _scalar(event: Any) -> Node:
    at = _position(event)
    text: str = event.value
    if _SURROGATE.search(text):
        message = "Half of a surrogate pair is no character; write the character itself."
        raise InvalidYaml("invalid_yaml", message, at)
    value: Any = text
    if event.implicit[0]:
        try:
            value = plain_value(text)
        except InexactNumber as error:
            message = f"{quoted(text)} would not stay as it is written if read as a number; quote it."
            raise InvalidYaml("inexact_number", message, at) from error
    return Node(value, at, characters=len(text))


def _weigh(node: Node, member: Node, event: Any) -> None:
    node.nodes += member.nodes
    node.characters += member.characters
    if node.nodes > NODES_MAX or node.characters > EXPANDED_CHARACTERS_MAX:
        message = "The file holds too many values once its aliases are written out; make it smaller."
        raise InvalidYaml("too_many_values", message, _position(event))


def _position(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _refused(message: str, event: Any) -> InvalidYaml:
    return InvalidYaml("yaml_not_supported", message, _position(event))


def _syntax_error(error: yaml.MarkedYAMLError, text: str) -> InvalidYaml:
    mark = error.problem_mark or error.context_mark
    at = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    lines = text.split("\n")
    line = lines[at.line - 1] if at.line <= len(lines) else ""
    said = str(error.problem)
    if "nesting depth" in said:
        return _too_deep(at)
    if line[at.column - 1 :].startswith("\t"):
        message = "A tab cannot indent YAML; use spaces."
    elif line[max(at.column - 2, 0) :].startswith("${{"):
        message = "An expression inside `{ }` or `[ ]` must be quoted."
    elif "mapping values" in said:
        message = "The `: ` here would start a mapping inside a value; quote the value if it is text."
    else:
        context = f" {error.context}," if error.context else ""
        message = f"This is not valid YAML:{context} {said}."
    return InvalidYaml("invalid_yaml", message, at)


def _too_deep(at: Position) -> InvalidYaml:
    return InvalidYaml("too_deep", f"Values are nested more than {DEPTH_MAX} deep here.", at)
