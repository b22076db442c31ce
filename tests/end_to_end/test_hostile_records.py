"""A record of each family in a state in which Swamp did not write it: unreadable where its turn comes, never absent.

There are a run `mine`, one of whose records is spoiled, and a run `other` of the same workflow beside it; both wait.
Each test says what becomes of `mine`; that `other` can be listed, signalled, resumed and cancelled holds in all.
"""

import json
import shutil
from dataclasses import dataclass

import pytest
from swamp_core.app.refusals import Refused
from swamp_core.app.swamp import Swamp
from swamp_core.records import keys
from swamp_store_local.layout import record_path

WORKFLOW = """
jobs:
  - name: ask
    steps:
      - name: first
        task: { type: model_method, modelIdOrName: ask, methodName: note }
      - name: answer
        dependsOn: [first]
        task: { type: wait_for_signal, timeout: 1h, schema: { properties: { ok: { type: boolean } }, required: [ok] } }
      - name: last
        dependsOn: [answer]
        task: { type: model_method, modelIdOrName: ask, methodName: note }
"""
MODEL = "type: command/shell\nname: ask\nmethods: { note: { run: 'true' } }\n"
PAYLOAD = {"ok": True}


@dataclass(frozen=True)
class Store:
    """A repo with the two runs, and the means to spoil a record behind the store's back."""

    swamp: object
    mine: object
    other: object

    @property
    def library(self):
        return Swamp.open(self.swamp.directory)

    def path(self, key):
        return record_path(str(self.swamp.directory / ".swamp/store"), key)

    def read(self, key):
        with open(self.path(key), "rb") as file:  # noqa: PTH123 - the layout speaks of paths as text
            return file.read()

    def spoil(self, key, data):
        with open(self.path(key), "wb") as file:  # noqa: PTH123
            file.write(data)

    def change(self, key, **members):
        """Give members of a record other values, those of None taken away."""
        record = json.loads(self.read(key)) | members
        self.spoil(
            key, json.dumps({name: value for name, value in record.items() if value is not None}).encode()
        )

    def refusal(self, *command):
        """The error of a command that is refused: exit code 3, one document, and no word of a bug."""
        ended = self.swamp.here("--json", "workflow", *command)
        assert ended.code == 3, ended
        return ended.json["error"]

    def answer(self, *command):
        ended = self.swamp.here("--json", "workflow", *command)
        assert ended.code == 0, ended
        return ended.json


@dataclass(frozen=True)
class Run:
    """A run that waits."""

    run_id: str
    wait_id: str


def waiting(library):
    result = library.run("ask")
    return Run(result.run.id, result.waits[0].wait_id)


@pytest.fixture(scope="module")
def suspended(command_line, tmp_path_factory):
    swamp = command_line(tmp_path_factory.mktemp("records") / "repo")
    swamp.write("workflows/ask.yaml", WORKFLOW)
    swamp.write("models/ask.yaml", MODEL)
    library = Swamp.open(swamp.directory)
    return Store(swamp, waiting(library), waiting(library))


@pytest.fixture
def store(suspended, tmp_path):
    shutil.copytree(suspended.swamp.directory, tmp_path / "repo")
    return Store(suspended.swamp.at(tmp_path / "repo"), suspended.mine, suspended.other)


def assert_the_rest_works(store, mine=None):
    """The other run is listed, signalled, resumed and cancelled; a new one is started; the history has all."""
    library, other = store.library, store.other
    assert other.wait_id in [wait["waitId"] for wait in store.answer("waits")["waits"]]
    shown = {run["id"]: run["status"] for run in store.answer("history", "list")["runs"]}
    assert shown[other.run_id] == "suspended"
    assert mine in (None, shown.get(store.mine.run_id))
    third = waiting(library)
    assert library.signal(other.wait_id, PAYLOAD).status == "accepted"
    assert library.resume(other.run_id).run.status == "succeeded"
    assert library.cancel(third.run_id).run.status == "cancelled"
    assert store.answer("history", "get", other.run_id)["run"]["status"] == "succeeded"


