"""The formats that a schema may name, each with the check that it promises.

A name that is not in `FORMATS` is refused when the schema is read. Each check is of the whole text, takes
linear time, and means what it says: the thirtieth of February is no date.
"""

from __future__ import annotations

import datetime
import ipaddress
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
_TIME = re.compile(
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))",
    re.ASCII,
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE)
_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+", re.ASCII)
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+", re.ASCII
)


def is_date(text: str) -> bool:
    """A day as in RFC 3339: 2026-03-01."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """A time of day with its offset as in RFC 3339; a leap second only where it can be, at 23:59:60 UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    if match[3] != "60":
        return True
    offset_min = int(match[5] or 0) * 60 + int(match[6] or 0)
    utc_min = int(match[1]) * 60 + int(match[2]) - (-offset_min if match[4] == "-" else offset_min)
    return utc_min % (24 * 60) == 23 * 60 + 59


def is_date_time(text: str) -> bool:
    """A date, a `T` and a time."""
    return len(text) > 10 and text[10] in "Tt" and is_date(text[:10]) and is_time(text[11:])


def is_hostname(text: str) -> bool:
    """A name of RFC 1123: labels of letters, digits and inner hyphens, at most 253 characters."""
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def is_email(text: str) -> bool:
    """A mailbox of RFC 5321 without quotes or address literals."""
    local, _, domain = text.rpartition("@")
    return (
        len(local) <= 64 and all(_ATOM.fullmatch(atom) for atom in local.split(".")) and is_hostname(domain)
    )


def is_ipv4(text: str) -> bool:
    """Four decimal numbers with dots."""
    return _is_address(text, ipaddress.IPv4Address)


def is_ipv6(text: str) -> bool:
    """An IPv6 address without a zone."""
    return "%" not in text and _is_address(text, ipaddress.IPv6Address)


def is_uri(text: str) -> bool:
    """A URI with its scheme, in the characters of RFC 3986."""
    return _URI.fullmatch(text) is not None and text.count("#") <= 1


def is_uuid(text: str) -> bool:
    """A UUID in its usual form with hyphens."""
    return _UUID.fullmatch(text) is not None


def _is_address(text: str, kind: Callable[[str], object]) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


FORMATS: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "date": is_date,
        "date-time": is_date_time,
        "email": is_email,
        "hostname": is_hostname,
        "ipv4": is_ipv4,
        "ipv6": is_ipv6,
        "time": is_time,
        "uri": is_uri,
        "uuid": is_uuid,
    }
)
