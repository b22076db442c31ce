"""Journals that hold what Swamp would not write: their run is unreadable, and nothing is done for it.

Each test says what becomes of the run `mine`; that `other` beside it can be listed, signalled, resumed and cancelled
holds in all.
"""

import json

import pytest
from swamp_core.app.refusals import Refused
from swamp_core.journal.reading import read_journal
from swamp_core.records import keys
from swamp_core.store.operations import execute

from tests.end_to_end.spoiled_stores import BAD_SCHEMAS, PAYLOAD, SPOILS, assert_unreadable, new_store

each_spoil = pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)


@pytest.fixture(scope="module")
def suspended(command_line, tmp_path_factory):
    return new_store(command_line(tmp_path_factory.mktemp("records") / "repo"))


@pytest.fixture
def store(suspended, tmp_path):
    """A store of its own for each test."""
    return suspended.copied(tmp_path / "repo")


@each_spoil
@pytest.mark.parametrize("number", [1, 3, 5], ids=["oldest", "middle", "newest"])
def test_a_spoiled_entry_makes_its_run_unreadable(store, number, spoil):
    """A journal with a spoiled entry is no shorter journal: its run is shown as unreadable and not gone on with."""
    key = store.change_journal(number)
    store.spoil(key, spoil(store, key))
    assert_unreadable(store, key)
    assert store.library.signal(store.mine.wait_id, PAYLOAD).status == "accepted", (
        "its wait is open all the same"
    )


@pytest.mark.parametrize("schema", BAD_SCHEMAS.values(), ids=BAD_SCHEMAS)
def test_a_journal_whose_captured_schema_cannot_be_used_is_unreadable(store, schema):
    """What a wait was planned with is checked when the journal is read, before a signal is held to it."""
    key = store.change_journal(3, "wait_planned", schema=schema)
    assert schema in [event.get("schema") for event in json.loads(store.read(key))["events"]]
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
    """Pin something else in the journal of `mine`; the key of the entry."""
    return store.change_journal(1, "run_started", **members)


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
    """The key of the newest entry of `mine`, which gets a snapshot, and the state in it."""
    journal = execute(read_journal(store.mine.run_id), store.library.workspace.store)
    key = keys.entry(store.mine.run_id, journal.number)
    state = json.loads(journal.run.model_dump_json(exclude_none=True))
    store.change(key, snapshot=state, snapshotAt=journal.number)
    return key, state


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
