"""A tree of runs is killed at each record that it makes or removes, and comes to its end all the same, leaving nothing.

The tree has a gate, waits of a forEach, and a nested run with a wait. Whatever the command was, what the command line
then says is done, and nothing else. What a command mutates is not listed here: it is killed at its first mutation, at
its second, and so on until it passes them all. A command that does one thing after another is killed on one side of
each mutation only: before one is after the one before it.

A store takes part by its verbs alone, and its contract lets each of these fail. So on a bucket, where each of these
hundreds of commands takes a second, every fourth mutation is enough.
"""

from collections import Counter
from itertools import count
from shutil import rmtree

import pytest

from tests.end_to_end.killed_trees import ENDED, FOR_EVER, copied, in_a_new_repo

both_sides = pytest.mark.parametrize("side", ["before", "after"])


def killed_everywhere(prepared, directory, side, command, then):
    """Kill the command at each mutation, each time in another copy of the repo, and see what `then` makes of it."""
    for number in count(1, prepared.swamp.place.one_in):
        repo = copied(prepared, directory / str(number))
        at = repo.killed(*command, number=number, side=side)
        if at is None:
            assert number > 1, "It was never killed."
            return
        try:
            then(repo, repo.finished_counts())
        except BaseException as error:
            error.add_note(
                f"{' '.join(command)} was killed {side} {at}, mutation {number}, in {repo.directory}."
            )
            raise
        rmtree(repo.directory)


def assert_ended_well(repo, before, *, status):
    """The promise of every point: the tree has ended, nothing was lost or done twice, and nothing of it is left."""
    shown = repo.runs()
    assert repo.status() == status
    assert {each.run.status for each in shown.values()} <= set(ENDED)
    assert repo.library.waits().waits == [] == repo.library.approvals().waits
    assert_nothing_ran_twice(repo, before, shown)
    events = [event for each in shown.values() for event in each.events]
    applied = [event for event in events if event["event"] == "wait_applied"]
    planned = {event["waitId"] for event in events if event["event"] == "wait_planned"}
    assert max(Counter(event["waitId"] for event in applied).values(), default=1) == 1
    if status == "succeeded":
        assert_nothing_was_lost(repo, applied)
    assert {f"wait-outcomes/{wait_id}" for wait_id in planned} == keys_under(repo, "wait-outcomes/")
    repo.says("run", "gc", "--older-than", FOR_EVER)
    assert not [key for key in keys_under(repo, "waits/", "open-runs/") if _is_of(key, shown)]
    assert repo.runs().keys() == shown.keys()
    repo.says("run", "delete", repo.root())
    repo.says("run", "gc", "--older-than", "0")  # It knows of a start that never came to a journal.
    assert repo.stored() == ["format"]


def assert_nothing_ran_twice(repo, before, shown):
    """A finished step never runs again, unless its run was retried; one in flight only once somebody said so."""
    counts = repo.counts()
    assert before == {ref: counts[ref] for ref in before}, "A finished step ran again."
    resets = [event for each in shown.values() for event in each.events if event["event"] == "step_reset"]
    assert repo.acknowledged or not [each for each in resets if "lost" in each["reason"]]
    for run_id, each in shown.items():
        of_run = Counter(event["step"] for event in each.events if event["event"] == "step_reset")
        for (owner, step), times in counts.items():
            assert owner != run_id or times <= 1 + of_run[step], f"{step} ran {times} times"


def assert_nothing_was_lost(repo, applied):
    """Every receipt and every approval that anybody was given was taken into the run."""
    applications = {event["waitId"]: event["application"] for event in applied}
    receipts = {each["receipt"]["id"] for each in applications.values() if "receipt" in each}
    assert set(repo.receipts) <= receipts, "An accepted signal was lost."
    assert set(repo.approved) <= applications.keys(), "An approval was lost."


def keys_under(repo, *prefixes):
    return {key for key in repo.stored() if key.startswith(prefixes)}


def _is_of(key, shown):
    """Whether a key is not that of a start of which nothing is known yet, which may only be slow."""
    return key.startswith("waits/") or key.split("/")[2] in shown


@pytest.fixture(scope="module")
def fresh(command_line, tmp_path_factory):
    """A repo in which nothing has run."""
    return in_a_new_repo(command_line(tmp_path_factory.mktemp("trees") / "fresh"))


@pytest.fixture(scope="module")
def suspended(fresh, tmp_path_factory):
    """A tree that waits for everything that it waits for."""
    repo = copied(fresh, tmp_path_factory.mktemp("trees") / "suspended")
    repo.says("workflow", "run", "tree")
    return repo


