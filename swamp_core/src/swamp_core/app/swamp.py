"""The library: the use cases that the command line offers in a shell, as methods of one object."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from pydantic import JsonValue

from swamp_core.ambient import Ambient
from swamp_core.app import (
    cancel,
    collect,
    datastore,
    decide,
    delete_workflow,
    dry_run,
    early_signals,
    finding,
    gates,
    graph,
    history,
    keys,
    logs,
    recover,
    remove,
    resume,
    resume_ready,
    run,
    signal,
    signal_by_key,
    waits,
    watch,
    workflows,
)
from swamp_core.app.driving import Attention
from swamp_core.app.key_views import DiscardResult, EarlySignalsResult, KeysResult, ReleaseResult
from swamp_core.app.seeing_views import DryRunResult, GraphResult, LogsResult
from swamp_core.app.views import (
    DatastoreView,
    HistoryResult,
    ReadyResult,
    RemovalResult,
    RunHistory,
    RunResult,
    SignalCheckResult,
    SignalResult,
    ValidateResult,
    WaitsResult,
    WorkflowsResult,
)
from swamp_core.app.watch import Until
from swamp_core.app.workspace import Setting, Workspace, open_workspace


class Swamp:
    """Workflows of one repo directory, with their runs in one store.

    Every method raises `Refused` when it does not do what was asked (`code` says why) and `StoreError` when the store
    cannot be used. A `Swamp` keeps nothing in memory: several, on any hosts, may work on the same store.

    >>> import tempfile
    >>> from pathlib import Path
    >>> repo = Path(tempfile.mkdtemp())
    >>> _ = (repo / "workflows").mkdir()
    >>> _ = (repo / "workflows" / "ask.yaml").write_text('''
    ... jobs:
    ...   - name: ask
    ...     steps: [{name: answer, task: {type: wait_for_signal, timeout: 1h}}]
    ... ''')
    >>> swamp = Swamp.open(repo)
    >>> suspended = swamp.run("ask")
    >>> suspended.run.status
    'suspended'
    >>> receipt = swamp.signal(suspended.waits[0].wait_id, {"approved": True})
    >>> receipt.status
    'accepted'
    >>> swamp.resume("ask").run.status
    'succeeded'
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @classmethod
    def open(
        cls, repo_dir: str | Path = ".", *, datastore: Setting | None = None, ambient: Ambient | None = None
    ) -> Swamp:
        """The Swamp of a repo directory.

        `datastore` is a URL or a mapping; without it the environment variable `SWAMP_DATASTORE`, then `.swamp.yaml`,
        then a directory inside the repo decides. `ambient` replaces the clock, IDs and user, for tests.
        """
        return cls(open_workspace(repo_dir, datastore=datastore, ambient=ambient, environ=os.environ))

    def run(
        self,
        workflow: str,
        inputs: Mapping[str, JsonValue] | None = None,
        *,
        supersede_earlier: bool = True,
        wait: bool = False,
        attention: Attention | None = None,
    ) -> RunResult:
        """Start a run and drive it until it ends or must wait; with `wait`, until it ends.

        Earlier runs with equal inputs that wait only for approvals are cancelled, if `supersede_earlier`.
        """
        runnable = workflows.load_runnable(self.workspace, workflow)
        return run.run_workflow(
            self.workspace,
            runnable,
            inputs or {},
            supersede_earlier=supersede_earlier,
            wait=wait,
            attention=attention,
        )

    def dry_run(self, workflow: str, inputs: Mapping[str, JsonValue] | None = None) -> DryRunResult:
        """What a run would do, as far as its inputs say. Nothing is started, and the store is not touched."""
        return dry_run.dry_run(workflows.load_runnable(self.workspace, workflow), inputs or {})

    def watch(self, run: str, *, until: Until = "ended", attention: Attention | None = None) -> RunResult:
        """Follow a run that another process drives, until it has ended or lost its driver, or is suspended."""
        attention = attention or Attention()
        found = finding.find_run(self.workspace, run)
        return watch.watch_run(
            self.workspace,
            found.run_id,
            until=until,
            observe=attention.observe,
            trouble=attention.trouble,
            interrupted=attention.interrupted,
        )

    def waits(self, *, workflow: str | None = None) -> WaitsResult:
        """The open waits for a signal, oldest first, of one workflow or of all."""
        return waits.list_waits(self.workspace, workflow=workflow)

    def keys(self, workflow: str) -> KeysResult:
        """The keys of a workflow's waits, and who holds each."""
        return keys.list_keys(self.workspace, workflow)

    def release_key(self, workflow: str, key: str) -> ReleaseResult:
        """Clear what stands under a key and cannot be read, so that a wait can claim it again."""
        return keys.release_key(self.workspace, workflow, key)

    def approvals(self, *, workflow: str | None = None) -> WaitsResult:
        """The undecided gates, oldest first, of one workflow or of all."""
        return waits.list_approvals(self.workspace, workflow=workflow)

    def signal(
        self,
        wait_id: str,
        payload: Mapping[str, JsonValue] | str | bytes,
        *,
        idempotency_key: str | None = None,
    ) -> SignalResult:
        """Give a payload to an open wait and get the receipt; the run goes on when somebody resumes it.

        The payload is kept in plain text; it must carry no secret.
        """
        return signal.signal(self.workspace, wait_id, payload, idempotency_key=idempotency_key)

    def check_signal(
        self,
        wait_id: str,
        payload: Mapping[str, JsonValue] | str | bytes,
        *,
        idempotency_key: str | None = None,
    ) -> SignalCheckResult:
        """Whether `signal` would accept the payload now; nothing is sent."""
        return signal.check_signal(self.workspace, wait_id, payload, idempotency_key=idempotency_key)

    def signal_by_key(
        self,
        workflow: str,
        key: str,
        payload: Mapping[str, JsonValue] | str | bytes,
        *,
        idempotency_key: str | None = None,
        ttl: timedelta | None = None,
    ) -> SignalResult:
        """Give a payload to the wait that holds the key, or hold it for the next one (by default an hour)."""
        return signal_by_key.signal_by_key(
            self.workspace, workflow, key, payload, idempotency_key=idempotency_key, ttl=ttl
        )

    def check_signal_by_key(
        self,
        workflow: str,
        key: str,
        payload: Mapping[str, JsonValue] | str | bytes,
        *,
        idempotency_key: str | None = None,
        ttl: timedelta | None = None,
    ) -> SignalCheckResult:
        """What `signal_by_key` would do now; nothing is sent."""
        return signal_by_key.check_signal_by_key(
            self.workspace, workflow, key, payload, idempotency_key=idempotency_key, ttl=ttl
        )

    def early_signals(self, *, workflow: str | None = None, key: str | None = None) -> EarlySignalsResult:
        """The signals that are held for the next wait under a key, of one workflow or key or of all."""
        return early_signals.list_early_signals(self.workspace, workflow=workflow, key=key)

    def discard_early_signal(self, signal_id: str) -> DiscardResult:
        """Let no wait have a held signal, named by its receipt's ID or a unique beginning of that."""
        return early_signals.discard_early_signal(self.workspace, signal_id)

    def approve(self, run: str, step: str) -> RunResult:
        """Approve a gate, named by its step, `JOB/STEP` or its wait ID; the run goes on when somebody resumes it."""
        found = gates.find_gate(self.workspace, run, step)
        return decide.approve(self.workspace, found)

    def reject(self, run: str, step: str, *, reason: str | None = None) -> RunResult:
        """Reject a gate, named as for `approve`, which ends its run as failed."""
        found = gates.find_gate(self.workspace, run, step)
        return decide.reject(self.workspace, found, reason=reason)

    def resume(
        self,
        run: str,
        inputs: Mapping[str, JsonValue] | None = None,
        *,
        wait: bool = False,
        attention: Attention | None = None,
    ) -> RunResult:
        """Take up a suspended run, named by its ID, the beginning of it, or its workflow's name, and drive it.

        `inputs` replace those of the run.
        """
        found = finding.find_run(self.workspace, run)
        return resume.resume(self.workspace, found.run_id, inputs=inputs, wait=wait, attention=attention)

    def resume_ready(self, *, attention: Attention | None = None) -> ReadyResult:
        """Resume every suspended run whose waits are all settled."""
        return resume_ready.resume_ready(self.workspace, attention or Attention())

    def retry(
        self,
        run: str,
        inputs: Mapping[str, JsonValue] | None = None,
        *,
        steps: Sequence[tuple[str, str]] = (),
        wait: bool = False,
        attention: Attention | None = None,
    ) -> RunResult:
        """Run the steps of a failed run again that failed, or these (as job and step), and what depends on them."""
        found = finding.find_run(self.workspace, run)
        return resume.retry_failed(
            self.workspace, found.run_id, steps=tuple(steps), inputs=inputs, wait=wait, attention=attention
        )

    def cancel(
        self, run: str, *, reason: str | None = None, keep_children: bool = False, wait: bool = False
    ) -> RunResult:
        """End a run, leaving no step waiting, and its unfinished nested runs, unless `keep_children`."""
        found = finding.find_run(self.workspace, run)
        return cancel.cancel(
            self.workspace, found.run_id, reason=reason, keep_children=keep_children, wait=wait
        )

    def recover(self, run: str, *, acknowledge_unknown: bool = False) -> RunResult:
        """Give up on the lost driver of a run, so that the run can be resumed."""
        found = finding.find_run(self.workspace, run)
        return recover.recover(self.workspace, found.run_id, acknowledge_unknown=acknowledge_unknown)

    def delete_run(self, run: str, *, force: bool = False) -> RemovalResult:
        """Remove everything of a run that is over, and of all that is nested in it; `force` cancels it first."""
        return remove.delete_run(self.workspace, run, force=force)

    def collect(self, older_than: timedelta, *, dry_run: bool = False) -> RemovalResult:
        """Remove the runs that ended longer ago than that, and what no run owns any more."""
        return collect.collect(self.workspace, older_than, dry_run=dry_run)

    def delete_workflow(self, workflow: str, *, force: bool = False) -> RemovalResult:
        """Remove all runs of a workflow, but for those nested in runs of others; its file stays."""
        return delete_workflow.delete_workflow(self.workspace, workflow, force=force)

    def history(
        self, *, workflow: str | None = None, status: str | None = None, limit: int = history.LIMIT
    ) -> HistoryResult:
        """The newest runs first."""
        return history.list_runs(self.workspace, workflow=workflow, status=status, limit=limit)

    def get_run(self, run: str) -> RunHistory:
        """A run with every event of its journal."""
        found = finding.find_run(self.workspace, run)
        return history.get_run(self.workspace, found.run_id)

    def logs(self, run: str, step: str | None = None) -> LogsResult:
        """What the steps of a run printed, or one step, named as `STEP`, `JOB/STEP` or by its item."""
        return logs.run_logs(self.workspace, finding.find_run(self.workspace, run), step)

    def graph(self, workflow: str, *, run: str | None = None) -> GraphResult:
        """The jobs and steps of a workflow, and what each depends on; of a run, as it pinned them and as they stand."""
        if run is None:
            return graph.workflow_graph(self.workspace, workflow)
        return graph.run_graph(self.workspace, workflow, run)

    def workflows(self) -> WorkflowsResult:
        """The workflow files of the repo."""
        return workflows.list_workflows(self.workspace)

    def validate(self, names: Sequence[str] = ()) -> ValidateResult:
        """What is wrong with the workflow files, all of them or those named."""
        return workflows.validate_workflows(self.workspace, names)

    def datastore(self) -> DatastoreView:
        """The datastore in use, and where its setting was found."""
        return datastore.show_datastore(self.workspace)