def truncated(store, key):
    return store.read(key)[: len(store.read(key)) // 2]


def empty(store, key):
    return b""


def nul_filled(store, key):
    return b"\0" * len(store.read(key))


def of_another_family(store, key):
    family = "waits/" if not key.startswith("waits/") else "runs/"
    ours = keys.registration(store.mine.wait_id) if family == "waits/" else keys.entry(store.mine.run_id, 1)
    return store.read(ours)


def of_another_id(store, key):
    return store.read(
        key.replace(store.mine.run_id, store.other.run_id).replace(store.mine.wait_id, store.other.wait_id)
    )


def of_a_newer_format(store, key):
    return json.dumps(json.loads(store.read(key)) | {"format": 2, "novelty": [1]}).encode()


def deep(store, key):
    return b'{"format":1,"kind":' + b"[" * 100_000


def no_object(store, key):
    return b'["format", 1]'


def no_utf_8(store, key):
    return store.read(key).replace(b'"kind"', b'"\xff"')


def of_wrong_types(store, key):
    return json.dumps({name: [{}] for name in json.loads(store.read(key))}).encode()


SPOILS = [truncated, empty, nul_filled, of_another_family, of_another_id, of_a_newer_format, deep, no_object]
SPOILS += [no_utf_8, of_wrong_types]
each_spoil = pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
each_but_of_another_id = pytest.mark.parametrize(
    "spoil", [spoil for spoil in SPOILS if spoil is not of_another_id], ids=lambda spoil: spoil.__name__
)
"""For a family of one record."""


@each_but_of_another_id
def test_a_spoiled_format_stops_who_would_drive_a_run_and_nobody_else(store, spoil):
    """A store of an unknown format is not run or resumed on; what is there is listed, signalled and cancelled."""
    store.spoil(keys.FORMAT_KEY, spoil(store, keys.FORMAT_KEY))
    before = store.swamp.stored()
    assert store.refusal("run", "ask")["code"] == "unknown_format"
    assert store.refusal("resume", store.mine.run_id)["code"] == "unknown_format"
    assert store.swamp.stored() == before
    assert len(store.answer("waits")["waits"]) == 2
    assert store.library.signal(store.mine.wait_id, PAYLOAD).status == "accepted"
    assert store.library.cancel(store.other.run_id).run.status == "cancelled"
    statuses = [run["status"] for run in store.answer("history", "list")["runs"]]
    assert statuses == ["cancelled", "suspended"]


@each_spoil
@pytest.mark.parametrize("family", ["workflow-runs", "open-runs"])
def test_an_index_is_there_whatever_it_holds(store, family, spoil):
    """An index or a mark says what it says by being there: the run is listed, signalled and resumed as ever."""
    mine = store.mine
    key = (
        keys.run_index("ask", mine.run_id) if family == "workflow-runs" else keys.mark("ask", mine.run_id, 1)
    )
    store.spoil(key, spoil(store, key))
    assert_the_rest_works(store, mine="suspended")
    assert store.library.signal(mine.wait_id, PAYLOAD).status == "accepted"
    assert store.library.resume(mine.run_id).run.status == "succeeded"


def assert_unreadable(store, key):
    """Each command that would need the run's journal says which record it cannot read, and changes nothing."""
    mine, before = store.mine, store.swamp.stored()
    for command in (
        ("history", "get", mine.run_id),
        ("resume", mine.run_id),
        ("resume", "ask", "--run", mine.run_id),
        ("cancel", mine.run_id),
        ("recover", "ask", "--run", mine.run_id),
    ):
        error = store.refusal(*command)
        assert (error["code"], error["details"]["key"]) == ("unreadable", key)
        assert f"`{key}`" in error["message"]
    assert store.swamp.stored() == before
    assert_the_rest_works(store, mine="unreadable")


@each_spoil
@pytest.mark.parametrize("number", [1, 3, 5], ids=["oldest", "middle", "newest"])
def test_a_spoiled_entry_makes_its_run_unreadable(store, number, spoil):
    """A journal with a spoiled entry is no shorter journal: its run is shown as unreadable and not gone on with."""
    for each in range(1, 6):  # without snapshots, so that each entry is read
        store.change(keys.entry(store.mine.run_id, each), snapshot=None, snapshotAt=None)
    key = keys.entry(store.mine.run_id, number)
    store.spoil(key, spoil(store, key))
    assert_unreadable(store, key)
    assert store.library.signal(store.mine.wait_id, PAYLOAD).status == "accepted", (
        "its wait is open all the same"
    )


@each_spoil
def test_a_spoiled_registration_is_shown_and_takes_no_signal(store, spoil):
    """A wait whose registration cannot be read is listed as unreadable; it is not unknown, and its run can be ended."""
    mine = store.mine
    key = keys.registration(mine.wait_id)
    store.spoil(key, spoil(store, key))
    listed = store.answer("waits")
    assert [each["waitId"] for each in listed["unreadable"]] == [mine.wait_id]
    assert [each["waitId"] for each in listed["waits"]] == [store.other.wait_id]
    error = store.refusal("signal", mine.wait_id, "--payload", '{"ok":true}')
    assert (error["code"], error["details"]["key"]) == ("unreadable", key)
    assert store.refusal("resume", mine.run_id)["code"] == "wait_open"
    assert_the_rest_works(store, mine="suspended")
    assert store.library.cancel(mine.run_id).run.status == "cancelled"
    assert store.answer("waits") == {"waits": [], "unreadable": []}


def signalled(store):
    """Signal both runs."""
    for run in (store.mine, store.other):
        store.library.signal(run.wait_id, PAYLOAD, idempotency_key="once")


def assert_wait_unreadable(store):
    """The outcome exists, so no signal can win any more; it is never accepted: the resume fails the step."""
    mine = store.mine
    run = store.library.resume(mine.run_id).run
    answer = run.jobs[0].steps[1]
    assert (run.status, answer.status, answer.error.code) == ("failed", "failed", "wait_unreadable")
    assert run.jobs[0].steps[2].status == "skipped"
    assert store.library.resume(store.other.run_id).run.status == "succeeded"


@each_spoil
def test_a_spoiled_outcome_fails_the_wait(store, spoil):
    """An outcome that cannot be read is shown as such, refuses every signal, and fails its step when it is applied."""
    signalled(store)
    key = keys.outcome(store.mine.wait_id)
    store.spoil(key, spoil(store, key))
    listed = store.answer("waits")
    assert (listed["waits"], [each["waitId"] for each in listed["unreadable"]]) == ([], [store.mine.wait_id])
    error = store.refusal(
        "signal", store.mine.wait_id, "--payload", '{"ok":true}', "--idempotency-key", "once"
    )
    assert (error["code"], error["details"]["key"]) == ("unreadable", key)
    third = waiting(store.library)
    assert store.library.cancel(third.run_id).run.status == "cancelled"
    assert_wait_unreadable(store)


@pytest.mark.parametrize(
    "changed",
    [
        {"runId": "01900000-0000-7000-8000-000000000001"},
        {"payload": {"ok": "true"}},
        {"payload": {}},
        {"payload": ["ok"]},
        {"receipt": None},
        {"outcome": "accepted_twice"},
    ],
    ids=["another run", "another type", "a member missing", "no object", "no receipt", "no outcome there is"],
)
def test_an_outcome_that_does_not_fit_the_wait_fails_it(store, changed):
    """The payload is checked again when it is applied: a stored signal that breaks the schema is not taken."""
    signalled(store)
    store.change(keys.outcome(store.mine.wait_id), **changed)
    assert_wait_unreadable(store)


def test_an_outcome_with_the_receipt_of_another_wait_fails_it(store):
    """A receipt says for which wait it was given."""
    signalled(store)
    receipt = json.loads(store.read(keys.outcome(store.other.wait_id)))["receipt"]
    store.change(keys.outcome(store.mine.wait_id), receipt=receipt)
    assert_wait_unreadable(store)


BAD_SCHEMAS = {
    "a wrong type": {"type": 7},
    "an unknown type": {"type": "objekt"},
    "a reference to nowhere": {"type": "object", "properties": {"ok": {"$ref": "#/nope"}}},
    "a reference abroad": {"type": "object", "$ref": "http://127.0.0.1:9/schema"},
    "a reference to itself": {"type": "object", "$ref": "#"},
    "a broken pattern": {"type": "object", "properties": {"ok": {"type": "string", "pattern": "("}}},
    "a step of nothing": {"type": "object", "properties": {"ok": {"multipleOf": 0}}},
    "an unknown format": {"type": "object", "properties": {"ok": {"format": "zip"}}},
    "names for a list": {"type": "object", "required": {"ok": True}},
}


@pytest.mark.parametrize("schema", BAD_SCHEMAS.values(), ids=BAD_SCHEMAS)
def test_a_registration_whose_schema_cannot_be_used_is_unreadable(store, schema):
    """A schema that cannot be checked is no leave to accept: the wait is unreadable, and takes no signal."""
    mine = store.mine
    store.change(keys.registration(mine.wait_id), schema=schema)
    assert [each["waitId"] for each in store.answer("waits")["unreadable"]] == [mine.wait_id]
    error = store.refusal("signal", mine.wait_id, "--payload", '{"ok":true}')
    assert (error["code"], "schema cannot be used" in error["message"]) == ("unreadable", True)
    assert_the_rest_works(store, mine="suspended")


def events_with(store, number, event, **members):
    """The events of an entry of `mine`, with members of the one of that kind replaced."""
    entry = json.loads(store.read(keys.entry(store.mine.run_id, number)))
    return [each | members if each["event"] == event else each for each in entry["events"]]


@pytest.mark.parametrize("schema", BAD_SCHEMAS.values(), ids=BAD_SCHEMAS)
def test_a_journal_whose_captured_schema_cannot_be_used_is_unreadable(store, schema):
    """What a wait was planned with is checked when the journal is read, before a signal is held to it."""
    for each in range(1, 6):
        store.change(keys.entry(store.mine.run_id, each), snapshot=None, snapshotAt=None)
    key = keys.entry(store.mine.run_id, 3)
    events = events_with(store, 3, "wait_planned", schema=schema)
    assert schema in [event.get("schema") for event in events]
    store.change(key, events=events)
    store.library.signal(store.mine.wait_id, PAYLOAD)
    assert_unreadable(store, key)


def definition_with(store, job=None, **members):
    """The definition that `mine` pins, with members of its one job, or of itself, replaced."""
    (event,) = json.loads(store.read(keys.entry(store.mine.run_id, 1)))["events"]
    definition = event["definition"]
    return definition | members if job is None else definition | {"jobs": [definition["jobs"][0] | job]}


def step(name, depends_on=(), task=None):
    return {
        "name": name,
        "dependsOn": list(depends_on),
        "task": task or {"type": "wait_for_signal", "timeout": 60},
    }


BAD_DEFINITIONS = {
    "nothing": lambda store: {},
    "a task of a newer build": lambda store: definition_with(
        store, {"steps": [step("s", task={"type": "teleport"})]}
    ),
    "a field of a newer build": lambda store: definition_with(store, novelty=1),
    "no job": lambda store: definition_with(store, jobs=[]),
    "steps in a circle": lambda store: definition_with(
        store, {"steps": [step("a", ["b"]), step("b", ["a"])]}
    ),
    "a dependency on nothing": lambda store: definition_with(store, {"steps": [step("a", ["nope"])]}),
    "steps that the run never had": lambda store: definition_with(store, {"steps": [step("a")]}),
    "a path for a name": lambda store: definition_with(store, name="../../format"),
    "a timeout of years": lambda store: definition_with(
        store, {"steps": [step("a", task={"type": "wait_for_signal", "timeout": 1e300})]}
    ),
}
BAD_MODELS = {
    "no model": {},
    "a model of a newer type": {"ask": {"type": "quantum", "name": "ask"}},
    "a model without the method": {
        "ask": {"type": "command/shell", "name": "ask", "methods": {"other": {"run": "true"}}}
    },
}


def pin(store, **members):
    """Pin something else in the journal of `mine`, which has no snapshot."""
    for each in range(1, 6):
        store.change(keys.entry(store.mine.run_id, each), snapshot=None, snapshotAt=None)
    key = keys.entry(store.mine.run_id, 1)
    store.change(key, events=events_with(store, 1, "run_started", **members))
    return key


@pytest.mark.parametrize("definition", BAD_DEFINITIONS.values(), ids=BAD_DEFINITIONS)
def test_a_journal_that_pins_an_unusable_definition_is_unreadable(store, definition):
    """A run whose definition this build cannot drive is refused before anything is done for it."""
    assert_unreadable(store, pin(store, definition=definition(store)))


@pytest.mark.parametrize("models", BAD_MODELS.values(), ids=BAD_MODELS)
def test_a_journal_that_pins_unusable_models_is_unreadable(store, models):
    """A step whose model is not there, or not known, is not come to before that is said."""
    assert_unreadable(store, pin(store, models=models))


def test_a_journal_that_starts_another_run_is_unreadable(store):
    """A journal whose first event names another run is not that run's, and must not end it."""
    assert_unreadable(store, pin(store, runId=store.other.run_id))


def snapshot_of(store):
    """The newest snapshot of `mine`: its key, and the state in it."""
    for number in range(5, 0, -1):
        key = keys.entry(store.mine.run_id, number)
        if state := json.loads(store.read(key)).get("snapshot"):
            return key, state
    raise AssertionError("The run has no snapshot.")


def test_a_snapshot_in_which_nothing_can_happen_any_more_is_unreadable(store):
    """A step that waits for no wait, or a job that miscounts its steps, would keep a driver busy for ever."""
    key, state = snapshot_of(store)
    store.change(key, snapshot=state | {"waits": {}})
    assert_unreadable(store, key)


@pytest.mark.parametrize("count", ["ended", "failed", "skipped"])
def test_a_snapshot_that_miscounts_is_unreadable(store, count):
    """The counts of a job are those of its steps."""
    key, state = snapshot_of(store)
    (job,) = state["jobs"].values()
    store.change(key, snapshot=state | {"jobs": {"ask": job | {count: 7}}})
    assert_unreadable(store, key)


def test_by_the_name_of_the_workflow_a_readable_run_is_found_beside_it(store):
    """`resume NAME` takes the run that can be read; when none can, it says so rather than show an older one."""
    key = keys.entry(store.mine.run_id, 5)
    store.spoil(key, b"")
    with pytest.raises(Refused) as refused:
        store.library.resume("ask")
    assert (refused.value.code, store.other.run_id in refused.value.message) == ("wait_open", True)
    store.library.cancel(store.other.run_id)
    assert store.refusal("resume", "ask")["code"] == "unreadable"
    assert store.refusal("cancel", "ask")["details"]["runId"] == store.mine.run_id


@pytest.mark.parametrize("family", ["waits", "runs", "wait-outcomes"])
def test_processes_tell_people_of_a_spoiled_record(store, family):
    """Run as processes and without `--json`, the commands name the record on stderr, or among what they list."""
    mine = store.mine
    signalled(store)
    key = {
        "waits": keys.registration(mine.wait_id),
        "runs": keys.entry(mine.run_id, 5),
        "wait-outcomes": keys.outcome(mine.wait_id),
    }[family]
    store.spoil(key, b"\0")
    if family == "runs":
        assert key in store.swamp("workflow", "history", "get", mine.run_id, code=3).err
        assert "unreadable" in store.swamp("workflow", "history", "list").out
    else:
        assert key in store.swamp("workflow", "signal", mine.wait_id, "--payload", '{"ok":true}', code=3).err
        waits = store.swamp("workflow", "waits")
        assert key in waits.out + waits.err
