"""A store that is traced: it tells of each operation, and is otherwise the store that it was."""

from __future__ import annotations

from datetime import UTC, datetime

from swamp_core.cli.tracing import TracedStore
from swamp_core.store.memory import MemoryStore
from swamp_core.store.probing import server_now

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Telling(MemoryStore):
    """A store whose service says what time it is."""

    def server_now(self) -> datetime:
        return NOW


def test_the_clock_of_the_service_is_not_hidden() -> None:
    """`datastore check --log-level debug` compares it with this machine's, as without."""
    assert server_now(TracedStore(Telling(), print)) == NOW
    assert server_now(TracedStore(MemoryStore(), print)) is None
