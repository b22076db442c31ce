import subprocess
import sys

import pytest
from swamp_core.store import StoreMisconfigured, open_store
from swamp_core.store.registry import describe

LOCAL = "endpoint_url=http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("gs://team-bucket", "gs://team-bucket"),
        ("gs://team-bucket/", "gs://team-bucket"),
        ("gs://team-bucket/releases", "gs://team-bucket/releases"),
        ("gs://team-bucket/releases/2026/?project=builds-42", "gs://team-bucket/releases/2026"),
        ("gcs://team-bucket/Releases%2F2026", "gs://team-bucket/Releases/2026"),
        (f"gs://team-bucket?{LOCAL}", f"gs://team-bucket?{LOCAL}"),
        (f"gs://team-bucket/a/?project=b-1&{LOCAL}/", f"gs://team-bucket/a?{LOCAL}"),
    ],
)
def test_a_url_names_the_bucket_and_the_prefix(url: str, name: str) -> None:
    """What stands before the `?` says where; messages call the store by it, and by the service if that is another."""
    assert describe(url).store == name


def test_a_mapping_says_the_same_as_a_url() -> None:
    """One way to say it is as good as the other."""
    mapping = {"type": "gcs", "bucket": "team-bucket", "prefix": "/releases/", "project": "builds-42"}
    assert describe(mapping) == describe("gs://team-bucket/releases?project=builds-42")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("gs://team-bucket?projet=x", "Did you mean `project`?"),
        ("gs://", "a bucket's name has 3 to 222 characters"),
        ("gs://Team/releases", "a bucket's name has 3 to 222 characters"),
        ("gs://user:secret@team-bucket", "holds a user or a password"),
        ("gs://team-bucket/a#b", "has a `#` in it"),
        (f"gs://team-bucket?{LOCAL}&{LOCAL}", "says `endpoint_url` twice"),
        ("gs://team-bucket/a?project=b&project=", "says `project` twice"),
        ("gs://team-bucket?endpoint_url=http://h:port", "must be the URL of a service"),
        ("gs://[team-bucket", "cannot be read"),
        ("gs://team-bucket/a?prefix=b", "says its prefix twice"),
        ("gs://team-bucket/a?bucket=b", "says its bucket twice"),
        ("gs://team-bucket/a/../b", "segments of letters"),
        ("gs://team-bucket/a//b", "segments of letters"),
        ("gs://team-bucket/a%20b", "segments of letters"),
        (f"gs://team-bucket/{'a' * 257}", "more than 256 bytes"),
        ("gs://team-bucket?project=", "must be a project's ID"),
        ("gs://team-bucket?endpoint_url=storage.example.com", "must be the URL of a service, such as"),
        ("gs://team-bucket?endpoint_url=ftp://storage.example.com", "must be the URL of a service, such as"),
        ("gs://team-bucket?endpoint_url=https://user:secret@storage.example.com", "must hold no user"),
        ("gs://team-bucket?endpoint_url=https://storage.example.com/%3Fa=b?c", "must end before any `?`"),
    ],
)
def test_a_wrong_setting_is_refused_and_says_why(url: str, reason: str) -> None:
    """One line, before anything is sent, that shows no credential."""
    with pytest.raises(StoreMisconfigured) as raised:
        open_store(url)
    assert reason in str(raised.value)
    assert "secret" not in str(raised.value)


def test_only_google_s_own_service_is_taken_at_its_word() -> None:
    """Another service has to show that it lets one create win."""
    assert describe("gs://team-bucket").is_proven
    assert not describe(f"gs://team-bucket?{LOCAL}").is_proven


def test_the_sdk_is_imported_only_when_a_store_is_opened() -> None:
    """Whoever has the package installed and uses another store pays nothing for it."""
    code = (
        "import sys; from swamp_store_gcs import backend; "
        "options = backend.options(**backend.from_url('gs://team-bucket/a')); backend.store_name(options); "
        "print([name for name in ('google.auth', 'google.cloud.storage', 'requests') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]"


def test_a_missing_sdk_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with the command."""
    monkeypatch.setitem(sys.modules, "swamp_store_gcs.client", None)
    with pytest.raises(StoreMisconfigured, match="pip install swamp-store-gcs"):
        open_store(f"gs://team-bucket?{LOCAL}")