@pytest.fixture(scope="module")
def interrupted(fresh, tmp_path_factory):
    """A tree whose driver was lost while the step `pack` of the nested run was in flight."""
    repo = copied(fresh, tmp_path_factory.mktemp("trees") / "interrupted")
    repo.killed_once_started("pack", "workflow", "run", "tree")
    assert repo.unknown_steps() == {"pack"}
    return repo


@pytest.fixture(scope="module")
def settled(suspended, tmp_path_factory):
    """A tree all of whose waits are settled, before it was resumed."""
    repo = copied(suspended, tmp_path_factory.mktemp("trees") / "settled")
    repo.settle()
    return repo


@pytest.fixture(scope="module")
def failing(fresh, tmp_path_factory):
    """A tree whose nested run has failed, and that fails too when it is resumed."""
    repo = copied(fresh, tmp_path_factory.mktemp("trees") / "failing")
    repo.swamp.write("broken", "")
    repo.says("workflow", "run", "tree")
    repo.settle()
    return repo


@pytest.fixture(scope="module")
def failed(failing, tmp_path_factory):
    """A tree that failed because its nested run did, once what made that fail is mended."""
    repo = copied(failing, tmp_path_factory.mktemp("trees") / "failed")
    repo.says("workflow", "resume", repo.root(), code=1)
    (repo.directory / "broken").unlink()
    return repo


@pytest.fixture(scope="module")
def ended(settled, tmp_path_factory):
    """A tree that succeeded."""
    repo = copied(settled, tmp_path_factory.mktemp("trees") / "ended")
    repo.says("workflow", "resume", repo.root())
    return repo


def goes_on(repo, before, *, retry=False):
    repo.brought_to_its_end(retry=retry)
    assert_ended_well(repo, before, status="succeeded")


@both_sides
def test_a_run_of_a_tree_that_is_killed_comes_to_its_end(fresh, tmp_path, side):
    """Wherever `run` is killed, the tree goes on with what was done, or there is none and nothing is in the way."""
    acknowledged = []

    def then(repo, before):
        goes_on(repo, before)
        acknowledged.extend(repo.acknowledged)

    killed_everywhere(fresh, tmp_path, side, ("workflow", "run", "tree"), then)
    # `compile` runs alone, so one kill meets it. `pack` runs beside the opening of waits; see `interrupted`.
    assert acknowledged or fresh.swamp.place.one_in > 1, "It was never killed while a step was in flight."


@both_sides
def test_an_approval_that_is_killed_is_whole_or_nothing(suspended, tmp_path, side):
    """Wherever `approve` is killed, the gate is either still listed or approved."""

    def then(repo, before):
        listed = len(repo.library.approvals().waits)
        assert listed == (side == "before")
        goes_on(repo, before)

    killed_everywhere(suspended, tmp_path, side, ("workflow", "approve", suspended.root(), "sign-off"), then)


def test_a_signal_that_resumes_the_tree_upwards_and_is_killed_comes_to_its_end(suspended, tmp_path):
    """Wherever `signal --resume` is killed, in the nested run or in those above it, the tree goes on from its root."""
    repo = copied(suspended, tmp_path / "asked")
    repo.settle(but=["ask"])
    (ask,) = repo.library.waits().waits
    command = (
        "workflow",
        "signal",
        ask.wait_id,
        "--payload",
        "{}",
        "--idempotency-key",
        ask.wait_id,
        "--resume",
    )
    killed_everywhere(repo, tmp_path, "after", command, goes_on)


def test_a_resume_of_a_tree_that_is_killed_comes_to_its_end(settled, tmp_path):
    """Wherever `resume` is killed, in the run or in its nested one, what was accepted is applied, and once."""
    killed_everywhere(settled, tmp_path, "after", ("workflow", "resume", settled.root()), goes_on)


def test_a_resume_that_was_to_fail_and_is_killed_can_be_retried(failing, tmp_path):
    """Wherever a run is killed that fails, its retry succeeds, whatever of its end had been done."""

    def then(repo, before):
        repo.brought_to_its_end()
        (repo.directory / "broken").unlink()
        assert repo.status() == "failed"
        goes_on(repo, before, retry=True)

    killed_everywhere(failing, tmp_path, "before", ("workflow", "resume", failing.root()), then)


def test_a_retry_of_a_tree_that_is_killed_comes_to_its_end(failed, tmp_path):
    """Wherever a retry is killed, another nested run takes the failed one's place, and no collection is in the way."""

    def then(repo, before):
        repo.says("run", "gc", "--older-than", FOR_EVER)
        goes_on(repo, before, retry=True)

    command = ("workflow", "resume", "tree", "--run", failed.root())
    killed_everywhere(failed, tmp_path, "after", command, then)


