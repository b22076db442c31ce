"""Broken stores over a network: what each makes of a reply is wrong, and its first line says how."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from reference_network.store import NetworkStore
from swamp_core.store import OutcomeUnknown, StoreUnavailable
from swamp_core.store.creating import Exists, Landed, NotLanded, Stored, Unclear

ATTEMPTS = 3


class NaiveLoop(NetworkStore):
    """Tries again after any failure, and takes "exists" for a lost race: there is no put-id."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        failed = False
        for _ in range(ATTEMPTS):
            match self.send(key, data, "none"):
                case Landed():
                    return True
                case Exists():
                    return self.whose(key, data, failed=failed)
                case Unclear() | NotLanded():
                    failed = True
        return self.at_the_end(key)

    def whose(self, key: str, data: bytes, *, failed: bool) -> bool:
        return False

    def at_the_end(self, key: str) -> bool:
        raise OutcomeUnknown("Nobody knows", put_id="none")


class EqualBytesAreOwn(NaiveLoop):
    """Reads the record back, and takes equal bytes for its own."""

    def whose(self, key: str, data: bytes, *, failed: bool) -> bool:
        return failed and self.get(key) == data


class ExistsAfterFailureIsWon(NaiveLoop):
    """Takes "exists" after a failure for its own record."""

    def whose(self, key: str, data: bytes, *, failed: bool) -> bool:
        return failed


class NoPutIdIsOwn(NetworkStore):
    """Takes a record without a put-id for its own."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return super().put_if_absent(key, data) or self.stored(key) == Stored(None)


class GuessesAtTheEnd(NaiveLoop):
    """Says that the race was lost when it does not know."""

    def at_the_end(self, key: str) -> bool:
        return False


class TransportErrorIsExists(NetworkStore):
    """Takes any failure of a create for "exists"."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return isinstance(self.send(key, data, "none"), Landed)


class ConflictIsExists(NetworkStore):
    """Takes 409, which stored nothing and decided nothing, for "exists"."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if isinstance(self.send(key, data, "none"), NotLanded):
            return False
        return super().put_if_absent(key, data)


class DeniedIsLost(NetworkStore):
    """Takes a create that failed for one that was lost."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        try:
            return super().put_if_absent(key, data)
        except Exception:
            return False


class OnePage(NetworkStore):
    """Lists the first page only."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return islice(super().list(prefix, start_after=start_after), min(1000, limit or 1000))


class FailedListingIsEmpty(NetworkStore):
    """Ends a listing at the first page that cannot be had."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        try:
            yield from super().list(prefix, start_after=start_after, limit=limit)
        except StoreUnavailable:
            return
