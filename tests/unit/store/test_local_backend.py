"""How a setting names a directory."""

from pathlib import Path

import pytest
from swamp_core.store import StoreMisconfigured, StoreNotFound, describe, open_store


@pytest.mark.parametrize(
    ("url", "path", "create"),
    [
        ("file:///srv/swamp", "/srv/swamp", False),
        ("file://localhost/srv/swamp", "/srv/swamp", False),
        ("FILE:///srv/swamp?create=true", "/srv/swamp", True),
        ("file:///srv/with%20space%23%3F?create=false", "/srv/with space#?", False),
        ("local:///srv/swamp", "/srv/swamp", False),
    ],
)
def test_a_url_names_a_directory(url: str, path: str, create: bool) -> None:
    """Its path is the directory, its query the options."""
    assert describe(url).options == {"path": path, "create": create}


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("file://srv/swamp", "names a host"),
        ("file:///srv/a#b", "has a `#` in it"),
        ("file:///srv/a?path=/srv/b", "says its path twice"),
        ("file:///srv/a?create=true&create=false", "says `create` twice"),
        (
            "file:///srv/a?create=perhaps",
            "option `create` of the local store is wrong: it must be a valid boolean",
        ),
        ("file:///srv/a?creat=true", "no option `creat`. Did you mean `create`?"),
        ("file:", "text but no URL"),
        ("file://", "must be an absolute path"),
        ({"type": "local", "path": "relative/path"}, "must be an absolute path"),
        ({"type": "local"}, "needs the option `path`"),
    ],
)
def test_a_setting_that_names_no_directory_says_why(setting: str | dict[str, object], says: str) -> None:
    """Each mistake has its sentence."""
    with pytest.raises(StoreMisconfigured) as raised:
        open_store(setting)
    assert says in str(raised.value)


def test_the_store_is_named_by_a_url_that_opens_it_again(tmp_path: Path) -> None:
    """What a message calls the store can be pasted back."""
    directory = tmp_path / "with space#"
    directory.mkdir()
    name = describe({"type": "local", "path": str(directory)}).store
    open_store(name).put_if_absent("a", b"here")
    assert (directory / "a@record").read_bytes() == b"here"


def test_a_mistyped_path_is_not_an_empty_store(tmp_path: Path) -> None:
    """Only `create` lets a directory be made, and the refusal says so."""
    missing = tmp_path / "swmap"
    store = open_store(missing.as_uri())
    for call in (
        lambda: store.put_if_absent("a", b""),
        lambda: store.get("a"),
        lambda: list(store.list("")),
        lambda: store.delete("a"),
    ):
        with pytest.raises(StoreNotFound, match="create: true"):
            call()
    assert not missing.exists()
    open_store(f"{missing.as_uri()}?create=true").put_if_absent("a", b"")
    assert open_store(missing.as_uri()).get("a") == b""
