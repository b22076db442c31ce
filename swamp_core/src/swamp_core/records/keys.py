"""Where each record family stands in the store.

Numbered families write number *n* as twelve digits of `999999999999 - n`, so that the newest is listed first and
finding it is one listing of one key, however long the history.
"""

from __future__ import annotations

import re
from hashlib import sha256

FORMAT_KEY = "format"
WAITS = "waits/"
OUTCOMES = "wait-outcomes/"
OPEN_RUNS = "open-runs/"
RUNS = "runs/"
WORKFLOW_RUNS = "workflow-runs/"
WAIT_KEYS = "wait-keys/"
EARLY_SIGNALS = "early-signals/"
EARLY_NAMES = "early-names/"
EARLY_TAKES = "early-takes/"

NUMBER_MAX = 999_999_999_999

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_UUID_START = re.compile(r"[0-9a-f-]{6,36}\Z")


def is_id(text: str) -> bool:
    """Whether the text is a whole run or wait ID."""
    return _UUID.match(text) is not None


def may_start_id(text: str) -> bool:
    """Whether the text is long enough, and of the right characters, to shorten an ID (six characters or more)."""
    return _UUID_START.match(text) is not None


def segment_of(number: int) -> str:
    """The key segment of a number of a numbered family, from 1."""
    if not 1 <= number <= NUMBER_MAX:
        raise ValueError(f"{number} is no number of a numbered family")
    return f"{NUMBER_MAX - number:012d}"


def number_of(segment: str) -> int | None:
    """The number that a key segment stands for, or None when it stands for none."""
    if not re.fullmatch(r"[0-9]{12}", segment, re.ASCII):
        return None
    number = NUMBER_MAX - int(segment)
    return number or None


def entries(run_id: str) -> str:
    """The prefix of a run's journal."""
    return f"{RUNS}{run_id}/"


def entry(run_id: str, number: int) -> str:
    """The key of a journal entry."""
    return f"{entries(run_id)}{segment_of(number)}"


def run_index(workflow: str, run_id: str) -> str:
    """The key of a run in the index of its workflow's runs."""
    return f"{WORKFLOW_RUNS}{workflow}/{run_id}"


def run_indexed(key: str) -> tuple[str, str] | None:
    """The workflow and the run ID that a key of the index of runs names, or None for a key of another form."""
    parts = key.removeprefix(WORKFLOW_RUNS).split("/")
    return (parts[0], parts[1]) if len(parts) == 2 else None


def marks(workflow: str, run_id: str) -> str:
    """The prefix of a run's marks: at most one counts at any time."""
    return f"{OPEN_RUNS}{workflow}/{run_id}/"


def mark(workflow: str, run_id: str, number: int) -> str:
    """The key of a mark; each start and each retry has a number of its own."""
    return f"{marks(workflow, run_id)}{segment_of(number)}"


def marked(key: str) -> tuple[str, str, int] | None:
    """The workflow, the run ID and the number that a key of a mark names, or None for a key of another form."""
    parts = key.removeprefix(OPEN_RUNS).split("/")
    number = number_of(parts[2]) if len(parts) == 3 else None
    return (parts[0], parts[1], number) if number else None


def registration(wait_id: str) -> str:
    """The key of a wait's registration."""
    return f"{WAITS}{wait_id}"


def outcome(wait_id: str) -> str:
    """The key of a wait's outcome."""
    return f"{OUTCOMES}{wait_id}"


def claims(workflow: str, key: str) -> str:
    """The prefix of what stands under the numbers of a wait key."""
    return f"{WAIT_KEYS}{workflow}/{key}/"


def claim(workflow: str, key: str, number: int) -> str:
    """The key of a claim or a release of a wait key."""
    return f"{claims(workflow, key)}{segment_of(number)}"


def claim_family(key: str) -> tuple[str, str] | None:
    """The workflow and the wait key that a record's key stands under, or None for one that stands elsewhere."""
    parts = key.split("/")
    return (parts[1], parts[2]) if key.startswith(WAIT_KEYS) and len(parts) == 4 else None


def claimed(key: str) -> tuple[str, str, int] | None:
    """The workflow, the wait key and the number that a record's key names, or None for one of another form."""
    family = claim_family(key)
    number = number_of(key.split("/")[3]) if family else None
    return (*family, number) if family and number else None


def early_signals(workflow: str, key: str) -> str:
    """The prefix of the signals that are held for a wait key."""
    return f"{EARLY_SIGNALS}{workflow}/{key}/"


def early_signal(workflow: str, key: str, signal_id: str) -> str:
    """The key of a held signal."""
    return f"{early_signals(workflow, key)}{signal_id}"


def early_name(workflow: str, key: str, idempotency_key: str) -> str:
    """The key of the record of which signal a sender's idempotency key stands for."""
    return f"{EARLY_NAMES}{workflow}/{key}/{sha256(idempotency_key.encode()).hexdigest()}"


def early_takes(workflow: str, key: str, signal_id: str) -> str:
    """The prefix of the takes of a held signal."""
    return f"{EARLY_TAKES}{workflow}/{key}/{signal_id}/"


def early_take(workflow: str, key: str, signal_id: str, number: int) -> str:
    """The key of a take of a held signal."""
    return f"{early_takes(workflow, key, signal_id)}{segment_of(number)}"


def early_parts(key: str) -> tuple[str, str, str] | None:
    """The workflow, the wait key, and the ID or the name of the signal that a record's key is of; None for another."""
    family, *parts = key.split("/")
    lengths = {EARLY_SIGNALS: 3, EARLY_NAMES: 3, EARLY_TAKES: 4}
    return (parts[0], parts[1], parts[2]) if lengths.get(f"{family}/") == len(parts) else None
