"""The gate before every adapter: the same refusal of a bad key on each backend, before anything is sent.

`open_store` puts it around whatever it opens, so an adapter may rely on keys, prefixes and sizes being valid,
and an error that an adapter raises without saying where is completed here with the operation, the key and the
store's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from swamp_core.store.errors import StoreError
from swamp_core.store.keys import check_key, check_limit, check_prefix, check_size
from swamp_core.store.protocol import SignalWaitStore


class CheckedStore:
    """A store that refuses what no backend may be asked, and whose errors always say where they happened.

    `name` is how messages call the store: a URL without credentials, or a word such as `memory`.
    """

    def __init__(self, store: SignalWaitStore, name: str) -> None:
        self.name = name
        self.unchecked = store

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        with self._completed("put_if_absent", key):
            check_key(key, operation="put_if_absent")
            check_size(data, operation="put_if_absent", key=key)
            return self.unchecked.put_if_absent(key, data)

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        with self._completed("get", key):
            check_key(key, operation="get")
            data = self.unchecked.get(key)
            if data is not None:
                check_size(data, operation="get", key=key)
            return data

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`. What may not be asked is refused at the call, not at the first key."""
        with self._completed("list", prefix):
            check_prefix(prefix, operation="list")
            if start_after is not None:
                check_prefix(start_after, operation="list")
            check_limit(limit, operation="list", prefix=prefix)
        return self._keys(prefix, start_after, limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        with self._completed("delete", key):
            check_key(key, operation="delete")
            self.unchecked.delete(key)

    def _keys(self, prefix: str, start_after: str | None, limit: int | None) -> Iterator[str]:
        if limit == 0:
            return
        with self._completed("list", prefix):
            yield from self.unchecked.list(prefix, start_after=start_after, limit=limit)

    @contextmanager
    def _completed(self, operation: str, key: str) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            error.operation = error.operation or operation
            error.key = key if error.key is None else error.key
            error.store = error.store or self.name
            raise
