"""What the local store adds to the system calls that it cannot do without."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from swamp_core.store import open_store

from benchmarks.bare import RECORD, BareFiles
from benchmarks.measuring import Figure, against

CREATES, READS, LISTINGS = 50, 500, 20


def figures(directory: Path, rounds: int) -> list[Figure]:
    """Creates, reads, and listings of the records that the creates left."""
    store = open_store({"type": "local", "path": str(directory / "store"), "create": True})
    (directory / "bare").mkdir()
    bare = BareFiles(directory / "bare")
    numbers = count()

    def create() -> None:
        for _ in range(CREATES):
            assert store.put_if_absent(f"records/{next(numbers)}", RECORD)

    def create_bare() -> None:
        for _ in range(CREATES):
            bare.create()

    created = against(
        "put_if_absent",
        create,
        "write, fsync, link, unlink, fsync",
        create_bare,
        rounds=rounds,
        units=CREATES,
    )
    read = against(
        "get",
        lambda: [store.get("records/0") for _ in range(READS)],
        "open, read",
        lambda: [bare.read() for _ in range(READS)],
        rounds=rounds,
        units=READS,
    )
    listed = against(
        f"list of {rounds * CREATES}",
        lambda: [list(store.list("records/")) for _ in range(LISTINGS)],
        "scandir, sort",
        lambda: [bare.names() for _ in range(LISTINGS)],
        rounds=rounds,
        units=LISTINGS,
    )
    return [created, read, listed]
