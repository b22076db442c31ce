"""A service's date is an instant in UTC, or nothing: whatever a server writes there."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from swamp_core.store.service_clock import date_said

NOON = datetime(2026, 12, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "header",
    [
        "Wed, 02 Dec 2026 12:00:00 GMT",
        "Wed, 02 Dec 2026 12:00:00 -0000",
        "Wed, 02 Dec 2026 12:00:00",
        "Wed, 02 Dec 2026 13:00:00 +0100",
    ],
)
def test_a_date_is_compared_with_a_clock(header: str) -> None:
    """One without a zone, or with an unknown one, is of UTC as every date of HTTP is."""
    said = date_said(header)
    assert said is not None
    assert NOON - said == timedelta()


@given(st.none() | st.text())
@example("Wed, 02 Dec 2026 12:00:00 +99999999999999999999")
@example("Wed, 32 Dec 2026 12:00:00 GMT")
@example("")
def test_what_is_no_date_says_nothing(header: str | None) -> None:
    """The check of the clock has nothing to compare then, which is no failure."""
    said = date_said(header)
    assert said is None or said.tzinfo is not None
