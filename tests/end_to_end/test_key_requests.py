"""What a key costs a command line, counted in requests to the store: nothing to who has none."""

import pytest

from tests.end_to_end.keyed_releases import keyed, send
from tests.end_to_end.releases import SHIP


@pytest.fixture
def log(tmp_path):
    return tmp_path / "requests"


def families(log):
    """The verb of each request and the family of its key, in order."""
    lines = log.read_text().splitlines()
    log.unlink()
    return [f"{verb} {key.split('/')[0]}" for verb, key in (line.split(" ", 1) for line in lines)]


def of_keys(sent):
    """The requests that are for a key."""
    return [each for each in sent if each.split(" ")[1].startswith(("wait-keys", "early-"))]


def test_who_has_no_key_pays_for_none(release, log):
    """A run with a wait without a key asks nothing of keys: not when it starts, is signalled, ends, or is deleted."""
    run = release.run(requests=log)["run"]["id"]
    release.signal(release.wait()["waitId"], SHIP, "--resume", requests=log)
    release.swamp("run", "delete", run, requests=log)
    assert of_keys(families(log)) == []


def test_a_key_costs_a_run_four_requests_the_first_time(release, log):
    """And a listing of what is held for it as it opens and as it suspends; seven where it was used before."""
    keyed(release).run(requests=log)
    claiming = ["list wait-keys", "put_if_absent wait-keys", "list wait-keys", "get open-runs"]
    sent = families(log)
    first = sent.index("list wait-keys")
    assert sent[first : first + 6] == [*claiming, "put_if_absent waits", "list early-signals"]
    assert of_keys(sent[first + 6 :]) == ["list early-signals"]
    send(release)
    release.run(requests=log)
    sent = families(log)
    first, last = sent.index("list wait-keys"), sent.index("put_if_absent waits")
    assert len(sent[first:last]) == 7, sent[first:last]
    assert of_keys(sent[last:]) == ["list early-signals"] * 2


def test_a_signal_by_key_costs_six_requests(release, log):
    """With nothing held and no idempotency key."""
    keyed(release).run()
    send(release, requests=log)
    assert families(log) == [
        "list early-signals",
        "list wait-keys",
        "get wait-keys",
        "get waits",
        "put_if_absent wait-outcomes",
        "get open-runs",
    ]
