"""What can happen to one request on its way: whether it is carried out, and what comes back."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, cycle, repeat
from threading import Event, Lock
from typing import Literal, Protocol

from swamp_store_contract.under_test import Verb

HTML = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n"


@dataclass(frozen=True, slots=True)
class Pass:
    """Nothing: in a sequence, the request whose turn it is gets through."""


@dataclass(frozen=True, slots=True)
class DropRequest:
    """The request goes nowhere, and the connection is reset."""


@dataclass(frozen=True, slots=True)
class DropReply:
    """The request is carried out, and the connection is reset in place of the reply."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The request goes nowhere, and this is the answer."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerAfter:
    """The request is carried out, and this is the answer in place of the server's."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Hold:
    """The request waits for `release`, while its client may give up, and is carried out then.

    `arrived` is set when the request is here, and `landed` when the server has answered it.
    """

    release: Event = field(default_factory=Event)
    arrived: Event = field(default_factory=Event)
    landed: Event = field(default_factory=Event)


@dataclass(frozen=True, slots=True)
class ResetInBody:
    """The request is carried out, and the connection is reset in the middle of the reply's body."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """The request is carried out, and the connection ends in the middle of the reply's body, as if that were all."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The request is carried out twice, and one of the replies comes back."""

    reply: Literal["first", "second"] = "second"


Fault = Pass | DropRequest | DropReply | Answer | AnswerAfter | Hold | ResetInBody | Truncate | Duplicate


def html(status: int) -> Answer:
    """A page of somebody else, as a proxy or a portal between us and the server would answer."""
    return Answer(status, HTML, (("Content-Type", "text/html; charset=utf-8"),))


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came, whatever became of it; the names of its headers are in lower case."""

    verb: Verb | None
    method: str
    path: str
    headers: Mapping[str, str]


class Script(Protocol):
    """Decides what happens to a request; None lets it pass."""

    def __call__(self, request: Request, /) -> Fault | None:
        """What happens to this one."""
        ...


class InTurn:
    """The requests of one verb meet these faults, one after the other: `times` over, or without end for None."""

    def __init__(self, verb: Verb, faults: Sequence[Fault], times: int | None) -> None:
        self._verb = verb
        endless: Iterable[Fault] = cycle(faults)
        self._faults = iter(endless if times is None else chain.from_iterable(repeat(faults, times)))
        self._lock = Lock()

    def __call__(self, request: Request, /) -> Fault | None:
        if request.verb != self._verb:
            return None
        with self._lock:
            return next(self._faults, None)


class AtRandom:
    """A share of all requests of the store's verbs meets a fault. The seed decides, and the order of the requests."""

    def __init__(self, seed: int, share: float, faults: Mapping[Verb, Sequence[Fault]]) -> None:
        self._random = random.Random(seed)
        self._share = share
        self._faults = faults
        self._lock = Lock()

    def __call__(self, request: Request, /) -> Fault | None:
        if request.verb is None:
            return None
        with self._lock:
            met = self._random.random() < self._share
            return self._random.choice(self._faults[request.verb]) if met else None
