"""How the registry reaches the local store.

`file:///srv/swamp?create=true`, or `type: local` with options.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from swamp_core.store.errors import StoreMisconfigured
from swamp_core.store.settings import read_url

from swamp_store_local.options import LocalOptions
from swamp_store_local.store import LocalStore


class LocalBackend:
    """The type `local`, with the scheme `file`."""

    name = "local"
    options = LocalOptions

    def from_url(self, url: str) -> Mapping[str, object]:
        """The path and the query of a `file` URL, as options that are not yet checked."""
        host, path, given = read_url(url, "path")
        if host not in ("", "localhost"):
            raise StoreMisconfigured(
                "A file URL of a datastore names a host",
                hint="Write three slashes before the path: `file:///srv/swamp`.",
            )
        if os.name == "nt":
            path = path.lstrip("/")  # file:///C:/swamp
        return {"path": path, **given}

    def store_name(self, options: LocalOptions) -> str:
        """The directory as a URL."""
        return options.path.as_uri()

    def is_proven(self, options: LocalOptions) -> bool:
        """True: the store refuses a file system without hard links at its first create."""
        return True

    def open(self, options: LocalOptions) -> LocalStore:
        """A store over the directory; nothing is read or made before the first operation."""
        return LocalStore(options.path, create=options.create)


backend = LocalBackend()
