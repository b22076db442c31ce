"""As whom, and where: what is missing or wrong about credentials, endpoint and network is one clear sentence."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from swamp_core.store import (
    SignalWaitStore,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreUnavailable,
    open_store,
)
from swamp_core.store.creating import Pace, Patience
from swamp_store_s3.client import open_client
from swamp_store_s3.options import S3Options
from swamp_store_s3.store import S3Store

from tests.servers.faults import Hold
from tests.servers.proxy import FaultProxy

CONFIG = """
[profile signed-on]
sso_session = nobody
sso_account_id = 111122223333
sso_role_name = reader
[sso-session nobody]
sso_region = eu-west-1
sso_start_url = https://example.com/start
[profile half]
aws_access_key_id = AKIAEXAMPLE
[profile asks]
credential_process = /bin/false
[profile in-circles]
role_arn = arn:aws:iam::111122223333:role/a
source_profile = other
[profile other]
role_arn = arn:aws:iam::111122223333:role/b
source_profile = in-circles
"""


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A host on which nobody has signed on; some profiles are written all the same."""
    (tmp_path / "config").write_text(CONFIG)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")


def what_it_says(url: str) -> StoreError:
    with pytest.raises(StoreError) as raised:
        open_store(url).get("a")
    return raised.value


@pytest.mark.usefixtures("no_credentials")
@pytest.mark.parametrize(
    ("query", "expected", "says"),
    [
        ("", StoreAccessDenied, "No AWS credentials were found"),
        ("?profile=nobody", StoreMisconfigured, "no such profile"),
        ("?profile=signed-on", StoreAccessDenied, "aws sso login"),
        ("?profile=half", StoreAccessDenied, "not complete"),
        ("?profile=asks", StoreAccessDenied, "could not be had"),
        ("?profile=in-circles", StoreAccessDenied, "could not be had"),
    ],
)
def test_missing_credentials_are_said_before_anything_is_sent(
    query: str, expected: type[StoreError], says: str
) -> None:
    """Each way to have none says what to do."""
    error = what_it_says(f"s3://team-bucket/x{query}")
    assert type(error) is expected
    assert says in str(error)
    assert not getattr(error, "is_answer", False)


def test_a_configuration_that_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is the file that is wrong, not the bucket."""
    (tmp_path / "config").write_text("[profile\nnonsense")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    assert isinstance(what_it_says("s3://team-bucket"), StoreMisconfigured)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:{port}", "http://no-such-host.invalid"])
def test_an_endpoint_that_is_not_there_is_unavailable(endpoint: str) -> None:
    """Refused, or a name that nobody knows."""
    error = what_it_says(f"s3://team-bucket/x?endpoint_url={endpoint.format(port=free_port())}")
    assert type(error) is StoreUnavailable
    assert "endpoint_url" in error.hint


def test_an_endpoint_that_speaks_no_tls_is_misconfigured(proxy: FaultProxy) -> None:
    """`https` for `http`: no try can help, so a create is not tried again either."""
    store = open_store(f"s3://team-bucket/x?endpoint_url=https://{proxy.address}")
    for call in (lambda: store.get("a"), lambda: store.put_if_absent("a", b"")):
        with pytest.raises(StoreMisconfigured, match="TLS"):
            call()


def quick_store(proxy: FaultProxy, bucket: str) -> SignalWaitStore:
    options = S3Options(bucket=bucket, endpoint_url=proxy.url)
    client = open_client(options, read_timeout_s=0.2)
    return S3Store(client, bucket, patience=Patience(total_s=0), pace=Pace(sleep=lambda _: None))


def test_a_service_that_does_not_answer_is_given_up(proxy: FaultProxy, bucket: str) -> None:
    """A read ends with its time-out, whatever hangs."""
    hold = Hold()
    with proxy.failing("get", hold), pytest.raises(StoreUnavailable, match="in time"):
        quick_store(proxy, bucket).get("a")
    hold.release.set()
