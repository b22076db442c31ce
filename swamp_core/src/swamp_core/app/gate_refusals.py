"""The refusals of a decision: there is no such gate, it cannot be decided any more, or it was decided already."""

from __future__ import annotations

from pydantic import JsonValue

from swamp_core.app.refusals import Refused
from swamp_core.app.run_views import run_wait_views
from swamp_core.app.unfinished_below import unfinished_below
from swamp_core.app.views import WaitView
from swamp_core.app.workspace import Workspace
from swamp_core.engine.plan import Plan, StepRef, plan_of_run
from swamp_core.engine.readiness import all_steps
from swamp_core.records.base import Unreadable, instant_text
from swamp_core.records.families import Approved, Decision, Rejected
from swamp_core.run.state import RunState
from swamp_core.waits.deciding import AlreadyDecided, Decided, GateAnswer
from swamp_core.waits.settling import UnknownWait
from swamp_core.waits.signals import Closed, Expired
from swamp_core.workflow.definition import ManualApproval
from swamp_core.workflow.problems import did_you_mean, quoted

_LISTED_MAX = 20


def unknown_step(workspace: Workspace, run: RunState, text: str, signals: list[str]) -> Refused:
    """The refusal of a text that means no gate of the run; `signals` are the waits for a signal that it may mean."""
    details: dict[str, JsonValue] = {"runId": run.run_id, "step": text}
    if signals:
        wait = run.waits[signals[0]]
        views = run_wait_views(run, workspace, tuple(signals))
        commands = "\n".join(view.next_command for view in views)
        return Refused(
            "unknown_step",
            f"The step {_step(wait.job, wait.step)} waits for a signal: it is not approved or rejected.",
            hint=f"Signal it with:\n{commands}" if views else _history(workspace, run),
            details={**details, "waitIds": list(signals)},
        )
    if below := _gates_below(workspace, run, text):
        commands = "\n".join(each.next_command for each in below[:_LISTED_MAX])
        return Refused(
            "unknown_step",
            f"The run {run.run_id} of {run.workflow} has no gate {quoted(text)}, but a run that is nested in it has.",
            hint=f"Approve it with this, or reject it with `reject` in the place of `approve`:\n{commands}",
            details={**details, "waitIds": [each.wait_id for each in below]},
        )
    plan = plan_of_run(run)
    steps = [ref for ref in all_steps(plan, run) if text in (ref[1], "/".join(ref))]
    if steps:
        message = _no_gate_yet(plan, run, steps[0])
    else:
        known = ["/".join(ref) if "/" in text else ref[1] for ref in _gates(plan, run)]
        message = (
            f"The run {run.run_id} of {run.workflow} has no gate {quoted(text)}{did_you_mean(text, known)}"
        )
    return Refused("unknown_step", message, hint=_approvals(workspace), details=details)


def _gates_below(workspace: Workspace, run: RunState, text: str) -> list[WaitView]:
    """The undecided gates of nested runs that the text names, or that are nested in the step that it names."""
    found: list[WaitView] = []
    within: set[str] = set()
    for each in unfinished_below(workspace, run):
        parent = each.parent
        assert parent is not None
        named = text in (parent.step, f"{parent.job}/{parent.step}") and parent.run_id == run.run_id
        if named or parent.run_id in within:
            within.add(each.run_id)
        found += [
            wait
            for wait in run_wait_views(each, workspace)
            if wait.kind == "approval"
            and (each.run_id in within or text in (wait.step, f"{wait.job}/{wait.step}"))
        ]
    return found


def ambiguous_step(workspace: Workspace, run: RunState, text: str, wait_ids: list[str]) -> Refused:
    """The refusal of a text that may mean any of these gates."""
    waits = {wait_id: run.waits[wait_id] for wait_id in wait_ids}
    lines = [f"{wait.job}/{wait.step}  {wait_id}" for wait_id, wait in waits.items()]
    return Refused(
        "ambiguous_step",
        f"The run {run.run_id} has {len(waits)} gates that {quoted(text)} may mean:\n"
        + "\n".join(lines[:_LISTED_MAX]),
        hint=f"Give JOB/STEP or the wait ID of one of them.\n{_approvals(workspace)}",
        details={
            "runId": run.run_id,
            "gates": [
                {"waitId": wait_id, "job": wait.job, "step": wait.step} for wait_id, wait in waits.items()
            ],
        },
    )


