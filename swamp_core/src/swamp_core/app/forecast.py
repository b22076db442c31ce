"""What can be said of a step before a run: whether it will run, as far as the inputs of the run say. Pure.

Each step has an *outlook*: how it may end, and how it ends if all before it goes well. Inputs are known; what steps
give, when the run is, and its ID are not. An expression is evaluated when all that it reads is known, and is left as
it stands otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from swamp_core.app.seeing_views import PlannedDecision
from swamp_core.expressions import ExpressionError, evaluate, has_expression, references, truthy
from swamp_core.run.events import Json
from swamp_core.workflow.conditions import Condition, EndStatus, described, holds
from swamp_core.workflow.definition import Assert, Job, Step

RAN: frozenset[EndStatus] = frozenset({"succeeded", "failed"})


@dataclass(frozen=True, slots=True)
class Known:
    """What expressions may read already: inputs, but for the `unknown` ones, and within a forEach the item."""

    inputs: Json
    unknown: frozenset[str] = frozenset()
    item: tuple[str, JsonValue] | None = None

    def covers(self, value: JsonValue) -> bool:
        """Whether every expression in the value can be evaluated."""
        return all(map(self._has, references(value)))

    def evaluated(self, value: JsonValue) -> JsonValue:
        """The value, with the expressions evaluated that can be. Raises `ExpressionError`."""
        match value:
            case dict():
                return {name: self.evaluated(member) for name, member in value.items()}
            case list():
                return [self.evaluated(member) for member in value]
            case str() if has_expression(value) and self.covers(value):
                scope: Json = {"inputs": self.inputs}
                if self.item is not None:
                    scope["self"] = {self.item[0]: self.item[1]}
                return evaluate(value, scope)
        return value

    def _has(self, path: tuple[str, ...]) -> bool:
        match path:
            case ("inputs",):
                return not self.unknown
            case ("inputs", name, *_):
                return name not in self.unknown
            case ("self", *_):
                return self.item is not None
        return False


@dataclass(frozen=True, slots=True)
class Outlook:
    """What will become of a step: the decision with its reason, all ends that are possible, and the expected one."""

    decision: PlannedDecision
    reason: str | None
    ends: frozenset[EndStatus]
    expected: EndStatus


RUNS = Outlook("runs", None, RAN, "succeeded")


@dataclass(frozen=True, slots=True)
class Before:
    """Something that a step comes after: a step or a job, by its name, with its outlook."""

    kind: str
    name: str
    condition: Condition
    outlook: Outlook


def skipped(reason: str) -> Outlook:
    """The outlook of a step that will surely not run."""
    return Outlook("skipped", reason, frozenset({"skipped"}), "skipped")


def failing(reason: str) -> Outlook:
    """The outlook of a step that will surely fail, if it comes to it."""
    return Outlook("fails", reason, frozenset({"failed"}), "failed")


def after(befores: Iterable[Before], itself: Outlook) -> Outlook:
    """The outlook of a step, given what it comes after and what it would come to by itself."""
    may_be_skipped = False
    unlikely: str | None = None
    for each in befores:
        condition, outlook = each.condition, each.outlook
        if not any(holds(condition, end) for end in outlook.ends):
            wanted = described(condition)
            return skipped(f"It runs only if {each.kind} `{each.name}` {wanted}, which cannot be.")
        may_be_skipped |= not all(holds(condition, end) for end in outlook.ends)
        if unlikely is None and not holds(condition, outlook.expected):
            unlikely = f"It runs only if {each.kind} `{each.name}` {described(condition)}."
    if itself.decision == "skipped":
        return itself
    ends: frozenset[EndStatus] = itself.ends | {"skipped"} if may_be_skipped else itself.ends
    if unlikely is not None:
        return Outlook("depends", unlikely, ends, "skipped")
    return replace(itself, ends=ends)


def by_itself(step: Step, known: Known) -> Outlook:
    """What a step, or an item of one, comes to by its own guard and task."""
    try:
        if step.guard is not None and known.covers(step.guard):
            if truthy(known.evaluated(step.guard)):
                return skipped("Its guard holds.")
            return _of_task(step, known)
        outlook = _of_task(step, known)
    except ExpressionError as error:
        return failing(f"{str(error).rstrip('.')}.")
    if step.guard is None:
        return outlook
    reason = "Its guard reads what is known only in the run."
    return Outlook("depends", reason, outlook.ends | {"skipped"}, outlook.expected)


def of_items(outlooks: Sequence[Outlook]) -> Outlook:
    """The one outlook of a step whose items have these."""
    if not outlooks:
        return Outlook("runs", "It has no items.", frozenset({"succeeded"}), "succeeded")
    decisions = {each.decision for each in outlooks}
    if decisions == {"skipped"}:
        return skipped("The guard holds for each of its items.")
    if "fails" in decisions:
        return failing("An item of it fails.")
    decision: PlannedDecision = "runs" if "runs" in decisions else "depends"
    reason = None if decision == "runs" else outlooks[0].reason
    return Outlook(decision, reason, RAN | {"skipped"} if decision == "depends" else RAN, "succeeded")


def of_job(job: Job, steps: Sequence[Outlook]) -> Outlook:
    """The outlook of a job whose steps have these, in the order in which they are declared."""
    counted = [each for each, step in zip(steps, job.steps, strict=True) if not step.allow_failure]
    ends: set[EndStatus] = set()
    if any("failed" in each.ends for each in counted):
        ends.add("failed")
    if all("skipped" in each.ends for each in steps):
        ends.add("skipped")
    if not (
        any(each.ends == {"failed"} for each in counted) or all(each.ends == {"skipped"} for each in steps)
    ):
        ends.add("succeeded")
    expected: EndStatus = "succeeded"
    if any(each.expected == "failed" for each in counted):
        expected = "failed"
    elif all(each.expected == "skipped" for each in steps):
        expected = "skipped"
    return Outlook("runs", None, frozenset(ends), expected)


def _of_task(step: Step, known: Known) -> Outlook:
    task = step.task
    if not isinstance(task, Assert) or not known.covers(task.expr):
        return RUNS
    if known.evaluated(task.expr) is True:
        return Outlook("runs", None, frozenset({"succeeded"}), "succeeded")
    return failing(f"What it asserts does not hold: {known.evaluated(task.message)}")
