"""What is told of the keys of a workflow's waits."""

from __future__ import annotations

from swamp_core.app.views import View, WaitView


class KeyView(View):
    """A key of a workflow, the step (`job/step`) that declares it, and who holds it.

    `claimed_by` is the run whose wait holds it, also while that is not open yet. `unreadable` says what stands under
    the key and keeps everybody from it.
    """

    key: str
    step: str | None
    holder: WaitView | None = None
    claimed_by: str | None = None
    unreadable: str | None = None


class KeysResult(View):
    """The answer of `workflow keys`."""

    workflow: str
    keys: list[KeyView]


class ReleaseResult(View):
    """The answer of `workflow keys --release`. `released`: something that could not be read was cleared."""

    workflow: str
    key: str
    released: bool
    records: int
