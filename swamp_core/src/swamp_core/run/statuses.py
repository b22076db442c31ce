"""The words for where a run, a job and a step stand: the same in the journal, in JSON and in messages.

They are apart from the models that use them, so that a listing which reads no run does not pay for those.
"""

from __future__ import annotations

from typing import Literal

RunStatus = Literal["running", "suspended", "succeeded", "failed", "cancelled"]
StepStatus = Literal["pending", "running", "waiting", "succeeded", "failed", "skipped"]
StepPlace = StepStatus | Literal["expanded"]
"""Where a step stands in the journal: one that is expanded stands for its items until they are all over."""

ShownStatus = RunStatus | Literal["interrupted"]
"""A run's status for people: one that is running, and that nobody drives, is interrupted."""

ENDED_RUN: frozenset[RunStatus] = frozenset({"succeeded", "failed", "cancelled"})
ENDED_STEP: frozenset[StepPlace] = frozenset({"succeeded", "failed", "skipped"})
