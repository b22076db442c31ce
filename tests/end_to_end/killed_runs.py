"""A repo with the workflow `ship`, whose steps count how often they are done, and commands that are killed in it."""

import signal
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

import pytest
from swamp_core.app.refusals import Refused
from swamp_core.store.probing import NOTES, PROBES
from swamp_core.testing.stopping import Stop, StoppingStore

# `notes` stands beside the wait and ends after that was opened (or its driver is gone), so that the driver always makes
# the same entries.
MODEL = r"""
type: command/shell
name: ship
methods:
  count: { run: 'echo "$SWAMP_RUN_ID" >> "counts/$SWAMP_STEP"' }
  note:
    run: |
      until ./journal runs/"$SWAMP_RUN_ID"/ | grep -qsE '"event":"wait_(opened|applied)"'
      do kill -0 $PPID || exit 1
      done
      echo "$SWAMP_RUN_ID" >> "counts/$SWAMP_STEP"
  fail: { run: 'echo "$SWAMP_RUN_ID" >> "counts/$SWAMP_STEP"; exit 7' }
  hold:
    run: |
      echo "$SWAMP_RUN_ID" >> "counts/$SWAMP_STEP"
      test -e go_on || { echo $$ > started; cat gate; }
"""
WORKFLOW = """
jobs:
  - name: build
    steps: [{ name: compile, task: { type: model_method, modelIdOrName: ship, methodName: count } }]
  - name: release
    dependsOn: [build]
    steps:
      - name: review
        task: { type: wait_for_signal, timeout: 1h, schema: { type: object, required: [verdict] } }
      - name: notes
        task: { type: model_method, modelIdOrName: ship, methodName: note }
      - name: check
        allowFailure: true
        dependsOn: [notes]
        task: { type: model_method, modelIdOrName: ship, methodName: fail }
      - name: deploy
        dependsOn: [review]
        guard: ${{ steps.review.outputs.payload.verdict != "ship" }}
        task: { type: model_method, modelIdOrName: ship, methodName: count }
"""
PAYLOAD = '{"verdict":"ship"}'
KEY = "build-7"
ENDS = {"compile": "succeeded", "review": "succeeded", "notes": "succeeded", "check": "failed"} | {
    "deploy": "succeeded"
}


class Abandoned(BaseException):
    """A command ends here and does nothing more, as if its process had been killed."""


@dataclass(frozen=True)
class Repo:
    """A repo with the workflow `ship`, and what is asked of it."""

    swamp: object

    @property
    def directory(self):
        return self.swamp.directory

    @property
    def library(self):
        return self.swamp.library()

    def run_ids(self):
        return [run.id for run in self.library.history().runs]

    def run_id(self):
        (run_id,) = self.run_ids()
        return run_id

    def status(self):
        return self.library.get_run(self.run_id()).run.status

    def events(self):
        return self.library.get_run(self.run_id()).events

    def counts(self):
        """How often each step was carried out, whichever run it belongs to."""
        return Counter(
            {path.name: len(path.read_text().splitlines()) for path in (self.directory / "counts").iterdir()}
        )

    def wait_id(self):
        (wait,) = self.library.waits().waits
        return wait.wait_id

    def killed(self, *command, stop):
        """Run a command as a process that is killed at the point; the test fails if it never came there."""
        ended = self.swamp("workflow", *command, code=-signal.SIGKILL, stop=stop)
        assert "stopping: kill" in ended.err

    def abandoned(self, *command, stop):
        """Run a command in this process and abandon it at the point."""

        def abandon(stop):
            raise Abandoned(stop)

        def opener(_):
            return StoppingStore(self.swamp.place.open(), Stop.parse(stop), abandon)

        with pytest.raises(Abandoned):
            self.swamp.here("workflow", *command, opener=opener)

    def mutations(self, *command):
        """What a command creates and deletes, each as `verb key`, in order; but for what tries a new bucket first."""
        log = self.directory / "requests"
        self.swamp("workflow", *command, code=None, requests=log)
        lines = log.read_text().splitlines()
        log.unlink()
        return [
            line
            for line in lines
            if line.startswith(("put_if_absent ", "delete "))
            and not line.split()[1].startswith((NOTES, PROBES))
        ]

    def signal(self):
        """Signal the open wait under the one key; the receipt."""
        signalled = self.swamp.json(
            "workflow", "signal", self.wait_id(), "--payload", PAYLOAD, "--idempotency-key", KEY
        )
        return signalled["receipt"]["id"]

    def recovered(self):
        """Give up on the lost driver, as its user is told to."""
        command = ("workflow", "recover", "ship", "--run", self.run_id())
        first = self.swamp(*command, "--json", code=None)
        if first.code == 3:
            assert first.json["error"]["code"] == "unknown_step_outcome"
            self.swamp(*command, "--acknowledge-unknown")

    def brought_to_its_end(self):
        """Recover, signal and resume the run until it has ended; every step is one that the command line names."""
        if self.status() == "interrupted":
            self.recovered()
        if self.status() == "suspended" and not self.library.waits().waits:
            self.swamp("workflow", "resume", self.run_id(), code=None)
        if self.library.waits().waits:
            self.signal()
        if self.status() == "suspended":
            self.swamp("workflow", "resume", self.run_id())

    def leaves_no_trace_of_work(self):
        """What an ended run leaves: nothing that looks for work finds it. A recover completes a cut-off end."""
        run_id = self.run_id()
        assert self.library.waits().waits == []
        with suppress(Refused):  # When nothing was cut off, there is nothing to recover.
            self.library.recover(run_id)
        store = self.swamp.place.open()
        assert [*store.list(f"open-runs/ship/{run_id}/"), *store.list("waits/")] == []


def in_a_new_repo(swamp):
    """A repo in the command line's directory, in which nothing has run."""
    repo = Repo(swamp)
    swamp.directory.mkdir(parents=True)
    repo.swamp.write("workflows/ship.yaml", WORKFLOW)
    repo.swamp.write("models/ship.yaml", MODEL)
    repo.swamp.write("journal", repo.swamp.place.looker).chmod(0o755)
    (repo.directory / "counts").mkdir()
    return repo


def copied(repo, directory):
    """The same repo, runs and all, in another directory."""
    return Repo(repo.swamp.copied(directory))
