"""The benchmarks run, and what must not grow does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import buckets, items, journal, local_store, measuring, start_up, steps
from benchmarks.measuring import Figure, against


@pytest.mark.parametrize("steps_of_run", [500, 1000, 2000])
def test_the_journal_grows_with_its_events(steps_of_run: int) -> None:
    """The bytes that a run writes stay under 4 times the bytes of its events, however long it is."""
    assert 1.0 < journal.ratio(steps_of_run) < journal.RATIO_MAX


@pytest.mark.parametrize("group", [start_up, local_store, steps, items], ids=lambda group: group.__name__)
def test_every_figure_is_measured(group: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each group measures what it names, and its floor."""
    monkeypatch.setattr(items, "ITEMS", (10, 20))
    figures: list[Figure] = group.figures(tmp_path, 1)  # type: ignore[attr-defined]
    assert len(figures) >= 2
    assert all(figure.measured_s > 0 and figure.floor_s > 0 for figure in figures)


def test_every_verb_is_measured_in_each_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each verb of each store is measured on each server, and the same calls of the SDK."""
    monkeypatch.setattr(buckets, "CALLS_OF_A_ROUND", 2)
    monkeypatch.setattr(buckets, "CALLS_OF_THREADS", 4)
    monkeypatch.setattr(buckets, "LISTED", 2)
    figures = list(buckets.figures(tmp_path, 1))
    assert len(figures) == 4 * 7
    assert all(figure.measured_s > 0 and figure.floor_s > 0 for figure in figures)


def test_both_sides_take_turns() -> None:
    """The thing and its floor are measured in turns, and a figure is for one unit of work."""
    calls: list[str] = []
    figure = against("a", lambda: calls.append("a"), "b", lambda: calls.append("b"), rounds=2, units=10)
    assert calls == ["a", "b", "a", "b"]
    assert Figure("a", 3.0, "b", 1.5).ratio == 2.0
    assert figure.measured_s < 0.01


def test_the_floor_may_do_less_of_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each side is divided by what it does itself."""
    monkeypatch.setattr(measuring, "seconds", lambda work: work())
    figure = against("a", lambda: 40.0, "b", lambda: 6.0, rounds=1, units=20, floor_units=2)
    assert (figure.measured_s, figure.floor_s) == (2.0, 3.0)
