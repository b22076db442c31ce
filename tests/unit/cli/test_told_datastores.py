"""Which datastore was used, and where that was set, is told to whoever may have meant another one."""

import shutil

import pytest
from swamp_core.store import (
    CheckedStore,
    ConditionalWritesUnsupported,
    MemoryStore,
    OutcomeUnknown,
    StoreAccessDenied,
    StoreNotFound,
    StoreUnavailable,
)

SOURCES = ["--datastore", "SWAMP_DATASTORE", ".swamp.yaml", "default"]
SENTENCES = {
    source: "The datastore is the default." if source == "default" else f"The datastore is set by {source}."
    for source in SOURCES
}
NOTHING_FOUND = {
    "waits": ("workflow", "waits"),
    "waits of a workflow": ("workflow", "waits", "--workflow", "release"),
    "approvals": ("workflow", "approvals"),
    "history": ("workflow", "history", "list"),
    "history by status": ("workflow", "history", "list", "--status", "failed"),
    "all ready": ("workflow", "resume", "--all-ready"),
    "collection": ("run", "gc", "--older-than", "1d"),
    "run by name": ("workflow", "history", "get", "release"),
    "run by ID": ("workflow", "cancel", "019fa372-3a00-7000-8000-000000010002"),
    "run by the beginning of an ID": ("run", "delete", "019fa3"),
    "wait": ("workflow", "signal", "00050005-0000-4000-8000-000000000000", "--payload", "{}"),
    "gate": ("workflow", "approve", "release", "gate"),
    "workflow": ("workflow", "delete", "releese"),
    "key": ("workflow", "signal", "--workflow", "release", "--key", "verdict", "--payload", "{}"),
    "early signals": ("workflow", "early-signals"),
    "early signal": ("workflow", "early-signals", "--discard", "019fa3"),
}


@pytest.fixture(params=SOURCES)
def source(request, swamp):
    """Where the datastore is set, to an empty one."""
    url = f"file://{swamp.directory}/state?create=true"
    if request.param == ".swamp.yaml":
        (swamp.directory / ".swamp.yaml").write_text(f"datastore: {url}\n")
    if request.param == "SWAMP_DATASTORE":
        swamp.environ["SWAMP_DATASTORE"] = url
    return request.param, ("--datastore", url) if request.param == "--datastore" else ()


@pytest.mark.parametrize("command", NOTHING_FOUND)
def test_who_finds_nothing_sees_where_it_was_looked_for(swamp, source, command):
    """Who forgot --datastore is looking at another store, and everything else looks right."""
    where, option = source
    answer = swamp(*NOTHING_FOUND[command], *option)
    url = f"file://{swamp.directory}/" + (".swamp/store" if where == "default" else "state")
    told = "the default" if where == "default" else f"set by {where}"
    assert f"  datastore  {url} ({told})\n" in (answer.err if answer.code else answer.out), answer


@pytest.mark.parametrize("command", NOTHING_FOUND)
def test_a_script_is_given_what_was_asked_for_alone(swamp, command):
    """The document is the same whatever the datastore."""
    assert ".swamp/store" not in swamp(*NOTHING_FOUND[command], "--json").out


def test_who_finds_something_is_not_told_where(swamp, open_wait):
    """It is there; a line that is always there is not read."""
    for words in (("workflow", "waits"), ("workflow", "approvals"), ("workflow", "history", "list")):
        assert ".swamp/store" not in swamp(*words).out


def test_a_workflow_that_no_file_declares_is_not_looked_for_in_a_store(swamp):
    """To name one would send the reader the wrong way."""
    assert "datastore" not in swamp("workflow", "run", "releese").err


@pytest.mark.parametrize("json_too", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(
    "kind",
    [ConditionalWritesUnsupported, OutcomeUnknown, StoreAccessDenied, StoreNotFound, StoreUnavailable],
)
def test_every_failure_of_a_store_says_once_where_it_was_set(swamp, source, kind, json_too):
    """Whatever is wrong with the store, it may be that another one was meant."""
    where, option = source

    class Broken(MemoryStore):
        def list(self, prefix, *, start_after=None, limit=None):
            raise kind("It broke", **({"put_id": "1"} if kind is OutcomeUnknown else {}))

    swamp.opener = lambda setting: CheckedStore(Broken(), "broken")
    answer = swamp("workflow", "waits", *option, *json_too)
    assert answer.code == 4
    told = answer.json["error"]["hint"] if json_too else answer.err
    assert told.count("The datastore is ") == 1
    assert SENTENCES[where] in told


@pytest.mark.parametrize("url", ["s4://bucket", "file:///x?creat=true", "x"])
def test_a_setting_that_cannot_be_used_says_where_it_is(swamp, url):
    """Nothing was opened yet, and the place of the setting is all the more what to know."""
    swamp.environ["SWAMP_DATASTORE"] = url
    assert swamp("workflow", "waits").err.count("The datastore is set by SWAMP_DATASTORE.") == 1


def test_a_check_says_what_it_tried_and_what_it_skipped(swamp):
    """Of a store that is not there one line has failed, and the others say why nothing is known of them."""
    answer = swamp("datastore", "check", "--datastore", f"file://{swamp.directory}/nowhere")
    assert answer.code == 4
    lines = answer.out.splitlines()
    assert lines[:2] == [
        "The datastore is set by --datastore. It was tried:",
        f"file://{swamp.directory}/nowhere",
    ]
    assert lines[3].split()[:2] == ["reachable", "failed"]
    assert all(line.split()[-4:] == ["Skipped,", "because", "`reachable`", "failed."] for line in lines[4:-1])
    assert all("skipped  " in line and " s  " not in line for line in lines[4:-1])
    assert lines[-1].startswith("Do not use this datastore")


def test_a_copy_heeds_no_datastore_but_its_two(swamp, open_wait):
    """An option that would be ignored is refused; a variable is there for the other commands, and plays no part."""
    source, target = f"file://{swamp.directory}/.swamp/store", f"file://{swamp.directory}/copy?create=true"
    refused = swamp("datastore", "copy", source, target, "--datastore", target)
    assert refused.code == 2
    assert refused.err.splitlines() == [
        "Error: A copy takes no --datastore: FROM and TO say which stores.",
        "Leave it out:",
        f"swamp datastore copy {source} '{target}'",
    ]
    assert not (swamp.directory / "copy").exists()
    swamp.environ["SWAMP_DATASTORE"] = "file:///nowhere/at/all"
    assert swamp("datastore", "copy", source, target).code == 0


def test_a_copy_from_a_path_is_told_how_to_write_it(swamp, open_wait):
    """What a shell completes is a relative path: the answer has the URL to write instead."""
    told = swamp("datastore", "copy", ".swamp/store", "s3://team-bucket").err.splitlines()
    assert told[0] == "Error: FROM: The datastore setting is text but no URL."
    assert f"for a directory `file://{swamp.directory}/.swamp/store`" in told[1]
    shutil.rmtree(swamp.directory / ".swamp")
    gone = swamp("datastore", "copy", f"file://{swamp.directory}/.swamp/store", "file:///x").err
    assert gone.startswith("Error: FROM: The datastore's directory is not there")
    assert "create" not in gone
    assert "The datastore is " not in gone
