"""How a dry run is told: the steps in their order, each with what it would do and what that hangs on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from swamp_core.app.seeing_views import DryRunResult, PlannedAfterView, PlannedDecision, PlannedStepView
from swamp_core.cli.escaping import shortened
from swamp_core.cli.parts import Facts, Part, Say, Style
from swamp_core.cli.rendering.tasks import concurrency_text, task_text
from swamp_core.cli.rendering.wrapping import wrapped

TEXT_CHARACTERS_MAX = 300
ITEMS_SHOWN_MAX = 5

STYLES: dict[PlannedDecision, Style] = {"runs": "plain", "skipped": "dim", "fails": "bad", "depends": "warn"}
WORDS: dict[PlannedDecision, str] = {
    "runs": "",
    "skipped": "skipped",
    "fails": "fails",
    "depends": "perhaps",
}


def dry_run_parts(result: DryRunResult) -> Iterator[Part]:
    """What a run would do."""
    yield Say(f"A run of {result.workflow} would do this, in this order. Nothing was started or stored.")
    if result.inputs:
        yield Facts((("inputs", _short(result.inputs)),))
    yield from _steps(result.steps, "")


def _steps(steps: list[PlannedStepView], margin: str) -> Iterator[Part]:
    width = len(str(max((step.wave for step in steps), default=1)))
    for step in steps:
        under = f"{margin}{' ' * width}    "
        number = f"{margin}{step.wave:>{width}}  "
        task = shortened(task_text(step.task, step.target, step.timeout), TEXT_CHARACTERS_MAX)
        head = " · ".join(filter(None, (f"{step.job}/{step.step}", WORDS[step.decision], task)))
        yield from wrapped(head, number, f"{under}", STYLES[step.decision])
        for fact in _facts(step):
            yield from wrapped(shortened(fact, TEXT_CHARACTERS_MAX), under, f"{under}  ", "dim")
        if step.steps:
            yield from _steps(step.steps, under)


def _facts(step: PlannedStepView) -> Iterator[str]:
    if step.reason:
        yield step.reason
    if step.after:
        yield f"after {', '.join(map(_after, step.after))}"
    if step.guard:
        yield f"skipped if {step.guard.strip()}"
    if step.for_each:
        yield f"for each {step.for_each}{'' if step.items is not None else ', known only in the run'}"
    if step.concurrency:
        yield concurrency_text(step.concurrency)
    if step.items:
        yield from _items(step)
    if step.inputs:
        yield f"with {_short(step.inputs)}"
    if step.prompt:
        yield f"asks: {' '.join(step.prompt.split())}"


def _items(step: PlannedStepView) -> Iterator[str]:
    items = step.items or []
    shown = items if len(items) <= ITEMS_SHOWN_MAX + 1 else items[:ITEMS_SHOWN_MAX]
    for item in shown:
        word = f" · {WORDS[item.decision]}" if WORDS[item.decision] else ""
        yield f"{item.name}{word}{f' · with {_short(item.inputs)}' if item.inputs else ''}"
    if left_out := items[len(shown) :]:
        counts = Counter(item.decision for item in left_out)
        told = ", ".join(f"{count} {WORDS[decision] or 'run'}" for decision, count in counts.items())
        yield f"and {len(left_out)} more: {told}"


def _after(each: PlannedAfterView) -> str:
    name = f"job {each.job}" if each.step is None else each.step
    return f"{name} {each.label}" if each.label else name


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
