"""Says at the end of a run which promises were not proven, so that none is skipped in silence."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

CATEGORY = "not proven"
_MARK = "NotProven: not proven: "


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """Give a case that could not be shown a category of its own, apart from skips."""
    return (CATEGORY, "?", "NOT PROVEN") if _reason(report) is not None else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List each test that was not proven, with how many of its cases, and the reason."""
    reports = terminalreporter.stats.get(CATEGORY, [])
    if reports:
        terminalreporter.section("promises not proven")
        cases = Counter((report.nodeid.partition("[")[0], _reason(report)) for report in reports)
        for (name, reason), number in sorted(cases.items()):
            terminalreporter.line(f"{name} ({number} {'case' if number == 1 else 'cases'}): {reason}")


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str | None:
    if not report.skipped or not isinstance(report.longrepr, tuple | list):
        return None
    _, mark, reason = str(report.longrepr[2]).partition(_MARK)
    return reason if mark else None
