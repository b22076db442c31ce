"""What the author of a store supplies, so that the suite can open it, look past it, and make it fail.

`open`, `open_elsewhere` and the raw access are required. Each other hook may be left out: the cases that need
it are then reported as not proven, with the reason, and never pass in silence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from _pytest.outcomes import Skipped
from swamp_core.store import SignalWaitStore

Verb = Literal["put_if_absent", "get", "list", "delete"]
VERBS: tuple[Verb, ...] = ("put_if_absent", "get", "list", "delete")
NOT_PROVEN = "not proven: "


class NotProven(Skipped):
    """Raised by a hook that cannot do what a case needs; the case is then reported as not proven."""

    def __init__(self, reason: str) -> None:
        super().__init__(NOT_PROVEN + reason)


class Fault(Enum):
    """What goes wrong between a store and its backend."""

    LOST_REQUEST = "the request never arrives, and the store sees a failure"
    LOST_REPLY = "the request is carried out, and the store sees a failure instead of the reply"
    CONFLICT = "the backend carries nothing out and says that it was busy with the same key (409)"
    DENIED = "the backend refuses the credentials"
    THROTTLED = "the backend carries nothing out and says that it is asked too much"
    UNAVAILABLE = "the backend cannot be reached"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How another process opens the same store: `function` is `module:name`, called with `arguments`."""

    function: str
    arguments: tuple[str, ...] = ()


class StoreUnderTest(ABC):
    """One empty store, for one test. Whatever it opens is what users get: checked, as by `open_store`.

    A store that waits between attempts should be opened with a pace that does not really wait.
    """

    create_calls: tuple[str, ...] = ()
    """The functions through which a create reaches the system, such as `os.link`.

    A process is killed at each.
    """

    @abstractmethod
    def open(self) -> SignalWaitStore:
        """A store over this test's data, sharing nothing in memory with the last one that was opened."""

    @abstractmethod
    def open_elsewhere(self) -> SignalWaitStore:
        """A store over other data of the same backend: another prefix, bucket or directory."""

    @abstractmethod
    def raw_get(self, key: str) -> bytes | None:
        """The bytes that the backend holds for a record, read without the store.

        None when there is no record.
        """

    @abstractmethod
    def raw_put(self, key: str, data: bytes) -> None:
        """Put a record into the backend without the store."""

    @abstractmethod
    def raw_keys(self) -> set[str]:
        """The keys of all records that the backend holds, found without the store."""

    def recipe(self) -> Recipe:
        """How to open the store in another process."""
        raise NotProven("this store cannot be opened by another process")

    def open_missing(self) -> SignalWaitStore:
        """A store whose bucket or directory does not exist."""
        raise NotProven("there is no way to open a store that is missing")

    def inject(
        self, store: SignalWaitStore, verb: Verb, fault: Fault, *, times: int | None = 1
    ) -> AbstractContextManager[None]:
        """Within the context, the next `times` requests of `verb` that the store makes meet the fault.

        None means all of them. The store is one that `open` gave. The read-back of a put-id belongs to the
        create.
        """
        raise NotProven(f"there is no fault hook for {fault.name.lower()} at {verb}")
