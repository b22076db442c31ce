"""An instant of a record that no calendar has in UTC: unreadable, and no crash of who reads it."""

import json

import pytest
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.early import EarlySignal

from tests.explored.early import early


def read(instant):
    signal = early("s")
    record = json.loads(signal.encode()) | {"expiresAt": instant}
    return read_record(EarlySignal, signal.key(), json.dumps(record).encode())


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_beyond_the_calendar_is_unreadable(instant):
    """The year before 1, or after 9999, once it is told in UTC."""
    reading = read(instant)
    assert isinstance(reading, Unreadable)
    assert "`expiresAt`" in reading.reason


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"])
def test_the_first_and_the_last_instant_are_read(instant):
    """To the millisecond."""
    assert isinstance(read(instant), Found)
