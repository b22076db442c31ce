"""Instants and lengths as people read them. Instants are in UTC, so that two hosts show the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def moment(instant: datetime) -> str:
    """`2026-07-27 12:00:00 UTC`."""
    return f"{moment_in_utc(instant)} UTC"


def moment_in_utc(instant: datetime) -> str:
    """`2026-07-27 12:00:00`, for where it is said elsewhere that it is UTC."""
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def moment_from_now(instant: datetime, now: datetime) -> str:
    """The instant and how far away it is: `2026-07-27 12:00:00 UTC (in 3 hours)`."""
    if instant > now:
        return f"{moment(instant)} (in {rough_length(instant - now)})"
    return f"{moment(instant)} ({rough_length(now - instant)} ago)"


def until(deadline: datetime | None, now: datetime) -> str:
    """The end of a sentence about something that waits; a gate may do so without a deadline."""
    return f" until {moment_from_now(deadline, now)}" if deadline else ""


def rough_length(length: timedelta) -> str:
    """The length in the largest unit of which it has two or more, rounded to the nearest: `24 hours`, `2 days`."""
    seconds = max(0, round(length.total_seconds()))
    for size, name in _UNITS:
        count = round(seconds / size)
        if count > 1:
            return f"{count} {name}s"
    return f"{seconds} second" if seconds == 1 else "less than a second"


def exact_length(length: timedelta) -> str:
    """The length for a step that was watched: `0.4 s`, `2 min 05 s`, `3 h 12 min`."""
    seconds = max(0.0, length.total_seconds())
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
