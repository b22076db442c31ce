"""Instants and lengths as people read them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from swamp_core.cli.times import exact_length, moment, moment_from_now, rough_length

NOON = datetime(2026, 7, 27, 12, tzinfo=UTC)


def test_an_instant_is_shown_in_utc_wherever_it_was_taken():
    """Two hosts in different zones show the same."""
    assert moment(NOON.astimezone(timezone(timedelta(hours=5)))) == "2026-07-27 12:00:00 UTC"


def test_a_deadline_says_how_far_away_it_is():
    """A person need not know the time to know what is urgent."""
    assert moment_from_now(NOON + timedelta(hours=3), NOON) == "2026-07-27 15:00:00 UTC (in 3 hours)"
    assert moment_from_now(NOON - timedelta(days=2), NOON) == "2026-07-25 12:00:00 UTC (2 days ago)"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "less than a second"),
        (0, "less than a second"),
        (1, "1 second"),
        (90, "2 minutes"),
        (86400 - 1, "24 hours"),
        (2 * 86400, "2 days"),
        (365 * 86400, "365 days"),
    ],
)
def test_a_rough_length_is_in_one_unit(seconds, shown):
    """A length is told in the largest unit of which it has two or more."""
    assert rough_length(timedelta(seconds=seconds)) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.44, "0.4 s"), (59.9, "59.9 s"), (125, "2 min 05 s"), (11530, "3 h 12 min"), (-1, "0.0 s")],
)
def test_an_exact_length_is_good_enough_to_compare(seconds, shown):
    """A step's length is told to two units, and a clock that was set back gives no negative one."""
    assert exact_length(timedelta(seconds=seconds)) == shown
