"""What examining and copying datastores answers with."""

from __future__ import annotations

from pydantic import Field

from swamp_core.app.views import View


class CheckView(View):
    """One promise of a store, and whether it is kept. `seconds` is how long it took to find out.

    `skipped` is whether it was not tried, because a check that it depends on failed; `ok` is false then.
    """

    name: str
    ok: bool
    skipped: bool = False
    detail: str
    seconds: float


class DatastoreCheck(View):
    """What an examination of the datastore found. `ok` is whether Swamp can be used on it."""

    store: str
    checks: list[CheckView]
    ok: bool


class CopyResult(View):
    """What was copied from one datastore to another: `skipped` records were there already, equal.

    `verified` counts the records that were read back from the target and found equal.
    """

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    copied: int
    skipped: int
    verified: int
