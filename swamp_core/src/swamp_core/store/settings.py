"""What stores read alike in a setting: the parts of a URL, and the options that several of them have.

For the authors of stores. `Backend.from_url` begins with `read_url`, `Backend.store_name` ends with `shown_url`, and
a model of options has fields of the types `Prefix`, `EndpointUrl` and `AbsolutePath`. What is refused says what to
write instead, and repeats no value, which may be a credential.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from pydantic import AfterValidator

from swamp_core.store.errors import StoreMisconfigured

PREFIX_BYTES_MAX = 256
"""With it, and the longest key, an object's name stays under the 1,024 bytes that bucket services allow."""

_SEGMENT = re.compile(r"(?!\.\.?\Z)[A-Za-z0-9._-]+", re.ASCII)


def read_url(url: str, *places: str) -> tuple[str, str, dict[str, str]]:
    """What stands between `//` and the path, the path (decoded), and the options that the query gives.

    `places` names the options that stand before the `?`, and so may not come again after it. No option comes twice.
    """
    try:
        parts = urlsplit(url)
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError as error:
        raise _refused("cannot be read", "Correct what stands after `://`.") from error
    if "@" in parts.netloc:
        raise _refused("holds a user or a password", "Leave it out: credentials come from the environment.")
    if parts.fragment:
        raise _refused("has a `#` in it", "Leave it out, or write `%23` where it is part of a name.")
    for name, times in Counter(name for name, _ in query).items():
        if name in places:
            raise _refused(f"says its {name} twice", f"Leave `{name}=` out: it stands before the `?`.")
        if times > 1:
            raise _refused(f"says `{ascii(name)[1:-1][:64]}` twice", "Leave one out.")
    return parts.netloc, unquote(parts.path), dict(query)


def shown_url(place: str, **options: str | None) -> str:
    """How messages call a store: its place as a URL, with the options that are set.

    Give only options that tell it from other stores, such as another service's address, and never a secret.
    """
    query = "&".join(f"{name}={quote(value, safe=':/[]')}" for name, value in options.items() if value)
    return f"{place}?{query}" if query else place


def _refused(what: str, hint: str) -> StoreMisconfigured:
    return StoreMisconfigured(f"The URL of the datastore {what}", hint=hint)


def _checked_prefix(text: str) -> str:
    prefix = text.strip("/")
    if len(prefix) > PREFIX_BYTES_MAX:
        raise ValueError(f"it has more than {PREFIX_BYTES_MAX} bytes")
    if prefix and not all(_SEGMENT.fullmatch(segment) for segment in prefix.split("/")):
        raise ValueError(
            "it must be segments of letters, digits, `.`, `_` and `-`, joined by `/`, none of them `.` or `..`"
        )
    return prefix


def _checked_endpoint(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError("it must be the URL of a service, such as `https://objects.example.com`")
    if "@" in parts.netloc:
        raise ValueError("it must hold no user and no password: credentials come from the environment")
    if parts.query or parts.fragment:
        raise ValueError("it must end before any `?` or `#`")
    return url.rstrip("/")


def _checked_path(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError("it must be an absolute path, such as `/srv/swamp`")
    return path


Prefix = Annotated[str, AfterValidator(_checked_prefix)]
"""What the names of a store's objects begin with, without the slashes around it."""

EndpointUrl = Annotated[str, AfterValidator(_checked_endpoint)]
"""Where a service is, without a slash at the end."""

AbsolutePath = Annotated[Path, AfterValidator(_checked_path)]
"""Where a file or a directory is: the same one for several hosts and working directories."""
