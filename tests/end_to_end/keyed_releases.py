"""The workflow `release` with a key, and what is asked of it by that key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.end_to_end.releases import SHIP, WORKFLOW, Release

KEYED = WORKFLOW.replace("timeout: 24h", "timeout: 24h\n          key: verdict")
TO_KEY = ("workflow", "signal", "--workflow", "release", "--key", "verdict")
HOUR_S = 60 * 60
HARMLESS = '{"verdict":"later"}'
"""A payload that no wait of `release` accepts."""


def keyed(release: Release, early: str | None = None) -> Release:
    """Give the step of `release` its key, and say how signals are held for it."""
    text = (
        KEYED
        if early is None
        else KEYED.replace("key: verdict", f"key: verdict\n          earlySignals: {early}")
    )
    release.swamp.write("workflows/release.yaml", text)
    return release


def send(release: Release, payload: str = SHIP, *options: str, **world: Any) -> Any:
    """Signal by key, and give the document; `code=3` gives the error."""
    document = release.swamp.json(*TO_KEY, "--payload", payload, *options, **world)
    return document.get("error", document)


def named(name: str) -> tuple[str, str]:
    """The options that name a signal."""
    return "--idempotency-key", name


def early_signals(release: Release, *options: str, **world: Any) -> Any:
    """The signals that are held."""
    return release.swamp.json("workflow", "early-signals", *options, **world)["signals"]


def discard(release: Release, signal_id: str, **world: Any) -> Any:
    """Discard a held signal, and give the document; `code=3` gives the error."""
    document = release.swamp.json("workflow", "early-signals", "--discard", signal_id, **world)
    return document.get("error", document)


def applied(release: Release, run_id: str) -> list[Any]:
    """The receipts of the signals that a run applied."""
    events = release.history(run_id)["events"]
    return [each["application"]["receipt"] for each in events if each["event"] == "wait_applied"]


def standing(stored: Mapping[str, bytes]) -> list[str]:
    """The families of the records of early signals that are there, each as often as it has records."""
    return sorted(key.split("/")[0] for key in stored if key.startswith("early-"))
