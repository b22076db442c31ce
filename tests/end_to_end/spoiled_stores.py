"""A store with two runs of one workflow that wait: `mine`, which tests spoil, and `other` beside it."""

import json
from dataclasses import dataclass

from swamp_core.records import keys
from swamp_core.store.keys import RECORD_BYTES_MAX

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
        return self.swamp.library()

    def read(self, key):
        return self.swamp.place.read(key)

    def spoil(self, key, data):
        self.swamp.place.write(key, data)

    def change(self, key, **members):
        """Give members of a record other values, those of None taken away."""
        record = json.loads(self.read(key)) | members
        self.spoil(
            key, json.dumps({name: value for name, value in record.items() if value is not None}).encode()
        )

    def change_journal(self, number, event=None, **members):
        """Give members of an event of `mine` other values; the key. Snapshots go, so that each entry is read."""
        for each in range(1, 6):
            self.change(keys.entry(self.mine.run_id, each), snapshot=None, snapshotAt=None)
        key = keys.entry(self.mine.run_id, number)
        events = json.loads(self.read(key))["events"]
        self.change(key, events=[each | members if each["event"] == event else each for each in events])
        return key

    def copied(self, directory):
        """The same in another directory."""
        return Store(self.swamp.copied(directory), self.mine, self.other)

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


def new_store(swamp):
    """A repo of the command line's directory, with both runs."""
    swamp.write("workflows/ask.yaml", WORKFLOW)
    swamp.write("models/ask.yaml", MODEL)
    library = swamp.library()
    return Store(swamp, waiting(library), waiting(library))


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


def larger_than_any_record(store, key):
    return store.read(key) + b" " * RECORD_BYTES_MAX


SPOILS = [truncated, empty, nul_filled, of_another_family, of_another_id, of_a_newer_format, deep, no_object]
SPOILS += [no_utf_8, of_wrong_types, larger_than_any_record]


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
