"""The public surface of the library, as a caller's type checker sees it. This file is checked and never run."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, assert_type

from pydantic import JsonValue
from swamp_core.app.driving import Attention
from swamp_core.app.key_views import DiscardResult, EarlySignalsResult, KeysResult, ReleaseResult
from swamp_core.app.seeing_views import DryRunResult, GraphResult, LogsResult
from swamp_core.app.views import (
    DatastoreView,
    HistoryResult,
    ReadyResult,
    ReceiptView,
    RemovalResult,
    RunHistory,
    RunResult,
    RunView,
    SignalCheckResult,
    SignalResult,
    StepView,
    ValidateResult,
    WaitsResult,
    WaitView,
    WorkflowsResult,
)
from swamp_core.store import SignalWaitStore

from swamp_core import MethodContext, Refused, StoreError, Swamp


def use_cases(directory: Path) -> None:
    """Every method, with every argument, and what it gives."""
    assert_type(Swamp.open(), Swamp)
    swamp = Swamp.open(directory, datastore={"type": "local", "path": "/srv/swamp"}, ambient=None)
    swamp = Swamp.open(str(directory), datastore="file:///srv/swamp")
    attention = Attention(observe=lambda run, events: None)
    attention.interrupt()
    assert_type(swamp.run("release", {"env": "dev"}, wait=True, attention=attention), RunResult)
    assert_type(swamp.run("release"), RunResult)
    assert_type(swamp.dry_run("release", {"env": "dev"}), DryRunResult)
    assert_type(swamp.watch("0192f0c1", until="suspended", attention=attention), RunResult)
    assert_type(swamp.waits(workflow="release"), WaitsResult)
    assert_type(swamp.signal("5d0f4c6a", {"verdict": "ship"}, idempotency_key="build-1"), SignalResult)
    assert_type(swamp.signal("5d0f4c6a", b"{}"), SignalResult)
    assert_type(swamp.check_signal("5d0f4c6a", {"verdict": "ship"}, idempotency_key="b"), SignalCheckResult)
    assert_type(swamp.approvals(workflow="release"), WaitsResult)
    assert_type(swamp.keys("release"), KeysResult)
    assert_type(swamp.release_key("release", "verdict"), ReleaseResult)
    assert_type(swamp.signal_by_key("release", "verdict", {}, ttl=timedelta(hours=1)), SignalResult)
    assert_type(swamp.check_signal_by_key("release", "verdict", b"{}"), SignalCheckResult)
    assert_type(swamp.early_signals(workflow="release", key="verdict"), EarlySignalsResult)
    assert_type(swamp.discard_early_signal("5d0f4c6a"), DiscardResult)
    assert_type(swamp.approve("release", "sign-off"), RunResult)
    assert_type(swamp.reject("release", "release/sign-off", reason="the build is red"), RunResult)
    assert_type(swamp.resume("release", wait=False, attention=attention), RunResult)
    assert_type(swamp.resume("release", {"env": "prod"}), RunResult)
    assert_type(swamp.resume_ready(attention=attention), ReadyResult)
    assert_type(swamp.retry("0192f0c1", {"env": "prod"}, steps=[("release", "deploy")], wait=True), RunResult)
    assert_type(swamp.cancel("release", reason="superseded", wait=True), RunResult)
    assert_type(swamp.recover("0192f0c1", acknowledge_unknown=True), RunResult)
    assert_type(swamp.delete_run("0192f0c1", force=True), RemovalResult)
    assert_type(swamp.collect(timedelta(days=30), dry_run=True), RemovalResult)
    assert_type(swamp.delete_workflow("release", force=True), RemovalResult)
    assert_type(swamp.history(workflow="release", status="failed", limit=1), HistoryResult)
    assert_type(swamp.get_run("0192f0c1"), RunHistory)
    assert_type(swamp.logs("0192f0c1", "compile"), LogsResult)
    assert_type(swamp.graph("release", run="0192f0c1"), GraphResult)
    assert_type(swamp.workflows(), WorkflowsResult)
    assert_type(swamp.validate(["release"]), ValidateResult)
    assert_type(swamp.datastore(), DatastoreView)


def answers(suspended: RunResult, signalled: SignalResult) -> None:
    """What can be read from the answers that scripts use most."""
    assert_type(suspended.run, RunView)
    assert_type(suspended.waits, list[WaitView])
    assert_type(suspended.waits[0].wait_id, str)
    assert_type(suspended.waits[0].deadline, datetime | None)
    assert_type(suspended.waits[0].payload_schema, dict[str, JsonValue] | None)
    assert_type(suspended.run.jobs[0].steps[0], StepView)
    assert_type(suspended.run.jobs[0].steps[0].outputs, dict[str, JsonValue] | None)
    assert_type(signalled.status, Literal["accepted", "repeated", "held"])
    assert_type(signalled.receipt, ReceiptView)
    assert_type(signalled.to_json(), dict[str, Any])


def refusals(error: Refused | StoreError) -> str:
    """What an error tells."""
    if isinstance(error, Refused):
        assert_type(error.message, str)
        assert_type(error.details, dict[str, Any])
    assert_type(error.hint, str | None)
    return error.code


def own_store(store: SignalWaitStore) -> None:
    """What a store offers to those who write protocols of their own."""
    assert_type(store.put_if_absent("a/b", b"{}"), bool)
    assert_type(store.get("a/b"), bytes | None)
    assert_type(list(store.list("a", start_after="a/a", limit=1)), list[str])
    store.delete("a/b")


class Releases:
    """A class whose methods steps call, and what a method may ask for."""

    def deploy(self, context: MethodContext, tag: str) -> dict[str, str]:
        """A method of a model."""
        assert_type(context.repo_dir, Path)
        assert_type(context.stopped.wait(1), bool)
        context.log(f"{context.workflow}/{context.run_id}/{context.job}/{context.step}: {tag}")
        return {"tag": tag}


def test_of_a_method() -> None:
    """A method is tested without a run."""
    assert_type(Releases().deploy(MethodContext(step="deploy"), "v1"), dict[str, str])
