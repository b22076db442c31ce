"""How a setting names a bucket, what the clients are told, and that nothing is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from swamp_core.store import StoreMisconfigured, describe, open_store
from swamp_store_s3.client import open_client
from swamp_store_s3.options import S3Options

DEFAULTS = {"prefix": "", "region": None, "endpoint_url": None, "profile": None, "addressing_style": None}


@pytest.mark.parametrize(
    ("setting", "options", "name"),
    [
        ("s3://team-bucket", {}, "s3://team-bucket"),
        ("s3://team-bucket/", {}, "s3://team-bucket"),
        ("S3://team-bucket/releases", {"prefix": "releases"}, "s3://team-bucket/releases"),
        ("s3://team-bucket//a/B_1//", {"prefix": "a/B_1"}, "s3://team-bucket/a/B_1"),
        ("s3://team-bucket/a/B_1/", {"prefix": "a/B_1"}, "s3://team-bucket/a/B_1"),
        ("s3://team-bucket/%61%2Db", {"prefix": "a-b"}, "s3://team-bucket/a-b"),
        ("s3://team-bucket?region=eu-west-1", {"region": "eu-west-1"}, "s3://team-bucket?region=eu-west-1"),
        (
            "s3://team-bucket/x?endpoint_url=http%3A%2F%2F127.0.0.1%3A9000&profile=dev",
            {"prefix": "x", "endpoint_url": "http://127.0.0.1:9000", "profile": "dev"},
            "s3://team-bucket/x?endpoint_url=http://127.0.0.1:9000",
        ),
        (
            {
                "type": "s3",
                "bucket": "team-bucket",
                "endpoint_url": "https://o.example.com/",
                "addressing_style": "virtual",
            },
            {"endpoint_url": "https://o.example.com", "addressing_style": "virtual"},
            "s3://team-bucket?endpoint_url=https://o.example.com",
        ),
    ],
)
def test_a_setting_names_a_bucket_and_a_prefix(
    setting: str | dict[str, object], options: dict[str, object], name: str
) -> None:
    """A URL and a mapping say the same; slashes around the prefix do not count.

    Messages call it by a name that no store at another service has.
    """
    described = describe(setting)
    assert described.options == {**DEFAULTS, "bucket": "team-bucket", **options}
    assert described.store == name


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("s3://", "3 to 63"),
        ("s3:///prefix", "3 to 63"),
        ("s3://[team-bucket", "cannot be read"),
        ("s3://user:secret@team-bucket/x", "credentials come from the environment"),
        ("s3://team-bucket:9000/x", "names a port"),
        ("s3://team-bucket/x#y", "has a `#` in it"),
        ("s3://team-bucket?region=a&region=b", "says `region` twice"),
        ("s3://team-bucket?bucket=other", "says its bucket twice"),
        ("s3://team-bucket?prefix=other", "says its prefix twice"),
        ("s3://team-bucket?regoin=eu-west-1", "no option `regoin`. Did you mean `region`?"),
        ("s3://team-bucket?aws_secret_access_key=secret", "no option `aws_secret_access_key`"),
        ("s3://team-bucket?region=", "wrong: it must be the name of a region, such as `eu-west-1`"),
        ("s3://team-bucket?region=eu west", "wrong: it must be the name of a region, such as `eu-west-1`"),
        ("s3://team-bucket?profile=", "wrong: it must name a profile of the AWS configuration"),
        ("s3://team-bucket?addressing_style=both", "wrong: it must be 'auto', 'path' or 'virtual'"),
        ("s3://Team-Bucket", "is lower case"),
        ("s3://te", "3 to 63"),
        ("s3://team_bucket", "3 to 63"),
        ("s3://team%2Dbucket", "3 to 63"),
        ("s3://team..bucket", "3 to 63"),
        ("s3://" + "a" * 64, "3 to 63"),
        ("s3://team--usw2-az1--x-s3", "directory bucket"),
        ("s3://team-bucket/a//b", "segments of letters"),
        ("s3://team-bucket/../b", "segments of letters"),
        ("s3://team-bucket/a%20b", "segments of letters"),
        ("s3://team-bucket/" + "a" * 257, "more than 256 bytes"),
        ("s3://team-bucket?endpoint_url=localhost:9000", "URL of a service"),
        ("s3://team-bucket?endpoint_url=http://h:port", "URL of a service"),
        ("s3://team-bucket?endpoint_url=http://me:secret@h", "no user and no password"),
        ("s3://team-bucket?endpoint_url=http%3A%2F%2Fh%2F%3Fx", "must end before any `?`"),
        ({"type": "s3"}, "needs the option `bucket`"),
        ({"type": "s3", "bucket": 1}, "option `bucket` of the s3 store is wrong: it must be a valid string"),
    ],
)
def test_a_setting_that_names_no_bucket_says_why(setting: str | dict[str, object], says: str) -> None:
    """Each mistake has its sentence, and no secret is repeated."""
    with pytest.raises(StoreMisconfigured) as raised:
        open_store(setting)
    assert says in str(raised.value)
    assert "secret@" not in str(raised.value)
    assert "=secret" not in str(raised.value)


def test_only_aws_is_known_to_keep_its_promises() -> None:
    """A service with an endpoint of its own is tried by the first run."""
    assert describe("s3://team-bucket").is_proven
    assert not describe("s3://team-bucket?endpoint_url=https://o.example.com").is_proven


@pytest.mark.parametrize(
    ("options", "checksums", "style"),
    [
        ({}, "when_supported", "auto"),
        ({"endpoint_url": "https://o.example.com"}, "when_required", "path"),
        (
            {"endpoint_url": "https://o.example.com", "addressing_style": "virtual"},
            "when_required",
            "virtual",
        ),
    ],
)
def test_the_client_is_told_everything(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], checksums: str, style: str
) -> None:
    """The environment does not choose another service, more attempts, or no end of waiting."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://elsewhere.example.com")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "17")
    monkeypatch.setenv("AWS_RETRY_MODE", "legacy")
    monkeypatch.setenv("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
    client = open_client(
        S3Options.model_validate({"bucket": "team-bucket", "region": "eu-west-1", **options})
    )
    config = client.meta.config
    assert client.meta.endpoint_url == options.get("endpoint_url", "https://s3.eu-west-1.amazonaws.com")
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}
    assert config.request_checksum_calculation == config.response_checksum_validation == checksums
    assert (config.connect_timeout, config.read_timeout) == (5, 20)
    assert config.max_pool_connections >= 64
    assert config.s3["addressing_style"] == style
    assert config.signature_version == "s3v4"


def test_the_sdk_is_imported_when_a_store_is_opened_and_not_before() -> None:
    """What lists the installed stores, or explains a setting, does not pay for it."""
    code = (
        "import sys; from swamp_core.store import available_stores, describe;"
        "available_stores(); describe('s3://team-bucket/x');"
        "print([name for name in ('boto3', 'botocore', 'urllib3') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_missing_sdk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(StoreMisconfigured, match="pip install swamp-store-s3"):
        open_store("s3://team-bucket")
