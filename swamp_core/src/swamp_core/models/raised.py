"""What somebody else's code raised, told in a message: short, on one line, and fit for a record."""

from __future__ import annotations

import traceback
from pathlib import Path

from swamp_core.payload.values import printable

_OURS = Path(__file__).parent

TOLD_CHARACTERS_MAX = 400
TRACEBACK_CHARACTERS_MAX = 2000


def told(error: BaseException) -> str:
    """The exception's type and text, such as `ValueError: no such region`, for the end of a sentence."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(its text cannot be had)"
    kind = type(error).__qualname__
    return printable(f"{kind}: {text}" if text else kind, characters_max=TOLD_CHARACTERS_MAX).rstrip(".")


def traceback_tail(error: BaseException) -> str:
    """The last part of the traceback, without the frames of ours that it begins with."""
    below = error.__traceback__
    while below is not None and Path(below.tb_frame.f_code.co_filename).parent == _OURS:
        below = below.tb_next
    text = "".join(traceback.format_exception(type(error), error, below))
    return text[-TRACEBACK_CHARACTERS_MAX:].encode("utf-8", "replace").decode("utf-8")
