"""Mistakes on the command line that click does not find, and the types of what is read from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

import click


class Misuse(click.UsageError):
    """The command line asks for what cannot be; `hint` is the command that can."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class _Text(click.ParamType[str]):
    """Text that can be kept in a record. Bytes that are no UTF-8 are refused rather than changed."""

    name = "text"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.fail("It is not valid UTF-8.", param, ctx)
        return text


class _NameAndValue(_Text):
    """`NAME=VALUE`; what the value is, the declared schema says."""

    name = "name=value"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = super().convert(value, param, ctx)
        if not text.partition("=")[0] or "=" not in text:
            self.fail("It is not of the form NAME=VALUE.", param, ctx)
        return text


class _Length(click.ParamType[timedelta]):
    """A length of time, as workflows write one; it may be none at all, and up to a hundred years."""

    name = "length"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        match = re.fullmatch(r"([0-9]{1,10})([smhd]?)", str(value), re.ASCII)
        if match is None:
            self.fail("It is not a number of seconds, or of the form 90s, 30m, 24h or 7d.", param, ctx)
        seconds = int(match[1]) * _SECONDS_PER_UNIT[match[2] or "s"]
        if seconds > _LENGTH_MAX_S:
            self.fail("It is more than a hundred years.", param, ctx)
        return timedelta(seconds=seconds)


_SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}
_LENGTH_MAX_S = 36_500 * 24 * 60 * 60

LENGTH = _Length()
TEXT = _Text()
NAME_AND_VALUE = _NameAndValue()


def named_values(texts: Iterable[str]) -> dict[str, str]:
    """The values by name of options of the form `NAME=VALUE`; of one name the last."""
    return {name: value for name, _, value in (text.partition("=") for text in texts)}
