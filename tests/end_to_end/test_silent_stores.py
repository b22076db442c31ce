"""A service that takes a request and does not answer: a person is told so soon, and the command goes on."""

import signal
from dataclasses import replace

import pytest

from tests.end_to_end.datastores import PREFIX
from tests.servers.faults import Hold

SAID = "has not answered for 0.2 s; still trying (Ctrl-C interrupts)."

pytestmark = pytest.mark.parametrize("new_place", ["s3", "gcs"], indirect=True)


@pytest.fixture
def silent(swamp, proxy_before):
    """A repo whose service holds back every listing."""
    server, hold = swamp.place.server, Hold()
    proxy = proxy_before(server)
    url = server.url(swamp.place.bucket, PREFIX, endpoint_url=proxy.url)
    with proxy.failing("list", hold, times=None):
        yield replace(swamp, environ={"SWAMP_DATASTORE": url}), hold
        hold.release.set()


def test_a_store_that_does_not_answer_is_told_of_in_one_line(silent):
    """On stderr, and the answer on stdout is as always, once it comes."""
    swamp, hold = silent
    process = swamp.start("workflow", "waits", "--json", silence_s=0.2)
    line = swamp.told(process, "has not answered")
    assert line.startswith(f"The datastore {swamp.place.server.scheme}://{swamp.place.bucket}/{PREFIX}")
    assert line.endswith(SAID)
    hold.release.set()
    ended = swamp.finished(process)
    assert ended.json == {"waits": [], "unreadable": []}
    assert ended.err == ""


def test_an_interrupt_ends_the_waiting_that_it_offers(silent):
    """Nobody has to wait until the last attempt is over."""
    swamp, _ = silent
    process = swamp.start("workflow", "waits", silence_s=0.2)
    swamp.told(process, SAID)
    process.send_signal(signal.SIGINT)
    swamp.finished(process, 130)


def test_whoever_wants_no_notes_is_told_nothing(silent):
    """`--log-level warning` keeps it away, as other notes."""
    swamp, hold = silent
    process = swamp.start("--log-level", "warning", "workflow", "waits", "--json", silence_s=0)
    assert hold.arrived.wait(30)
    hold.release.set()
    assert swamp.finished(process).err == ""
