"""Reading records: found, absent or unreadable, whatever bytes there are; and the keys they stand under."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, instant_text, read_record
from swamp_core.records.families import (
    OUTCOME,
    Accepted,
    Cancelled,
    FormatRecord,
    Mark,
    Receipt,
    Registration,
    RunIndex,
    TimedOut,
)
from swamp_core.store.keys import check_key

from tests.histories import json_objects

NOW = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
RUN = "01900000-0000-7000-8000-000000000001"
WAIT = "00000000-0000-4000-8000-00000000000a"
OF_WAIT = {"wait_id": WAIT, "workflow": "release", "run_id": RUN, "job": "j", "step": "s"}
RECEIPT = Receipt(id="r", wait_id=WAIT, received_at=NOW, submitted_by="ann", idempotency_key="k")

RECORDS = [
    (FormatRecord, FormatRecord(build="swamp-core 1")),
    (RunIndex, RunIndex(workflow="release", run_id=RUN)),
    (Mark, Mark(workflow="release", run_id=RUN, number=1)),
    (
        Registration,
        Registration(
            **OF_WAIT,
            mark=1,
            wait_kind="signal",
            opened_at=NOW,
            deadline=NOW,
            payload_schema={"properties": {"a": {"const": None}}},
        ),
    ),
    (OUTCOME, Accepted(**OF_WAIT, at=NOW, receipt=RECEIPT, payload={"b": None, "a": [1.0, 1, True]})),
    (OUTCOME, TimedOut(**OF_WAIT, at=NOW)),
    (OUTCOME, Cancelled(**OF_WAIT, at=NOW)),
]
EACH = pytest.mark.parametrize(("family", "record"), RECORDS, ids=lambda each: type(each).__name__)


@EACH
def test_a_record_is_read_as_it_was_written(family, record):
    """A record comes back the same, from a key that every store takes."""
    check_key(record.key(), operation="get")
    assert read_record(family, record.key(), record.encode()) == Found(record)


@EACH
def test_a_record_in_another_place_is_unreadable(family, record):
    """A record names its own key, so one that was copied elsewhere is not taken for that place's."""
    assert isinstance(read_record(family, record.key() + "x", record.encode()), Unreadable)


@EACH
def test_a_newer_format_is_named(family, record):
    """A record of a newer build is unreadable, and the reason says which format it is in."""
    newer = json.dumps({**json.loads(record.encode()), "format": 2, "more": 1}).encode()
    reading = read_record(family, record.key(), newer)
    assert isinstance(reading, Unreadable)
    assert "format 2" in reading.reason


@EACH
def test_any_truncation_is_unreadable(family, record):
    """Part of a record is never taken for a record, nor for none."""
    data = record.encode()
    for length in range(len(data)):
        assert isinstance(read_record(family, record.key(), data[:length]), Unreadable)


@EACH
@given(data=st.binary(max_size=64) | json_objects.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_unreadable_and_never_absent(family, record, data):
    """Whatever stands in the place of a record, reading it gives an answer and no exception."""
    assert isinstance(read_record(family, record.key(), data), Unreadable)


def test_absent_is_a_case_of_its_own():
    """Only nothing is absent."""
    assert read_record(Mark, "open-runs/a/b", None) == Absent()


@given(st.integers(1, keys.NUMBER_MAX - 1))
def test_a_newer_number_is_listed_first(number):
    """The key segments of a numbered family are in the reverse order of their numbers, and can be read back."""
    assert keys.segment_of(number + 1) < keys.segment_of(number)
    assert keys.number_of(keys.segment_of(number)) == number


@pytest.mark.parametrize("number", [0, -1, keys.NUMBER_MAX + 1])
def test_a_number_out_of_range_has_no_segment(number):
    """Numbers begin at 1 and end where twelve digits do."""
    with pytest.raises(ValueError, match="numbered family"):
        keys.segment_of(number)


@given(st.text(max_size=40))
def test_only_a_uuid_is_an_id(text):
    """Text that is no ID never becomes part of a key."""
    assert not keys.is_id(text) or keys.is_id(text.strip())
    if keys.may_start_id(text):
        check_key(keys.WAITS + text, operation="list") if not text.endswith("/") else None


@given(st.datetimes(timezones=st.just(timezone(timedelta(hours=5)))))
def test_instants_are_written_in_utc(instant):
    """A time is ISO 8601 with milliseconds and Z, whatever zone it came in."""
    try:
        text = instant_text(instant)
    except OverflowError:
        return
    assert text.endswith("Z")
    assert len(text) == len("2026-01-01T12:00:00.250Z")
