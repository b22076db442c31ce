"""Whether a service really keeps the promises that a store stands on, tried on the store itself.

A service that says that it speaks S3 may ignore a precondition, and then two creates of one key both win. So the
first run on a store whose service is not known to keep its promises tries it, and leaves a note that it passed; a
doctor may try it at any time. Everything is created below a prefix that the caller throws away.

An interleaving that a read and a write apart would get wrong: (1) A looks and finds nothing. (2) B looks and finds
nothing. (3) A writes and is told that it won. (4) B writes and is told the same. So racing creates are tried, not
only one after another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from swamp_core.store.checked import CheckedStore
from swamp_core.store.errors import ConditionalWritesUnsupported, OutcomeUnknown, StoreError
from swamp_core.store.fan_out import FAN_OUT, fan_out
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.reads import read

PROBES = "store-probes/"
"""Below it stands what is being tried; each try has a segment of its own, an ID that sorts by its time."""
NOTES = "store-probe/"
"""Below it stand the notes that the short probe has passed, one for each service that the records have been on."""
WRITERS = FAN_OUT
"""How many create one key at once."""
RACES = 4
"""How many keys are raced for, one after another.

One race is 15 creates that must lose, and one more afterwards. A service that ignores one precondition in ten lets such
a race pass with 0.9 ** 16, about one time in 5; four of them with 0.9 ** 64, about one time in 850.
"""

_OUT_OF_TREE_ORDER = ("order/a-b", "order/a.b", "order/a/b", "order/a0b")
"""In byte order. A service that lists folder by folder gives `order/a/b` first."""


@dataclass(frozen=True, slots=True)
class Note:
    """That the short probe passed on a service, and whether listings come in byte order there.

    Where they do not, an adapter has to read the whole prefix and sort. A bucket can be copied to another service, with
    the notes in it: so each says of which it is, and stands under a key that no other service's has.
    """

    service: str
    byte_order: bool

    def encode(self) -> bytes:
        """The note as it is stored."""
        record = {
            "format": 1,
            "kind": "store-probe",
            "service": self.service,
            "byteOrder": self.byte_order,
        }
        return json.dumps(record, separators=(",", ":")).encode()


def note_key(service: str) -> str:
    """The key of the note of a service."""
    return NOTES + sha256(service.encode()).hexdigest()[:32]


def read_note(store: SignalWaitStore, service: str) -> Note | None:
    """The note of the service. One that cannot be read, or speaks of another service, says nothing, as if none was."""
    data = read(store, note_key(service))
    try:
        record = json.loads(data or b"")
        note = Note(service=record["service"], byte_order=record["byteOrder"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return note if note.service == service and isinstance(note.byte_order, bool) else None


def short_probe(trial: Trial, service: str) -> Note:
    """Try what everything depends on, and clean up; what to note of the service.

    Raises `ConditionalWritesUnsupported` when a second create wins, and any `StoreError` that stands in the way.
    """
    with thrown_away(trial):
        for race in range(RACES):
            check_racing_creates(trial, f"{trial.prefix}race{race}")
        return Note(service, lists_in_byte_order(trial, trial.prefix))


def check_racing_creates(store: SignalWaitStore, key: str) -> None:
    """Let many create one key at once, and one more afterwards: exactly one of the many may win.

    Raises `ConditionalWritesUnsupported` otherwise.
    """
    records = [b"writer %d" % writer for writer in range(WRITERS)]
    won = fan_out(lambda record: store.put_if_absent(key, record), records)
    if won.count(True) != 1:
        raise ConditionalWritesUnsupported(
            f"{won.count(True)} of {WRITERS} creates that raced for one key were told that they won"
        )
    if store.get(key) != records[won.index(True)]:
        raise ConditionalWritesUnsupported("A create was told that it won, and another's record is stored")
    check_second_create(store, key)


def check_second_create(store: SignalWaitStore, key: str) -> None:
    """Create a key that is there. Raises `ConditionalWritesUnsupported` when that wins, or changes the record."""
    before = store.get(key)
    if store.put_if_absent(key, b"too late"):
        raise ConditionalWritesUnsupported("A second create of the same key was told that it won")
    if store.get(key) != before:
        raise ConditionalWritesUnsupported("A create that was told that it lost changed the record")


def lists_in_byte_order(store: SignalWaitStore, prefix: str) -> bool:
    """Whether keys of several folders are listed in the order of their bytes."""
    keys = [prefix + tail for tail in _OUT_OF_TREE_ORDER]
    fan_out(lambda key: store.put_if_absent(key, b""), keys)
    first = list(store.list(f"{prefix}order/", limit=1))  # an adapter may sort what it holds whole
    return first == keys[:1] and list(store.list(f"{prefix}order/")) == keys


class Trial:
    """A store in which something is tried below a prefix of its own, and whether anything of it may be there.

    `left` is what to tell of what stays, should it not be deleted.
    """

    def __init__(self, store: SignalWaitStore, prefix: str, left: str = "") -> None:
        self.store = store
        self.prefix = prefix
        self.left = left
        self._creates: set[object] = set()

    @property
    def may_have_left(self) -> bool:
        """Whether a create has landed, is under way, or was cut off, and nothing was deleted since."""
        return bool(self._creates)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        this = object()
        self._creates.add(this)
        try:
            return self.store.put_if_absent(key, data)
        except OutcomeUnknown:
            raise
        except StoreError:  # Nothing has landed.
            self._creates.discard(this)
            raise

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        return self.store.get(key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`."""
        return self.store.list(prefix, start_after=start_after, limit=limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self.store.delete(key)

    def clean_up(self) -> None:
        """Delete everything below the prefix."""
        delete_below(self.store, self.prefix)
        self._creates.clear()


@contextmanager
def thrown_away(trial: Trial) -> Iterator[None]:
    """Delete afterwards what the trial has created. What went wrong before is told, and not what went wrong then."""
    with cleaned_up(trial):
        yield
        trial.clean_up()


@contextmanager
def cleaned_up(trial: Trial) -> Iterator[None]:
    """Delete what the trial has created when the block is cut off; the error says what stays if that fails too.

    It looks twice: a create that was cut off may land after the first look.
    """
    try:
        yield
    except BaseException as error:
        if trial.may_have_left:
            try:
                delete_below(trial.store, trial.prefix)
                trial.clean_up()
            except StoreError:
                _say_what_stays(error, trial.left)
        raise


def _say_what_stays(error: BaseException, left: str) -> None:
    if isinstance(error, StoreError):
        error.hint = f"{error.hint}\n{left}"
    else:
        error.add_note(left)


def left_probes(store: SignalWaitStore, before: str) -> list[str]:
    """The records of probes with an ID less than this one: their processes were killed."""
    return [key for key in store.list(PROBES) if key.removeprefix(PROBES).partition("/")[0] < before]


def server_now(store: SignalWaitStore) -> datetime | None:
    """What time it is on the service, to the second; None when the store does not tell. It costs one request."""
    store = store.store if isinstance(store, Trial) else store
    ask = getattr(store.unchecked if isinstance(store, CheckedStore) else store, "server_now", None)
    return ask() if callable(ask) else None


def delete_below(store: SignalWaitStore, prefix: str) -> None:
    """Delete every record whose key starts with the prefix."""
    fan_out(store.delete, list(store.list(prefix)))
