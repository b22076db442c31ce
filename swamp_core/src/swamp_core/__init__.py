"""Swamp: durable waits with nothing but a bucket.

A workflow pauses at a step until a small JSON message arrives or a deadline passes. `Swamp.open` gives in Python what
the command line gives in a shell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swamp_core.app.refusals import Refused
    from swamp_core.app.swamp import Swamp
    from swamp_core.models.context import MethodContext
    from swamp_core.store.errors import StoreError

__all__ = ["MethodContext", "Refused", "StoreError", "Swamp"]

_HOMES = {
    "MethodContext": "swamp_core.models.context",
    "Refused": "swamp_core.app.refusals",
    "StoreError": "swamp_core.store.errors",
    "Swamp": "swamp_core.app.swamp",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a command that needs little starts fast."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
