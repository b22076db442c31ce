"""When a record is absent: when Cloud Storage says so of the object, or lists none. A 404 may be anybody's."""

from collections.abc import Callable

import pytest
from gcs_site import Site
from swamp_core.store import CheckedStore, StoreError, StoreNotFound, StoreUnavailable

from tests.servers.faults import Answer, Pass

JSON = (("Content-Type", "application/json; charset=UTF-8"),)
IN_WORDS = {
    "of the bytes": Answer(404, b"No such object: bucket/team/key", (("Content-Type", "text/html"),)),
    "in JSON": Answer(
        404,
        b'{"error": {"code": 404, "message": "No such object: bucket/team/key", "errors": '
        b'[{"message": "No such object: bucket/team/key", "domain": "global", "reason": "notFound"}]}}',
        JSON,
    ),
}
"""How Cloud Storage says it."""
ANYBODYS = {
    "a line": Answer(404, b"Not Found\n"),
    "an API gateway": Answer(404, b'{"error":"not found"}', JSON),
    "in Google's form": Answer(
        404,
        b'{"error": {"code": 404, "message": "Not Found", "errors": '
        b'[{"domain": "global", "reason": "notFound", "message": "Not Found"}]}}',
        JSON,
    ),
}
"""What a program on the way says as well, of a route that it has not got."""

anybodys = pytest.mark.parametrize("said", ANYBODYS.values(), ids=ANYBODYS)


@pytest.mark.parametrize("said", IN_WORDS.values(), ids=IN_WORDS)
def test_what_the_service_says_is_absent_costs_no_other_question(
    site: Site, store: CheckedStore, said: Answer
) -> None:
    """One request to read what is not there, and one to delete it, also for a store that has just been opened."""
    with site.proxy.failing("get", said), site.proxy.failing("delete", said):
        assert store.get("key") is None
        assert site.methods() == ["GET"]
        store.delete("key")
        assert site.methods() == ["DELETE"]


def test_where_a_404_does_not_say_what_is_missing_one_listing_does(site: Site, store: CheckedStore) -> None:
    """The emulator's does not. One name is asked for, and what only begins with it is another record."""
    site.put("key/below", b"another")
    assert store.get("key") is None
    get, listing = site.proxy.requests
    assert (get.verb, listing.verb) == ("get", "list")
    assert "prefix=team%2Fkey&" in listing.path
    assert "maxResults=1&" in listing.path
    site.proxy.forget()
    store.delete("key")
    assert site.methods() == ["DELETE", "GET"]


@anybodys
def test_a_record_that_is_listed_is_not_absent(site: Site, store: CheckedStore, said: Answer) -> None:
    """It is asked for again, and is unavailable when nobody finds it; taken for absent, an accepted signal is lost."""
    site.put("key", b"accepted")
    with site.proxy.failing("get", said):
        assert store.get("key") == b"accepted"
    with site.proxy.failing("get", said, times=None), pytest.raises(StoreUnavailable):
        store.get("key")


@anybodys
def test_a_record_that_is_listed_is_not_deleted(site: Site, store: CheckedStore, said: Answer) -> None:
    """A delete that did not arrive is sent again, and is not done before the record is gone."""
    site.put("key", b"here")
    with site.proxy.failing("delete", said, times=None), pytest.raises(StoreUnavailable):
        store.delete("key")
    assert store.get("key") == b"here"
    with site.proxy.failing("delete", said):
        store.delete("key")
    assert store.get("key") is None


@anybodys
@pytest.mark.parametrize(
    "call", [lambda store: store.get("key"), lambda store: store.delete("key")], ids=["get", "delete"]
)
def test_nothing_is_absent_while_somebody_else_answers_everything(
    site: Site, store: CheckedStore, said: Answer, call: Callable[[CheckedStore], object]
) -> None:
    """Also when the store has seen its bucket before: an error, whatever it is called."""
    list(store.list(""))
    with site.proxy.scripted(lambda request: said), pytest.raises(StoreError) as raised:
        call(store)
    assert isinstance(raised.value, StoreUnavailable | StoreNotFound)


@anybodys
def test_a_look_whose_record_is_there_that_finds_nothing_decides_nothing(
    site: Site, store: CheckedStore, said: Answer
) -> None:
    """The create is sent again, with the same put-id: another's record stays another's, and ours is ours."""
    site.put("key", b"another's")
    with site.proxy.failing("put_if_absent", Pass(), said):
        assert store.put_if_absent("key", b"mine") is False
    assert site.methods().count("POST") == 2
    with site.proxy.failing("put_if_absent", Answer(412), said):
        assert store.put_if_absent("new", b"mine") is True


def test_a_listing_that_begins_with_an_empty_page_is_read_on(site: Site, store: CheckedStore) -> None:
    """A page may hold nothing and say that there is more: no word of the record yet."""
    site.put("key", b"here")
    empty = Answer(200, b'{"kind": "storage#objects", "nextPageToken": "more"}', JSON)
    with (
        site.proxy.failing("get", ANYBODYS["a line"], times=None),
        site.proxy.failing("list", empty),
        pytest.raises(StoreUnavailable),
    ):
        store.get("key")
