"""`python -m benchmarks [--rounds N] [GROUP …]`: measure everything, or some groups, and print tables of ratios."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks import buckets, items, journal, local_store, start_up, steps
from benchmarks.measuring import Figure

ROUNDS = 9
GROUPS = {
    "start-up": start_up,
    "local-store": local_store,
    "buckets": buckets,
    "steps": steps,
    "items": items,
}
JOURNAL = "journal"
JOURNAL_STEPS = (500, 1000, 2000)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each thing is measured")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one of {', '.join((*GROUPS, JOURNAL))}")
    asked = parser.parse_args()
    if unknown := set(asked.groups) - {*GROUPS, JOURNAL}:
        parser.error(f"there is no group {', '.join(sorted(unknown))}")
    groups = asked.groups or [*GROUPS, JOURNAL]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of {asked.rounds}.")
    if set(groups) & GROUPS.keys():
        print_figures([name for name in GROUPS if name in groups], asked.rounds)
    if JOURNAL in groups:
        print_journal()
    if "items" in groups:
        print_items()


def print_figures(groups: Iterable[str], rounds: int) -> None:
    """What is measured in time, each group in a directory of its own."""
    print("\n| measured | takes | floor | takes | ratio |\n|---|---:|---|---:|---:|")
    for name in groups:
        with tempfile.TemporaryDirectory(prefix="swamp-benchmark-") as directory:
            for figure in GROUPS[name].figures(Path(directory), rounds):
                print(_row(figure), flush=True)


def print_journal() -> None:
    """How the journal grows."""
    print("\n| steps of a run | bytes written, for each byte of events |\n|---:|---:|")
    for number in JOURNAL_STEPS:
        print(f"| {number:,} | {journal.ratio(number):.2f} |", flush=True)


def print_items() -> None:
    """How the store grows."""
    print("\n| items of a run | bytes left in the store, for each item |\n|---:|---:|")
    for number in items.ITEMS:
        with tempfile.TemporaryDirectory(prefix="swamp-benchmark-") as directory:
            print(f"| {number:,} | {items.bytes_of_item(Path(directory), number):.0f} |", flush=True)


def _row(figure: Figure) -> str:
    measured, floor = _milliseconds(figure.measured_s), _milliseconds(figure.floor_s)
    return f"| {figure.name} | {measured} | {figure.floor_name} | {floor} | {figure.ratio:.2f} |"


def _milliseconds(length_s: float) -> str:
    return f"{length_s * 1000:.3f} ms" if length_s < 0.001 else f"{length_s * 1000:.1f} ms"


if __name__ == "__main__":
    main()