def test_a_recover_of_a_tree_that_is_killed_can_be_repeated(interrupted, tmp_path):
    """Wherever `recover` is killed, between the nested run and the one above it, the rest can still be recovered."""
    command = ("workflow", "recover", "tree", "--run", interrupted.root(), "--acknowledge-unknown")

    def then(repo, before):
        repo.acknowledged.append(command)
        repo.says(*command, code=(0, 3))
        assert "interrupted" not in {each.run.status for each in repo.runs().values()}
        goes_on(repo, before)

    killed_everywhere(interrupted, tmp_path, "after", command, then)


def test_a_cancel_of_a_tree_that_is_killed_can_be_repeated(suspended, tmp_path):
    """Wherever `cancel` is killed, repeating it ends what is left of the tree."""
    command = ("workflow", "cancel", suspended.root())

    def then(repo, before):
        repo.says(*command)
        assert_ended_well(repo, before, status="cancelled")

    killed_everywhere(suspended, tmp_path, "before", command, then)


def test_a_cancel_of_a_tree_that_is_killed_is_seen_through_by_a_resume(suspended, tmp_path):
    """Wherever `cancel` is killed once it is recorded, whoever resumes the tree ends it."""

    def then(repo, before):
        if repo.status() == "suspended":
            repo.says("workflow", "resume", repo.root(), code=1)
        assert_ended_well(repo, before, status="cancelled")

    killed_everywhere(suspended, tmp_path, "after", ("workflow", "cancel", suspended.root()), then)


def test_a_rejection_in_a_tree_that_is_killed_can_be_repeated(suspended, tmp_path):
    """Wherever `reject` is killed, repeating it ends the tree; a decision that was made is shown as the first."""
    command = ("workflow", "reject", suspended.root(), "sign-off")

    def then(repo, before):
        was_decided = bool(keys_under(repo, "wait-outcomes/"))
        repo.says(*command, code=3 if was_decided else 0)
        assert_ended_well(repo, before, status="failed")

    killed_everywhere(suspended, tmp_path, "before", command, then)


def test_a_rejection_in_a_tree_that_is_killed_is_seen_through_by_a_resume(suspended, tmp_path):
    """Wherever `reject` is killed once the decision is made, whoever resumes the tree ends it."""

    def then(repo, before):
        if repo.status() == "suspended":
            repo.says("workflow", "resume", repo.root(), code=1)
        assert_ended_well(repo, before, status="failed")

    killed_everywhere(
        suspended, tmp_path, "after", ("workflow", "reject", suspended.root(), "sign-off"), then
    )


def test_a_delete_of_a_tree_that_is_killed_can_be_repeated(ended, tmp_path):
    """Wherever `run delete` is killed, repeating it leaves nothing of the tree."""
    command = ("run", "delete", ended.root())

    def then(repo, _before):
        repo.says(*command)
        assert repo.stored() == ["format"]

    killed_everywhere(ended, tmp_path, "before", command, then)


def test_a_collection_of_a_tree_that_is_killed_is_seen_through_by_the_next(ended, tmp_path):
    """Wherever `run gc` is killed, the next one leaves nothing of the tree, however young it is."""

    def then(repo, _before):
        repo.says("run", "gc", "--older-than", FOR_EVER)
        if repo.stored() != ["format"]:
            assert repo.listed(), "What is left is neither a run nor a leftover."
            repo.says("run", "gc", "--older-than", "0")
        assert repo.stored() == ["format"]

    killed_everywhere(ended, tmp_path, "after", ("run", "gc", "--older-than", "0"), then)


@pytest.mark.parametrize(
    "stop",
    [
        "put_if_absent:waits/*:1:after:kill",
        "put_if_absent:workflow-runs/nested/*:1:after:kill",
        "put_if_absent:open-runs/nested/*:1:after:kill",
    ],
)
def test_a_process_that_is_killed_leaves_the_tree_to_the_next(fresh, tmp_path, stop):
    """What is true of a command that stops is true of a process that gets SIGKILL, all its threads at once."""
    repo = copied(fresh, tmp_path / "repo")
    repo.killed_as_a_process("workflow", "run", "tree", stop=stop)
    before = repo.finished_counts()
    repo.brought_to_its_end()
    assert_ended_well(repo, before, status="succeeded")


def test_a_process_that_is_killed_with_its_nested_run_leaves_both_to_the_next(settled, tmp_path):
    """A resume that gets SIGKILL once the nested run has ended, and its parent does not know."""
    repo = copied(settled, tmp_path / "repo")
    repo.killed_as_a_process("workflow", "resume", repo.root(), stop="delete:open-runs/nested/*:1:after:kill")
    before = repo.finished_counts()
    repo.brought_to_its_end()
    assert_ended_well(repo, before, status="succeeded")
