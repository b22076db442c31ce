import subprocess
import sys
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr
from swamp_core.store import (
    AvailableStore,
    CheckedStore,
    InvalidKey,
    MemoryStore,
    StoreMisconfigured,
    available_stores,
    describe,
    open_store,
    registry,
)


class PlanetOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    moon: str
    crew: int = 2
    password: SecretStr | None = None


class PlanetBackend:
    """A third party's store, which this package has never heard of."""

    name = "planet"
    options = PlanetOptions

    def from_url(self, url: str) -> dict[str, object]:
        return {"moon": url.removeprefix("planet://")}

    def store_name(self, options: PlanetOptions) -> str:
        return f"planet://{options.moon}"

    def is_proven(self, options: PlanetOptions) -> bool:
        return options.moon != "far"

    def open(self, options: PlanetOptions) -> MemoryStore:
        return MemoryStore()


planet = PlanetBackend()


@pytest.fixture
def with_planet(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        name: EntryPoint(name, value, "swamp.stores")
        for name, value in {
            "planet": f"{__name__}:planet",
            "broken": "no_such_module_anywhere:backend",
        }.items()
    }
    monkeypatch.setattr(registry, "_entry_points", lambda: found)


def test_a_url_and_a_mapping_open_the_same_store(tmp_path: Path) -> None:
    """Both are ways to say one thing."""
    first = open_store(tmp_path.as_uri())
    second = open_store({"type": "local", "path": str(tmp_path)})
    assert first.put_if_absent("a/b", b"here") is True
    assert second.get("a/b") == b"here"


def test_what_is_opened_is_checked(tmp_path: Path) -> None:
    """No adapter is ever asked for an invalid key, and errors name the store."""
    store = open_store(tmp_path.as_uri())
    assert isinstance(store, CheckedStore)
    with pytest.raises(InvalidKey, match="in file:///"):
        store.get("../etc/passwd")


@pytest.mark.usefixtures("with_planet")
def test_a_third_party_s_store_is_found_by_its_entry_point() -> None:
    """A store is added by installing it."""
    assert open_store("planet://mars").put_if_absent("a", b"") is True
    assert open_store({"type": "planet", "moon": "phobos"}).get("a") is None


@pytest.mark.usefixtures("with_planet")
def test_a_description_shows_the_options_that_hold_and_no_secret() -> None:
    """Defaults are shown because they hold; a secret is not shown because it is one."""
    described = describe({"type": "planet", "moon": "phobos", "password": "hunter2"})
    assert (described.store, described.type, described.is_proven) == ("planet://phobos", "planet", True)
    assert not describe("planet://far").is_proven
    assert described.options == {"moon": "phobos", "crew": 2, "password": "**********"}


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("plant://x", "URL scheme `plant`. Did you mean `planet`?"),
        ({"type": "plante"}, "type `plante`. Did you mean `planet`?"),
        ({"type": "planet", "mon": "x", "moon": "y"}, "no option `mon`. Did you mean `moon`?"),
        ({"type": "planet", "mon": "x"}, "no option `mon`. Did you mean `moon`?"),
        ({"type": "planet", "crew": "many", "mooon": "x"}, "no option `mooon`. Did you mean `moon`?"),
        ({"type": "planet"}, "needs the option `moon`"),
        ({"type": "planet", "moon": "x", "crew": "many"}, "option `crew` of the planet store is wrong"),
        ({"moon": "x"}, "has no `type`"),
        ({"type": 7}, "has no `type`"),
        ({"typ": "planet", "moon": "x"}, "has no `type`, but `typ`"),
        ("/srv/swamp", "Write a URL: for a directory `file:///srv/swamp`, for"),
        ("/srv/a b", "Write a URL: for a directory `file:///srv/a%20b`, for"),
        ("srv/swamp", "Write a URL: for a directory `file:///srv/swamp`, for"),
        ("", "for a directory `file:///srv/swamp`"),
        ("long" * 1000, "for a directory `file:///srv/swamp`"),
        ("a\0b", "for a directory `file:///srv/swamp`"),
        ("broken://x", "store `broken` of no_such_module_anywhere cannot be loaded"),
        ("file:///srv/swamp", "needs the distribution swamp-store-local, which is not installed"),
        ("s3://bucket", "needs the distribution swamp-store-s3, which is not installed"),
        ("gs://bucket", "`pip install swamp-store-gcs`, or in a clone `pip install ./swamp_store_gcs`"),
    ],
)
@pytest.mark.usefixtures("with_planet")
def test_a_setting_that_cannot_be_used_says_what_to_correct(
    setting: str | dict[str, object], says: str
) -> None:
    """Each mistake has its sentence, with what was probably meant."""
    with pytest.raises(StoreMisconfigured) as raised:
        open_store(setting)
    assert says in str(raised.value)
    last = str(raised.value).split()[-1]
    assert last.endswith(".") or last == "no_such_module_anywhere" or last.startswith("swamp-store-")


