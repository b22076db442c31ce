"""What time a service says that it is, in the `Date` header of a reply. For the stores' `server_now`."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def date_said(header: str | None) -> datetime | None:
    """The instant of the header; None when there is none, or no date in it. HTTP knows no time but UTC."""
    try:
        said = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):
        return None
    return said if said.tzinfo else said.replace(tzinfo=UTC)
