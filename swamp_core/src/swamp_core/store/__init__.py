"""The control-plane store: its protocol, key rules, errors, registry and fan-out.

Everything that another floor or a store author may use stands here. What costs time to import (the registry,
the operations, the thread pool) is imported when its name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from swamp_core.store.errors import (
    ConditionalWritesUnsupported,
    InvalidKey,
    OutcomeUnknown,
    RecordTooLarge,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)
from swamp_core.store.protocol import SignalWaitStore

if TYPE_CHECKING:
    from swamp_core.store.backend import Backend
    from swamp_core.store.checked import CheckedStore
    from swamp_core.store.memory import MemoryStore
    from swamp_core.store.operations import execute, perform
    from swamp_core.store.registry import (
        AvailableStore,
        StoreDescription,
        available_stores,
        describe,
        open_store,
    )

__all__ = [
    "AvailableStore",
    "Backend",
    "CheckedStore",
    "ConditionalWritesUnsupported",
    "InvalidKey",
    "MemoryStore",
    "OutcomeUnknown",
    "RecordTooLarge",
    "SignalWaitStore",
    "StoreAccessDenied",
    "StoreDescription",
    "StoreError",
    "StoreMisconfigured",
    "StoreNotFound",
    "StoreUnavailable",
    "available_stores",
    "describe",
    "execute",
    "get_many",
    "open_store",
    "perform",
]

_HOMES = {
    "AvailableStore": "registry",
    "Backend": "backend",
    "CheckedStore": "checked",
    "MemoryStore": "memory",
    "StoreDescription": "registry",
    "available_stores": "registry",
    "describe": "registry",
    "execute": "operations",
    "get_many": "reads",
    "open_store": "registry",
    "perform": "operations",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