def undecidable(workspace: Workspace, run: RunState, wait_id: str, answer: GateAnswer) -> Refused:
    """The refusal of a decision that was not taken."""
    wait = run.waits[wait_id]
    gate = f"The gate {_step(wait.job, wait.step)} of run {run.run_id}"
    details: dict[str, JsonValue] = {"runId": run.run_id, "waitId": wait_id}
    match answer:
        case AlreadyDecided(outcome=outcome) | Decided(outcome=outcome):
            return _already_decided(workspace, run, gate, outcome, details)
        case Expired(deadline=deadline):
            when = f" at {instant_text(at)}" if (at := deadline or wait.deadline) else ""
            resume = workspace.command("workflow", "resume", run.run_id)
            hint = _history(workspace, run) if run.ended else f"A resume fails the gate:\n{resume}"
            return Refused(
                "gate_expired",
                f"{gate} can no longer be decided: its deadline passed{when}.",
                hint=hint,
                details=details,
            )
        case Unreadable(key=key, reason=reason):
            return Refused(
                "unreadable",
                f"The record `{key}` cannot be read, so the gate was not decided: {reason}.",
                hint="Cancel the run of this gate, or restore the record from a backup of the store.",
                details={**details, "key": key, "reason": reason},
            )
        case UnknownWait() if not run.ended:
            return Refused(
                "unknown_step",
                f"{gate} is not open yet: its driver is about to open it.",
                hint=f"Try again once it is listed by:\n{workspace.command('workflow', 'approvals')}",
                details=details,
            )
        case Closed() | UnknownWait():
            return Refused(
                "closed",
                f"{gate} was closed undecided: its run ended or was superseded, or its step was reset.",
                hint=_history(workspace, run),
                details=details,
            )
        case _:
            return unknown_step(workspace, run, wait_id, [])


def _already_decided(
    workspace: Workspace,
    run: RunState,
    gate: str,
    outcome: Approved | Rejected,
    details: dict[str, JsonValue],
) -> Refused:
    decision = outcome.decision
    resume = workspace.command("workflow", "resume", run.run_id)
    goes_on = outcome.outcome == "approved" and run.status == "suspended"
    return Refused(
        "already_decided",
        f"{gate} was {outcome.outcome} already, by {decision.by} at {instant_text(decision.at)}{_why(decision)}",
        hint=f"The run goes on when it is resumed:\n{resume}" if goes_on else _history(workspace, run),
        details={**details, "outcome": outcome.outcome, "decision": decision.model_dump(mode="json")},
    )


def _why(decision: Decision) -> str:
    return f": {decision.reason}" if decision.reason else "."


def _no_gate_yet(plan: Plan, run: RunState, ref: StepRef) -> str:
    """What a step is that has no gate, or not yet, or not any more."""
    state = run.step(*ref)
    if state.child_run_id is not None:
        child = run.children[state.child_run_id]
        return (
            f"The step {_step(*ref)} is no gate, but the run {state.child_run_id} of `{child.workflow}`: "
            "name that run to decide a gate of it."
        )
    if not isinstance(plan.step(run, ref).task, ManualApproval):
        return f"The step {_step(*ref)} is no gate: it is not approved or rejected."
    if state.expansion is not None and state.expansion.names:
        names = state.expansion.names
        more = ", …" if len(names) > _LISTED_MAX else ""
        listed = ", ".join(map(quoted, names[:_LISTED_MAX]))
        return f"The step {_step(*ref)} has a gate for each of its items: {listed}{more}."
    return f"The gate {_step(*ref)} is not open: the step is {state.status}."


def _gates(plan: Plan, run: RunState) -> list[StepRef]:
    """The steps that are gates, or will be."""
    return [
        ref
        for ref in all_steps(plan, run)
        if isinstance(plan.step(run, ref).task, ManualApproval) and run.step(*ref).expansion is None
    ]


def _step(job: str, step: str) -> str:
    return f"{quoted(step)} of job {quoted(job)}"


def _approvals(workspace: Workspace) -> str:
    return f"The undecided gates are listed by:\n{workspace.command('workflow', 'approvals')}"


def _history(workspace: Workspace, run: RunState) -> str:
    return f"See what happened with:\n{workspace.command('workflow', 'history', 'get', run.run_id)}"
