"""How records are read when one that is too large must not hide the others.

Something else than Swamp can store an object of any size under a record's key. An adapter refuses to read it
(`RecordTooLarge`), and a caller that reads many records would learn nothing of any. So what stands for it here is a
value: `records.base.read_record` calls it unreadable, and nobody takes it for absent.
"""

from __future__ import annotations

from collections.abc import Iterable

from swamp_core.store.errors import RecordTooLarge
from swamp_core.store.fan_out import fan_out
from swamp_core.store.protocol import SignalWaitStore


class TooLarge(bytes):
    """What stands for the bytes under a key that are too many to be a record. It holds none of them."""


def read(store: SignalWaitStore, key: str) -> bytes | None:
    """The record under the key, None, or `TooLarge`."""
    try:
        return store.get(key)
    except RecordTooLarge:
        return TooLarge()


def get_many(store: SignalWaitStore, keys: Iterable[str]) -> dict[str, bytes | None]:
    """The records under these keys, each whole, None or `TooLarge`, in the keys' order.

    A key given twice is read once.
    """
    wanted = list(dict.fromkeys(keys))
    return dict(zip(wanted, fan_out(lambda key: read(store, key), wanted), strict=True))
