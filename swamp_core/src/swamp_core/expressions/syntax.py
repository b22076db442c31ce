"""The syntax tree of an expression, as far as we ask: which names it reads, and where it subtracts.

CEL's own parser makes the tree, so what is found is what will be evaluated. The library hands it out as a
serialized `cel.expr.ParsedExpr` (a stable, public protocol buffer); the few fields that matter are read from
that here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from swamp_core.expressions.cel import syntax_tree


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """A field, written `of.name` or `of["name"]`."""

    of: Node
    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; its value is kept for text and for integers from zero up."""

    value: str | int | None


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator, a list or an object: what it is made of, a receiver first."""

    function: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A macro such as `map` or `all`: the parts that cannot see its variables, and those that can."""

    outside: tuple[Node, ...]
    names: frozenset[str]
    inside: tuple[Node, ...]


Node: TypeAlias = Name | Member | Constant | Call | Loop


def parse(source: str) -> Node:
    """The tree of the expression. Raises `ExpressionError` if it is none."""
    parsed = _Message(_Message(syntax_tree(source)).part(2))
    return _node(parsed.part(2))


@functools.lru_cache(maxsize=1024)
def paths_read(source: str) -> frozenset[tuple[str, ...]]:
    """The fields that the expression reads, each by its longest path. Raises `ExpressionError` if it is none."""
    return frozenset(paths(parse(source)))


def chain(node: Node) -> tuple[str, ...] | None:
    """The path of a field below a variable, such as `("steps", "review", "outputs")`, if it is one."""
    names: list[str] = []
    while isinstance(node, Member):
        names.append(node.name)
        node = node.of
    return (node.name, *reversed(names)) if isinstance(node, Name) else None


def paths(node: Node, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, ...]]:
    """Every field that is read from a variable which no macro binds, each by its longest path."""
    path = chain(node)
    if path is not None:
        if path[0] not in bound:
            yield path
        return
    for part, names in children(node):
        yield from paths(part, bound | names)


def children(node: Node) -> Iterator[tuple[Node, frozenset[str]]]:
    """The parts of a node, each with the names that the node binds there."""
    nothing: frozenset[str] = frozenset()
    match node:
        case Member(of):
            yield of, nothing
        case Call(_, parts):
            yield from ((part, nothing) for part in parts)
        case Loop(outside, names, inside):
            yield from ((part, nothing) for part in outside)
            yield from ((part, names) for part in inside)


class _Message:
    """The fields of one message by number, each a list of what is there: a number or bytes."""

    def __init__(self, data: bytes) -> None:
        self.fields: dict[int, list[int | bytes]] = {}
        position = 0
        while position < len(data):
            tag, position = _varint(data, position)
            value: int | bytes
            match tag & 7:
                case 0:
                    value, position = _varint(data, position)
                case 2:
                    size, position = _varint(data, position)
                    value, position = data[position : position + size], position + size
                case wire:
                    size = {1: 8, 5: 4}[wire]
                    value, position = data[position : position + size], position + size
            self.fields.setdefault(tag >> 3, []).append(value)

    def parts(self, number: int) -> list[bytes]:
        return [value for value in self.fields.get(number, ()) if isinstance(value, bytes)]

    def part(self, number: int) -> bytes:
        return next(iter(self.parts(number)), b"")

    def text(self, number: int) -> str:
        return self.part(number).decode("utf-8")


def _node(data: bytes) -> Node:
    """One `cel.expr.Expr`; which of the numbered fields is set says of which kind it is."""
    expr = _Message(data)
    kind = next((number for number in expr.fields if number != 2), None)
    inner = _Message(expr.part(kind)) if kind is not None else _Message(b"")
    match kind:
        case 3:
            return _constant(inner)
        case 4:
            return Name(inner.text(1))
        case 5:
            return Member(_node(inner.part(1)), inner.text(2))
        case 6:
            return _call(inner.text(2), tuple(map(_node, inner.parts(1) + inner.parts(3))))
        case 7:
            return Call("[]", tuple(map(_node, inner.parts(1))))
        case 8:
            entries = map(_Message, inner.parts(2))
            return Call(
                "{}", tuple(_node(part) for entry in entries for part in entry.parts(3) + entry.parts(4))
            )
        case 9:
            return _loop(inner)
    return Constant(None)


def _constant(message: _Message) -> Constant:
    if 6 in message.fields:
        return Constant(message.text(6))
    integers = [value for value in message.fields.get(3, ()) if isinstance(value, int)]
    return Constant(integers[0] if integers else None)


def _call(function: str, parts: tuple[Node, ...]) -> Node:
    match function, parts:
        case "_[_]", (of, Constant(str() as name)):
            return Member(of, name)
    return Call(function, parts)


def _loop(message: _Message) -> Loop:
    names = frozenset(name for number in (1, 3, 8) if (name := message.text(number)))
    outside = message.parts(2) + message.parts(4)
    inside = message.parts(5) + message.parts(6) + message.parts(7)
    return Loop(tuple(map(_node, outside)), names, tuple(map(_node, inside)))


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position
