"""What a step costs that costs nothing itself: the items of a forEach over a method that does nothing.

Against one durable create; since what ends together is appended together, an item takes less than one.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.bare import BareFiles
from benchmarks.measuring import Figure, against
from swamp_core import Swamp

ITEMS = (500, 2000)
GROWTH_MAX = 1.3
"""How much more an item may cost, in time and in bytes, in a run of the most items than in one of the fewest."""

MODEL = f"type: python\nclass: {__name__}:Nothing\n"
WORKFLOW = """
inputs: { type: object, properties: { items: { type: array } } }
jobs:
  - name: job
    steps:
      - name: each
        forEach: { item: number, in: "${{ inputs.items }}" }
        task:
          type: model_method
          modelIdOrName: nothing
          methodName: nothing
          inputs: { number: "${{ self.number }}" }
"""


class Nothing:
    """A model for the runs that are measured."""

    def nothing(self, number: int) -> dict[str, int]:
        """Give nothing."""
        return {}


def figures(directory: Path, rounds: int) -> list[Figure]:
    """An item of a short run, and one of a long run."""
    swamp = repo(directory)
    (directory / "bare").mkdir()
    files = BareFiles(directory / "bare")

    def floor(items: int) -> None:
        for _ in range(items // 10):
            files.create()

    return [
        against(
            f"an item of {items:,}, which does nothing",
            lambda items=items: run(swamp, items),  # type: ignore[misc]
            "a create",
            lambda items=items: floor(items),  # type: ignore[misc]
            rounds=rounds,
            units=items,
            floor_units=items // 10,
        )
        for items in ITEMS
    ]


def bytes_of_item(directory: Path, items: int) -> float:
    """How many bytes a run of so many items leaves in the store, for each of them."""
    run(repo(directory), items)
    records = (path for path in (directory / ".swamp/store").rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in records) / items


def repo(directory: Path) -> Swamp:
    """A repo with a workflow of any number of items."""
    for name, text in (("models/nothing.yaml", MODEL), ("workflows/items.yaml", WORKFLOW)):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    return Swamp.open(directory)


def run(swamp: Swamp, items: int) -> None:
    """Run it."""
    assert swamp.run("items", {"items": list(range(items))}).run.status == "succeeded"
