"""What a command costs, counted in requests to the store, as a bill for a bucket would count them."""

import shutil
import signal
from collections import Counter

import pytest

from tests.end_to_end.datastores import LocalPlace
from tests.end_to_end.releases import FIX, SHIP, new_release

WAITS, FINISHED, FINISHED_IN_A_BUCKET = 100, 10_000, 50
KEY = ("--idempotency-key", "build-7")
MANY = (
    "jobs: [{ name: many, steps: ["
    + ", ".join(
        f"{{ name: ask-{number}, task: {{ type: wait_for_signal, timeout: 24h }} }}"
        for number in range(WAITS)
    )
    + "] }]\n"
)
CHAIN = """
jobs:
  - name: build
    steps:
      - { name: one, task: { type: model_method, modelIdOrName: release, methodName: count } }
      - { name: two, dependsOn: [one], task: { type: model_method, modelIdOrName: release, methodName: count } }
      - { name: three, dependsOn: [two], task: { type: model_method, modelIdOrName: release, methodName: count } }
"""


@pytest.fixture
def log(tmp_path):
    return tmp_path / "requests"


def families(log):
    """The verb of each request and the family of its key, in order."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [f"{verb} {key.split('/')[0]}" for verb, key in (line.split(" ", 1) for line in lines)]


def test_a_signal_costs_three_requests(suspended, log):
    """An accepted signal costs the registration, the outcome and the mark."""
    suspended.signal(suspended.wait_id, SHIP, requests=log)
    assert families(log) == ["get waits", "put_if_absent wait-outcomes", "get open-runs"]


def settle(release, wait_id):
    release.signal(wait_id, SHIP, *KEY)


def end(release, wait_id):
    release.signal(wait_id, SHIP, *KEY, "--resume")


def cancel(release, _wait_id):
    release.swamp("workflow", "cancel", "release")


REFUSALS = {
    "invalid_payload": (lambda *_: None, "{}", (), {}),
    "expired": (lambda *_: None, SHIP, (), {"clock_offset_s": 25 * 3600}),
    "already_settled": (settle, FIX, (), {}),
    "idempotency_conflict": (settle, FIX, KEY, {}),
    "closed": (cancel, SHIP, (), {}),
    "already_settled when the run is over": (end, FIX, (), {}),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refused_signal_costs_at_most_two_requests(suspended, log, case):
    """Whyever a signal is refused, it costs two requests at most, and writes nothing."""
    prepare, payload, options, world = REFUSALS[case]
    wait_id = suspended.wait_id
    prepare(suspended, wait_id)
    before = suspended.swamp.stored()
    refused = suspended.signal(wait_id, payload, *options, code=3, requests=log, **world)
    sent = families(log)
    if case == "already_settled" or case == "idempotency_conflict":
        # It was open when the registration was read: the lost create is what tells.
        assert sent == ["get waits", "put_if_absent wait-outcomes", "get wait-outcomes"]
    else:
        assert len(sent) <= 2
    assert refused["code"] == case.split(" ")[0]
    assert suspended.swamp.stored() == before


def test_an_unknown_wait_costs_at_most_two_requests(suspended, log):
    """A wait ID that nobody gave, whole or shortened, is refused after two requests."""
    for wait_id in ("00000000-0000-4000-8000-000000000000", "000000"):
        suspended.signal(wait_id, code=3, requests=log)
        assert len(families(log)) <= 2
        log.unlink()


def test_the_loser_of_a_race_learns_the_receipt_with_three_requests(suspended, log):
    """A sender that loses the create reads what is stored, and no more: that is what a lost race costs."""
    wait_id = suspended.wait_id
    late = suspended.swamp.start(
        *("workflow", "signal", wait_id, "--payload", FIX, "--json"),
        stop="put_if_absent:wait-outcomes/*:1:before:pause",
        requests=log,
    )
    suspended.swamp.stopped(late)
    receipt = suspended.signal(wait_id)["receipt"]
    late.send_signal(signal.SIGCONT)
    error = suspended.swamp.finished(late, code=3).json["error"]
    assert (error["code"], error["details"]["receipt"]) == ("already_settled", receipt)
    assert families(log) == ["get waits", "put_if_absent wait-outcomes", "get wait-outcomes"]


def with_finished_runs(release, count):
    """Put finished runs into the store: each has the index, the journal and the outcome of one that really ended.

    Nobody may read them, and the log would tell. In a directory they are links, so that 10,000 take a second.
    """
    ran = release.run()
    run_id, wait_id = ran["run"]["id"], ran["waits"][0]["waitId"]
    release.signal(wait_id, SHIP, "--resume")
    if not isinstance(release.swamp.place, LocalPlace):
        copied = [key for key, _ in release.swamp.stored().items() if run_id in key or wait_id in key]
        for number in range(count):
            for key in copied:
                other = key.replace(run_id, f"{number:08x}{run_id[8:]}").replace(
                    wait_id, f"{number:08x}{wait_id[8:]}"
                )
                release.swamp.place.write(other, release.swamp.place.read(key))
        return
    store = release.swamp.place.root
    indexes, journals, outcomes = store / "workflow-runs/release", store / "runs", store / "wait-outcomes"
    for number in range(count):
        (indexes / f"{number:08x}{run_id[8:]}@record").hardlink_to(indexes / f"{run_id}@record")
        (outcomes / f"{number:08x}{wait_id[8:]}@record").hardlink_to(outcomes / f"{wait_id}@record")
        (journals / f"{number:08x}{run_id[8:]}").symlink_to(run_id, target_is_directory=True)


def test_waits_costs_the_same_however_many_runs_have_finished(release, log, tmp_path):
    """`waits` with 100 open waits costs 202 requests: with no finished run in the store, and with 10,000."""
    release.swamp.write("workflows/many.yaml", MANY)
    release.swamp("workflow", "run", "many")
    costs = []
    for finished in (0, FINISHED if isinstance(release.swamp.place, LocalPlace) else FINISHED_IN_A_BUCKET):
        if finished:
            with_finished_runs(release, finished)
        assert len(release.waits(requests=log)) == WAITS
        costs.append(Counter(families(log)))
        log.unlink()
    shutil.rmtree(release.directory)
    assert costs[0] == {"list waits": 1, "list open-runs": 1, "get waits": WAITS, "get wait-outcomes": WAITS}
    assert costs[0].total() <= 202
    assert costs[1] == costs[0]


def test_an_append_costs_two_requests(swamp, log):
    """Each entry of a journal costs its create and the look at the mark, and nothing beside them."""
    release = new_release(swamp, CHAIN)
    release.swamp("workflow", "run", "release", requests=log)
    sent = families(log)
    starts = [place for place, each in enumerate(sent) if each == "put_if_absent runs"]
    assert len(starts) == 6  # The start; one; two, with the end of one; three; the end of three; the end.
    assert [sent[place + 1] for place in starts] == ["get open-runs"] * len(starts)
    between = sent[starts[0] : starts[-1]]
    assert Counter(between) == {"put_if_absent runs": 5, "get open-runs": 5, "get workflow-runs": 1}
