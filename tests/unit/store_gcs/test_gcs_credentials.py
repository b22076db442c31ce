"""Who asks: credentials that are there, missing, expired or not to be renewed, and services that are not there."""

from pathlib import Path
from typing import Any

import google.auth
import pytest
from gcs_site import Site
from google.auth import exceptions as auth
from google.auth.credentials import Credentials
from swamp_core.store import StoreAccessDenied, StoreUnavailable, open_store
from swamp_store_gcs.client import open_bucket
from swamp_store_gcs.options import GcsOptions

from swamp_store_gcs import client
from tests.servers.faults import Answer

UNUSABLE = (
    "",
    "{}",
    "[]",
    "{hunter2",
    "\0",
    '{"type": "service_account"}',
    '{"type": "hunter2"}',
    '{"type": "service_account", "client_email": "a", "token_uri": "b", "private_key": "hunter2"}',
    '{"type": "authorized_user", "refresh_token": "hunter2"}',
    '{"type": "external_account"}',
)
"""What a file holds that is no key, or a broken one."""


class Invented(Credentials):  # type: ignore[misc]
    """Credentials with a token, which `renewals` replace one after the other; an exception is raised."""

    def __init__(self, token: str | None, *renewals: str | Exception) -> None:
        super().__init__()
        self.token = token
        self._renewals = list(renewals)

    def refresh(self, request: Any) -> None:
        renewal = self._renewals.pop(0)
        if isinstance(renewal, Exception):
            raise renewal
        self.token = renewal


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nobody ever logged in."""
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")


@pytest.mark.usefixtures("nobody")
def test_missing_credentials_say_how_to_provide_them() -> None:
    """One line, when the store is opened."""
    with pytest.raises(StoreAccessDenied, match="gcloud auth application-default login"):
        open_store("gs://team-bucket")


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "is not there"),
        ("/", "is a directory"),
        *((content, "holds no usable Google credentials") for content in UNUSABLE),
    ],
)
def test_a_key_file_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None, problem: str
) -> None:
    """Missing, a directory or not a key: one line that says which file, and nothing of what is in it."""
    file = tmp_path / "key.json"
    if content == "/":
        file.mkdir()
    elif content is not None:
        file.write_text(content)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    with pytest.raises(StoreAccessDenied) as raised:
        open_store("gs://team-bucket")
    assert f"`{file}`, which GOOGLE_APPLICATION_CREDENTIALS names, {problem}" in str(raised.value)
    assert "gcloud auth application-default login" in raised.value.hint
    assert "hunter2" not in str(raised.value)


def test_no_token_goes_over_plain_http(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """An `http://` endpoint is asked without credentials, also where there are some."""
    monkeypatch.setattr(google.auth, "default", lambda **_: pytest.fail("The credentials were looked for."))
    site.open().get("key")
    assert all("authorization" not in request.headers for request in site.proxy.requests)


def test_an_https_endpoint_is_asked_with_credentials_and_no_variable_redirects_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the setting says holds, whatever the SDK would read from the environment."""
    monkeypatch.setattr(google.auth, "default", lambda **_: (Invented("token"), None))
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:1")
    bucket = open_bucket(GcsOptions(bucket="team-bucket"))
    assert bucket._bucket.client.api_endpoint == "https://storage.googleapis.com"
    bucket.close()
    bucket = open_bucket(GcsOptions(bucket="team-bucket", endpoint_url="https://storage.example.com/"))
    assert bucket._bucket.client.api_endpoint == "https://storage.example.com"
    bucket.close()


def test_a_project_is_billed_for_each_request(site: Site) -> None:
    """A requester-pays bucket needs it, and no other setting sends it."""
    options = GcsOptions(bucket=site.bucket, project="builds-42", endpoint_url=site.proxy.url)
    bucket = open_bucket(options)
    bucket.create("name", b"", "put-id")
    bucket.put_id_of("name")
    bucket.read("name")
    bucket.page("", names_max=1)
    bucket.delete("name")
    bucket.close()
    assert ["userProject=builds-42" in request.path for request in site.proxy.requests] == [True] * 5


def signed(site: Site, monkeypatch: pytest.MonkeyPatch, credentials: Invented) -> Any:
    monkeypatch.setattr(client, "_credentials", lambda _: credentials)
    return site.open()


@pytest.mark.parametrize("verb", ["put_if_absent", "get"])
def test_expired_credentials_say_how_to_renew_them(
    site: Site, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Nothing was sent, so a create is not in doubt either."""
    store = signed(site, monkeypatch, Invented(None, auth.RefreshError("invalid_grant")))
    expected = r"expired or were revoked.*Renew them with `gcloud auth"
    with pytest.raises(StoreAccessDenied, match=expected) as raised:
        store.put_if_absent("key", b"") if verb == "put_if_absent" else store.get("key")
    assert (site.methods(), raised.value.is_answer) == ([], False)


@pytest.mark.parametrize(
    "error",
    [auth.TransportError("unreachable"), auth.RefreshError("later", retryable=True)],
    ids=["net", "later"],
)
def test_a_renewal_that_fails_for_now_leaves_no_doubt_of_a_create(
    site: Site, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Nothing was sent: `StoreUnavailable`, not `OutcomeUnknown`; the next attempt may have it."""
    store = signed(site, monkeypatch, Invented(None, *[error] * 20))
    with pytest.raises(StoreUnavailable, match="renew"):
        store.put_if_absent("key", b"")
    store = signed(site, monkeypatch, Invented(None, error, "token"))
    assert store.put_if_absent("key", b"")


def test_a_token_that_is_refused_is_renewed_once_or_twice(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is wrong, or a token that was revoked, shows as 401."""
    store = signed(site, monkeypatch, Invented("old", "new"))
    with site.proxy.failing("get", Answer(401)):
        assert store.get("key") is None
    assert [request.headers["authorization"] for request in site.proxy.requests][:2] == [
        "Bearer old",
        "Bearer new",
    ]
    store = signed(site, monkeypatch, Invented("1", "2", "3", "4"))
    with site.proxy.failing("get", Answer(401), times=None), pytest.raises(StoreAccessDenied, match="clock"):
        store.get("key")


@pytest.mark.parametrize(
    ("endpoint", "says"),
    [("http://127.0.0.1:1", "No connection"), ("http://nowhere.invalid", "cannot be looked up")],
    ids=["refused", "unknown name"],
)
def test_a_service_that_is_not_there_is_unavailable(endpoint: str, says: str, site: Site) -> None:
    """No connection was made, so a create is not in doubt."""
    site.proxy, proxy = type("Elsewhere", (), {"url": endpoint})(), site.proxy
    store = site.open()
    site.proxy = proxy
    for call in (lambda: store.get("key"), lambda: store.put_if_absent("key", b"")):
        with pytest.raises(StoreUnavailable, match=says):
            call()
