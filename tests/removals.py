"""A store in memory with processes that die at any of their writes, for tests of what is left and who removes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Lock

from swamp_core.ambient import Ambient
from swamp_core.app.refusals import Refused
from swamp_core.app.swamp import Swamp
from swamp_core.app.views import RemovalResult
from swamp_core.app.workspace import Workspace
from swamp_core.journal.early import KEPT_AFTER_EXPIRY
from swamp_core.records import keys
from swamp_core.store.errors import StoreAccessDenied, StoreError
from swamp_core.store.memory import MemoryStore
from swamp_core.testing.clock import FakeClock
from swamp_core.testing.ids import SeededIds

from tests.histories import NOW

WAIT = "{ type: wait_for_signal, timeout: 1h }"
FILES = {
    "wait": f"jobs: [{{ name: j, steps: [{{ name: ask, task: {WAIT} }}] }}]",
    "nest": f"""
jobs:
  - name: j
    steps:
      - {{ name: inner, task: {{ type: workflow, workflowIdOrName: wait, inputs: {{}} }} }}
      - {{ name: beside, task: {WAIT} }}
      - {{ name: gate, task: {{ type: manual_approval, prompt: Go on? }} }}
""",
    "fail": "jobs: [{ name: j, steps: [{ name: a, task: { type: assert, expr: '${{ 1 == 2 }}', message: No. } }] }]",
    "each": f"""
jobs:
  - name: j
    steps: [{{ name: s, forEach: {{ item: x, in: [1, 2] }}, task: {WAIT} }}]
""",
    "keyed": """
jobs:
  - name: j
    steps:
      - { name: ask, allowFailure: true, task: { type: wait_for_signal, timeout: 1h, key: k } }
      - { name: then, dependsOn: [ask], task: { type: wait_for_signal, timeout: 2h, key: l } }
""",
    "over": """
jobs:
  - { name: j, steps: [{ name: inner, task: { type: workflow, workflowIdOrName: keyed, inputs: {} } }] }
""",
}
KEYS = ("k", "l")
"""The keys of the workflow `keyed`, under which the test signals."""


def repo(directory: Path) -> Path:
    """A directory with the workflows, none of which runs a process."""
    (directory / "workflows").mkdir(exist_ok=True)
    for name, text in FILES.items():
        (directory / "workflows" / f"{name}.yaml").write_text(text)
    return directory


class MortalStore:
    """The store as one process sees it that dies before or after its n-th write, and can do nothing from then on.

    `writes` counts what it has created and deleted. A process that is dead finds every access denied.
    """

    def __init__(self, store: MemoryStore, dies_at: int | None, *, after: bool) -> None:
        self.writes = 0
        self.dead = False
        self._store = store
        self._dies_at = dies_at
        self._after = after
        self._lock = Lock()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        with self._lock:
            self._live(last=not self._after)
            won = self._store.put_if_absent(key, data)
            self._live(last=self._after, counts=False)
            return won

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        with self._lock:
            self._live(last=not self._after)
            self._store.delete(key)
            self._live(last=self._after, counts=False)

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        with self._lock:
            self._live(last=False, counts=False)
            return self._store.get(key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`."""
        with self._lock:
            self._live(last=False, counts=False)
            return self._store.list(prefix, start_after=start_after, limit=limit)

    def _live(self, *, last: bool, counts: bool = True) -> None:
        self.writes += counts
        self.dead = self.dead or (last and self.writes == self._dies_at)
        if self.dead:
            raise StoreAccessDenied("This process is dead")


@dataclass
class Hosts:
    """A store, and hosts that come and go: each use is a process of its own, on a host of its own."""

    directory: Path
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW))
    used: int = 0

    def process(self, dies_at: int | None = None, *, after: bool = False) -> tuple[Swamp, MortalStore]:
        """A fresh process, which dies at its n-th write."""
        self.used += 1
        mortal = MortalStore(self.store, dies_at, after=after)
        ambient = Ambient(self.clock, SeededIds(self.used), f"host-{self.used}", 1, "somebody")
        return Swamp(Workspace(self.directory, ambient, opener=lambda _: mortal)), mortal

    def run_ids(self) -> list[str]:
        """Every run in the history, the newest first."""
        return [run.id for run in self.process()[0].history(limit=1_000).runs]

    def left(self) -> list[str]:
        """What the store holds beside its format, and one release of each key."""
        records = self.store.records
        released = {
            keys.claim_family(key): key for key, data in records.items() if b'"kind":"release"' in data
        }
        return sorted(set(records) - {"format", *released.values()})

    def collect(self) -> RemovalResult:
        """Collect what is left over, and make sure that as much is deleted as a dry run tells."""
        told = self.process()[0].collect(timedelta(0), dry_run=True)
        done = self.process()[0].collect(timedelta(0))
        assert (told.removed, told.records) == (done.removed, done.records)
        return done

    def delete_everything(self) -> None:
        """Delete every run, and collect what is left over; an hour later no dead driver is taken for alive.

        What was held for a key stays for longer.
        """
        self.clock.move(timedelta(hours=1))
        for run_id in self.run_ids():
            with suppress(Refused):  # It went with its root, or will.
                self.process()[0].delete_run(run_id, force=True)
        self.collect()

    def forget_signals(self) -> None:
        """Let the time of all that is held be over for long, and collect it."""
        self.clock.move(timedelta(hours=1) + KEPT_AFTER_EXPIRY)
        self.collect()


DYING = (Refused, StoreError)
"""What a process may raise that dies, or that is not done what it asked for."""
