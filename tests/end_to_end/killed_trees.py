"""A repo with the workflow `tree` (a gate, waits of a forEach, a nested run with a wait), and commands that are killed.

A killed command is one that runs in this process until a certain mutation of the store and does nothing more from
then on: every thread of it that asks the store for anything ends there. It claims to be a process that is gone.
"""

import shlex
import signal
import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from swamp_core.ambient import Ambient

from tests.end_to_end.killed_runs import Abandoned

MODEL = r"""
type: command/shell
name: tree
methods:
  count: { run: 'echo "$SWAMP_RUN_ID" >> "counts/$SWAMP_STEP"' }
  pack: { run: 'echo "$SWAMP_RUN_ID" >> "counts/$SWAMP_STEP"; ! test -e broken' }
"""
TREE = """
jobs:
  - name: all
    steps:
      - { name: compile, task: { type: model_method, modelIdOrName: tree, methodName: count } }
      - { name: sign-off, dependsOn: [compile], task: { type: manual_approval, prompt: "Ship?" } }
      - name: review
        dependsOn: [compile]
        forEach: { item: region, in: [eu, us] }
        task: { type: wait_for_signal, timeout: 1h }
      - { name: below, dependsOn: [compile], task: { type: workflow, workflowIdOrName: nested } }
      - name: ship
        dependsOn: [sign-off, review, below]
        task: { type: model_method, modelIdOrName: tree, methodName: count }
"""
NESTED = """
jobs:
  - name: all
    steps:
      - { name: pack, task: { type: model_method, modelIdOrName: tree, methodName: pack } }
      - { name: ask, dependsOn: [pack], task: { type: wait_for_signal, timeout: 1h } }
      - { name: after, dependsOn: [ask], task: { type: model_method, modelIdOrName: tree, methodName: count } }
"""
GONE = 2**22 + 1
"""A process ID that no process of this host can have."""
ENDED = ("succeeded", "failed", "cancelled")
FOR_EVER = "3650d"
STEPS_MAX = 30


class KillingStore:
    """Another store, which is gone for good from a certain mutation on: before that is sent, or once it took effect.

    `is_it` is told the number of each mutation and the bytes that it creates, if any.
    """

    def __init__(self, store, is_it, side):
        self._store = store
        self._is_it = is_it
        self._side = side
        self._count = 0
        self._lock = threading.Lock()
        self.at = None

    def put_if_absent(self, key, data):
        return self._mutate(f"put_if_absent {key}", lambda: self._store.put_if_absent(key, data), data)

    def delete(self, key):
        self._mutate(f"delete {key}", lambda: self._store.delete(key))

    def get(self, key):
        self._end_if_killed()
        return self._store.get(key)

    def list(self, prefix, *, start_after=None, limit=None):
        self._end_if_killed()
        return iter([*self._store.list(prefix, start_after=start_after, limit=limit)])

    def _end_if_killed(self):
        if self.at:
            raise Abandoned(self.at)

    def _mutate(self, what, call, data=b""):
        with self._lock:
            self._end_if_killed()
            self._count += 1
            here = self._is_it(self._count, data)
            if here and self._side == "before":
                self.at = what
                raise Abandoned(what)
        answer = call()
        if here:
            self.at = what
        self._end_if_killed()
        return answer


