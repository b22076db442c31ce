"""What a distribution must offer to be a datastore: a type's name, its options, and how to open it.

A backend is found by the entry-point group `swamp.stores`; its type and each of its URL schemes is the name
of an entry point there. Importing the module that holds it must be cheap: an SDK is imported by `open`, not
before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel

from swamp_core.store.protocol import SignalWaitStore

ENTRY_POINT_GROUP = "swamp.stores"


class Backend(Protocol):
    """One kind of store.

    `options` is a pydantic model with `extra="forbid"`; a secret is a `SecretStr`, so that showing options
    never shows it.
    """

    @property
    def name(self) -> str:
        """The type that a mapping setting gives, such as `local`."""
        ...

    @property
    def options(self) -> type[BaseModel]:
        """The model of this backend's options."""
        ...

    def from_url(self, url: str) -> Mapping[str, object]:
        """The options that the URL says, not yet checked; `StoreMisconfigured` when it cannot be read."""
        ...

    def store_name(self, options: Any) -> str:
        """How messages call the store that these options open: a URL without credentials.

        Two stores have two names: what tells them apart, such as the address of a service, is in it (`shown_url`).
        """
        ...

    def is_proven(self, options: Any) -> bool:
        """Whether what these options name is known to make a create atomic; if not, the first run there tries it."""
        ...

    def open(self, options: Any) -> SignalWaitStore:
        """A store. Imports what it needs, and raises `StoreMisconfigured` when that is not installed."""
        ...
