"""Regular expressions that cannot hang: `pattern` and `patternProperties`, by an engine whose time is linear.

The engine knows no look-around and no back reference: a pattern that needs them is refused when it is read.
"""

from __future__ import annotations

import functools
from typing import Protocol, cast


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str) -> object | None:
        """Anything but None if the pattern matches somewhere in the text."""


class PatternError(ValueError):
    """The text is no regular expression that this engine can run; the text of the error says why."""


@functools.lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Pattern:
    """The pattern, compiled. Raises `PatternError`."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return cast("Pattern", re2.compile(pattern, options))
    except re2.error as error:
        detail = error.args[0] if error.args else b""
        reason = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise PatternError(reason[:200] or "it does not compile") from None
    except UnicodeEncodeError:
        raise PatternError("it holds half of a surrogate pair") from None
