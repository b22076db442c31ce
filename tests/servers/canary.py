"""Whether a server lets exactly one create win. A suite on a server that does not proves nothing, and fails."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.servers.server import Server

RACERS = 16
ROUNDS = 3


class CanaryDied(Exception):
    """A server let a second create win, or lost the one that won."""


def check(server: Server) -> None:
    """Let 16 writers race for one name, more than once: one wins, its bytes stay, one who comes later loses."""
    bucket = server.new_bucket()

    def create(name: str, data: bytes) -> bool:
        return server.create_object(bucket, name, data)

    def read(name: str) -> bytes | None:
        return server.get_object(bucket, name)

    for number in range(ROUNDS):
        _race(f"canary/{number}", create, read)


def _race(name: str, create: Callable[[str, bytes], bool], read: Callable[[str], bytes | None]) -> None:
    barrier = Barrier(RACERS)

    def racer(number: int) -> bool:
        barrier.wait()
        return create(name, b"%d" % number)

    with ThreadPoolExecutor(RACERS) as pool:
        answers = list(pool.map(racer, range(RACERS)))
    winners = [b"%d" % number for number, won in enumerate(answers) if won]
    if len(winners) != 1:
        raise CanaryDied(f"{len(winners)} of {RACERS} racing creates of {name} won")
    if create(name, b"later"):
        raise CanaryDied(f"a create of {name} won although it was there")
    if read(name) != winners[0]:
        raise CanaryDied(f"{name} does not hold what its winner wrote")
