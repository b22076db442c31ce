"""`python -m benchmarks [--rounds N]`: measure everything, and print a table of ratios."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import items, journal, local_store, start_up, steps
from benchmarks.measuring import Figure

ROUNDS = 9
JOURNAL_STEPS = (500, 1000, 2000)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each thing is measured")
    rounds = parser.parse_args().rounds
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of {rounds}.")
    print()
    print("| measured | takes | floor | takes | ratio |")
    print("|---|---:|---|---:|---:|")
    for figure in figures(rounds):
        print(
            f"| {figure.name} | {_milliseconds(figure.measured_s)} | {figure.floor_name} "
            f"| {_milliseconds(figure.floor_s)} | {figure.ratio:.2f} |",
            flush=True,
        )
    print()
    print("| steps of a run | bytes written, for each byte of events |")
    print("|---:|---:|")
    for number in JOURNAL_STEPS:
        print(f"| {number:,} | {journal.ratio(number):.2f} |", flush=True)
    print()
    print("| items of a run | bytes left in the store, for each item |")
    print("|---:|---:|")
    for number in items.ITEMS:
        with tempfile.TemporaryDirectory(prefix="swamp-benchmark-") as directory:
            print(f"| {number:,} | {items.bytes_of_item(Path(directory), number):.0f} |", flush=True)


def figures(rounds: int) -> Iterator[Figure]:
    """Everything that is measured in time, each group in a directory of its own."""
    for group in (start_up, local_store, steps, items):
        with tempfile.TemporaryDirectory(prefix="swamp-benchmark-") as directory:
            yield from group.figures(Path(directory), rounds)


def _milliseconds(length_s: float) -> str:
    return f"{length_s * 1000:.3f} ms" if length_s < 0.001 else f"{length_s * 1000:.1f} ms"


if __name__ == "__main__":
    main()