@dataclass
class TreeRepo:
    """A repo with the workflow `tree`, what is asked of it, and every receipt that anybody was given."""

    swamp: object
    receipts: list = field(default_factory=list)
    approved: list = field(default_factory=list)
    acknowledged: list = field(default_factory=list)

    @property
    def directory(self):
        return self.swamp.directory

    @cached_property
    def library(self):
        return self.swamp.library()

    @cached_property
    def store(self):
        return self.swamp.place.open()

    def runs(self):
        """Every run, by its ID."""
        return {run.id: self.library.get_run(run.id) for run in self.library.history().runs}

    def listed(self):
        """The one run of `tree`, as the history lists it; None if there is none."""
        roots = self.library.history(workflow="tree").runs
        assert len(roots) < 2, roots
        return roots[0] if roots else None

    def root(self):
        return self.listed().id

    def status(self):
        return self.listed().status

    def stored(self):
        return sorted(self.swamp.stored())

    def counts(self):
        """How often each step was carried out, by run and step."""
        return Counter(
            (run_id, path.name)
            for path in (self.directory / "counts").iterdir()
            for run_id in path.read_text().split()
        )

    def finished_counts(self):
        """How often each step was carried out that the journals say is over."""
        over = self._steps("succeeded", "failed")
        return {ref: count for ref, count in self.counts().items() if ref in over}

    def unknown_steps(self):
        """The steps that a lost driver left running."""
        return {step for _, step in self._steps("unknown")}

    def _steps(self, *statuses):
        return {
            (run_id, step.name)
            for run_id, shown in self.runs().items()
            for job in shown.run.jobs
            for step in job.steps
            if step.status in statuses
        }

    def killed(self, *command, number, side):
        """Run a command that is killed at its n-th mutation. What that was, or None if it ended before."""
        return self._killed(*command, is_it=lambda count, _: count == number, side=side)

    def killed_once_started(self, step, *command):
        """Run a command that is killed as soon as its journal says that the step is started."""
        told = f'"job":"all","step":"{step}","event":"step_started"'.encode()
        assert self._killed(*command, is_it=lambda _, data: told in data, side="after")

    def _killed(self, *command, is_it, side):
        opened = []

        def opener(_):
            opened.append(KillingStore(self.store, is_it, side))
            return opened[0]

        try:
            self.swamp.here(*command, ambient=Ambient(pid=GONE), opener=opener)
        except Abandoned:
            return opened[0].at
        assert opened[0].at is None, f"{command} went on after it was killed at {opened[0].at}"
        return None

    def killed_as_a_process(self, *command, stop):
        """Run a command as a process that is killed at the point; the test fails if it never came there."""
        ended = self.swamp(*command, code=-signal.SIGKILL, stop=stop)
        assert "stopping: kill" in ended.err

    def says(self, *command, code=0):
        """Run a command to its end, which has that exit code, or one of those; its document."""
        ended = self.swamp.here(*command, "--json", opener=lambda _: self.store)
        codes = code if isinstance(code, tuple) else (code,)
        assert ended.code in codes, f"{command} ended with {ended.code}:\n{ended.out}\n{ended.err}"
        return ended.json

    def settle(self, *, but=()):
        """Signal every open wait and approve every gate, but those of these steps."""
        for wait in self.library.waits().waits:
            if wait.step not in but:
                self.signal(wait.wait_id)
        for gate in self.library.approvals().waits:
            if gate.step not in but:
                self.approve(gate.run_id, gate.wait_id)

    def signal(self, wait_id):
        said = self.says("workflow", "signal", wait_id, "--payload", "{}", "--idempotency-key", wait_id)
        self.receipts.append(said["receipt"]["id"])

    def approve(self, run_id, wait_id):
        self.says("workflow", "approve", run_id, wait_id)
        self.approved.append(wait_id)

    def brought_to_its_end(self, *, retry=False):
        """Do what the command line says, from the root's ID alone, until the tree has ended; retry it if it failed."""
        for _ in range(STEPS_MAX):
            listed = self.listed()
            root, status = (listed.id, listed.status) if listed else ("", "not there")
            match status:
                case "not there":
                    self.says("workflow", "run", "tree")
                case "interrupted":
                    self.recovered(("workflow", "recover", "tree", "--run", root))
                case "suspended":
                    said = self.says("workflow", "resume", root, code=(0, 1, 3))
                    if "error" in said:
                        for each in _commands(said["error"]):
                            self.follow(each)
                case "failed" if retry:
                    self.says("workflow", "resume", "tree", "--run", root)
                case _:
                    return
        raise AssertionError(f"After {STEPS_MAX} commands the run is {status}.")

    def recovered(self, command):
        """Give up on a lost driver; say that steps may run again only if that is asked for."""
        said = self.says(*command, code=(0, 1, 3))
        if "error" in said:
            assert said["error"]["code"] == "unknown_step_outcome", said
            (again,) = _commands(said["error"])
            self.acknowledged.append(again)
            self.says(*again, code=(0, 1))

    def follow(self, command):
        """Do what a refusal says."""
        match command[1]:
            case "signal":
                self.signal(command[2])
            case "approve":
                self.approve(command[5], command[3])
            case "recover":
                self.recovered(command)
            case _:
                self.says(*command, code=(0, 1))


def _commands(error):
    lines = [line for line in error["hint"].splitlines() if line.startswith("swamp ")]
    assert lines, error
    return [_without_place(tuple(shlex.split(line)[1:])) for line in lines]


def _without_place(words):
    at = words.index("--repo-dir")
    return words[:at] + words[at + 2 :]


def in_a_new_repo(swamp):
    """A repo in the command line's directory, in which nothing has run."""
    repo = TreeRepo(swamp)
    swamp.directory.mkdir(parents=True)
    for path, text in {"workflows/tree": TREE, "workflows/nested": NESTED, "models/tree": MODEL}.items():
        swamp.write(f"{path}.yaml", text)
    (repo.directory / "counts").mkdir()
    return repo


def copied(repo, directory):
    """The same repo, runs and receipts and all, in another directory."""
    return TreeRepo(repo.swamp.copied(directory), [*repo.receipts], [*repo.approved], [*repo.acknowledged])