@pytest.mark.parametrize("path", ["store", "./store/", "../{name}/store"])
def test_a_directory_given_as_a_path_is_told_how_to_be_written(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a shell completes is a relative path: the URL to write instead can be copied."""
    (tmp_path / "store").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreMisconfigured) as raised:
        open_store(path.format(name=tmp_path.name))
    assert f"for a directory `{(tmp_path / 'store').as_uri()}`" in raised.value.hint


@pytest.mark.parametrize(
    "setting",
    ["s3x://key:hunter2@bucket/x", "planet", {"type": "planet", "moon": ["hunter2"]}, "hunter2"],
)
@pytest.mark.usefixtures("with_planet")
def test_a_refused_setting_is_not_repeated(setting: str | dict[str, object]) -> None:
    """A URL or an option may hold a credential, so no message shows its value."""
    with pytest.raises(StoreMisconfigured) as raised:
        open_store(setting)
    assert "hunter2" not in str(raised.value)


def test_the_stores_that_are_available_say_how_to_get_them() -> None:
    """Only what exists is named."""
    assert available_stores() == [
        AvailableStore(type_, f"swamp-store-{type_}", True, registry.how_to_install(f"swamp-store-{type_}"))
        for type_ in ("gcs", "local", "s3")
    ]


@pytest.mark.usefixtures("with_planet")
def test_a_store_that_is_not_there_or_does_not_load_is_listed_as_such() -> None:
    """One broken adapter hides no other, and our own are offered."""
    listed = {store.type: store.installed for store in available_stores()}
    assert listed == {"planet": True, "broken": False, "gcs": False, "local": False, "s3": False}


def test_a_distribution_that_does_not_load_is_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its type, and not by each of its URL schemes as well."""
    names = ("gs", "gcs", "far", "farther")
    found = {name: EntryPoint(name, "no_such_module_anywhere:backend", "swamp.stores") for name in names}
    monkeypatch.setattr(registry, "_entry_points", lambda: found)
    monkeypatch.setattr(
        registry, "_distribution", lambda entry_point: registry.FIRST_PARTY.get(entry_point.name, "swamp-far")
    )
    assert [store.type for store in available_stores()] == ["far", "gcs", "local", "s3"]


def test_opening_a_directory_imports_nothing_that_it_does_not_need() -> None:
    """An SDK, a thread pool and a network library are not paid for by whoever opens a directory."""
    code = (
        "import sys; from swamp_core.store import open_store; open_store('file:///tmp?create=true');"
        "print(*{'boto3', 'google', 'concurrent.futures', 'http.client', 'ssl', 'asyncio',"
        " 'pydantic.networks', 'click', 'rich', 'jsonschema'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == []


@pytest.mark.parametrize(("lost", "type_"), [("boto3", "s3"), ("google-cloud-storage", "gcs")])
def test_a_store_without_its_sdk_is_not_installed(
    lost: str, type_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The adapter alone is of no use: what it lacks is named, though it is not imported."""
    there = registry.metadata.distribution

    def without(name: str) -> Distribution:
        if name == lost:
            raise PackageNotFoundError(name)
        return there(name)

    monkeypatch.setattr(registry.metadata, "distribution", without)
    listed = {store.type: store.missing for store in available_stores() if not store.installed}
    assert listed == {type_: (lost,)}
