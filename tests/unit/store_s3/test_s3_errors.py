"""What S3 and its SDK say: each answer its type, what to do in each sentence, and no secret in any."""

from __future__ import annotations

import ssl
from collections.abc import Callable

import pytest
from botocore import exceptions as sdk
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError
from s3_replies import OpenStore, refusal
from swamp_core.store import (
    ConditionalWritesUnsupported,
    OutcomeUnknown,
    SignalWaitStore,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)
from swamp_core.store.creating import NotLanded, Unclear
from swamp_store_contract.under_test import Verb
from swamp_store_s3.errors import CODES, EXCEPTIONS, STATUSES, create_reply, store_error, translated
from urllib3.exceptions import HTTPError, NameResolutionError

from tests.servers.faults import Answer, html
from tests.servers.proxy import FaultProxy

BY_CODE: dict[tuple[int, str], type[StoreError]] = {
    (412, "PreconditionFailed"): StoreUnavailable,
    (409, "ConditionalRequestConflict"): StoreUnavailable,
    (409, "OperationAborted"): StoreUnavailable,
    (501, "NotImplemented"): ConditionalWritesUnsupported,
    (503, "SlowDown"): StoreUnavailable,
    (400, "Throttling"): StoreUnavailable,
    (400, "ThrottlingException"): StoreUnavailable,
    (429, "TooManyRequests"): StoreUnavailable,
    (429, "TooManyRequestsException"): StoreUnavailable,
    (503, "RequestLimitExceeded"): StoreUnavailable,
    (404, "NoSuchBucket"): StoreNotFound,
    (400, "InvalidBucketName"): StoreMisconfigured,
    (403, "AccessDenied"): StoreAccessDenied,
    (403, "AllAccessDisabled"): StoreAccessDenied,
    (403, "InvalidAccessKeyId"): StoreAccessDenied,
    (403, "SignatureDoesNotMatch"): StoreAccessDenied,
    (400, "ExpiredToken"): StoreAccessDenied,
    (403, "ExpiredTokenException"): StoreAccessDenied,
    (400, "TokenRefreshRequired"): StoreAccessDenied,
    (400, "InvalidToken"): StoreAccessDenied,
    (403, "RequestTimeTooSkewed"): StoreAccessDenied,
    (301, "PermanentRedirect"): StoreMisconfigured,
    (307, "TemporaryRedirect"): StoreMisconfigured,
    (400, "AuthorizationHeaderMalformed"): StoreMisconfigured,
    (400, "IllegalLocationConstraintException"): StoreMisconfigured,
    (403, "InvalidObjectState"): StoreUnavailable,
    (400, "KMS.DisabledException"): StoreAccessDenied,
    (400, "KMS.NotFoundException"): StoreAccessDenied,
    (400, "KMS.KMSInvalidStateException"): StoreAccessDenied,
    (400, "BadDigest"): StoreUnavailable,
    (400, "IncompleteBody"): StoreUnavailable,
    (400, "XAmzContentSHA256Mismatch"): StoreUnavailable,
    (403, "QuotaExceeded"): StoreUnavailable,
    (507, "XMinioStorageFull"): StoreUnavailable,
    (400, "RequestTimeout"): StoreUnavailable,
    (500, "InternalError"): StoreUnavailable,
    (400, "InvalidRequest"): StoreMisconfigured,
}
BY_STATUS: dict[int, type[StoreError]] = {
    302: StoreMisconfigured,
    400: StoreMisconfigured,
    401: StoreAccessDenied,
    403: StoreAccessDenied,
    404: StoreUnavailable,
    408: StoreUnavailable,
    409: StoreUnavailable,
    412: StoreUnavailable,
    429: StoreUnavailable,
    501: ConditionalWritesUnsupported,
    502: StoreUnavailable,
    507: StoreUnavailable,
}
NO_HOST = NameResolutionError("nowhere.invalid", None, OSError())  # type: ignore[arg-type]
RAISED: list[tuple[Exception, type[StoreError], str]] = [
    (sdk.NoCredentialsError(), StoreAccessDenied, "AWS_ACCESS_KEY_ID"),
    (sdk.PartialCredentialsError(provider="env", cred_var="x"), StoreAccessDenied, "not complete"),
    (sdk.UnauthorizedSSOTokenError(), StoreAccessDenied, "aws sso login"),
    (sdk.SSOTokenLoadError(error_msg="x"), StoreAccessDenied, "aws sso login"),
    (sdk.TokenRetrievalError(provider="sso", error_msg="x"), StoreAccessDenied, "aws sso login"),
    (sdk.LoginRefreshRequired(), StoreAccessDenied, "aws login"),
    (sdk.CredentialRetrievalError(provider="p", error_msg="x"), StoreAccessDenied, "credential_process"),
    (sdk.MetadataRetrievalError(error_msg="x"), StoreAccessDenied, "credential_process"),
    (sdk.RefreshWithMFAUnsupportedError(), StoreAccessDenied, "credential_process"),
    (sdk.UnknownCredentialError(name="x"), StoreAccessDenied, "credential_process"),
    (sdk.InvalidConfigError(error_msg="x"), StoreAccessDenied, "credential_process"),
    (sdk.MissingDependencyException(msg="x"), StoreAccessDenied, "botocore[crt]"),
    (sdk.ProfileNotFound(profile="x"), StoreMisconfigured, "list-profiles"),
    (sdk.ConfigNotFound(path="x"), StoreMisconfigured, "list-profiles"),
    (sdk.ConfigParseError(path="x"), StoreMisconfigured, "list-profiles"),
    (sdk.EndpointConnectionError(endpoint_url="x", error=NO_HOST), StoreUnavailable, "host of the service"),
    (sdk.EndpointConnectionError(endpoint_url="x", error="x"), StoreUnavailable, "No connection"),
    (sdk.ConnectTimeoutError(endpoint_url="x"), StoreUnavailable, "in time"),
    (sdk.ProxyConnectionError(proxy_url="x"), StoreUnavailable, "proxy"),
    (sdk.ReadTimeoutError(endpoint_url="x"), StoreUnavailable, "in time"),
    (sdk.ConnectionClosedError(endpoint_url="x"), StoreUnavailable, "broke"),
    (sdk.ConnectionError(error="x"), StoreUnavailable, "broke"),
    (sdk.SSLError(endpoint_url="x", error="EOF"), StoreUnavailable, "broke"),
    (
        sdk.SSLError(endpoint_url="x", error=ssl.SSLError(1, "[SSL: CERTIFICATE_VERIFY_FAILED]")),
        StoreMisconfigured,
        "AWS_CA",
    ),
    (
        sdk.SSLError(endpoint_url="x", error=ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]")),
        StoreMisconfigured,
        "endpoint_url",
    ),
    (sdk.ResponseStreamingError(error="x"), StoreUnavailable, "broke off"),
    (sdk.IncompleteReadError(actual_bytes=1, expected_bytes=2), StoreUnavailable, "broke off"),
    (sdk.FlexibleChecksumError(error_msg="x"), StoreUnavailable, "altered"),
    (HTTPError(), StoreUnavailable, "broke off"),
    (ResponseParserError(), StoreUnavailable, "Something else"),
    (OSError(), StoreUnavailable, "broke"),
    (sdk.NoRegionError(), StoreMisconfigured, "setting"),
    (sdk.InvalidRegionError(region_name="x"), StoreMisconfigured, "setting"),
    (sdk.ParamValidationError(report="x"), StoreMisconfigured, "setting"),
    (ValueError(), StoreMisconfigured, "setting"),
    (AttributeError(), StoreUnavailable, "SDK failed"),
]
CALLS: dict[Verb, Callable[[SignalWaitStore], object]] = {
    "put_if_absent": lambda store: store.put_if_absent("a", b"new"),
    "get": lambda store: store.get("a"),
    "list": lambda store: list(store.list("")),
    "delete": lambda store: store.delete("a"),
}


def replied(status: int, code: str, operation: str = "GetObject", **headers: str) -> ClientError:
    return ClientError(
        {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers}},  # type: ignore[typeddict-item]
        operation,
    )


@pytest.mark.parametrize("verb", CALLS)
@pytest.mark.parametrize(("status", "code"), BY_CODE, ids=str)
def test_each_code_has_its_type_on_each_verb(
    open_s3: OpenStore, proxy: FaultProxy, verb: Verb, status: int, code: str
) -> None:
    """Over the wire, through the SDK: the sentence names the code, the store and the key, and says what to do."""
    expected: tuple[type[StoreError], ...] = (BY_CODE[status, code],)
    if verb == "put_if_absent" and expected == (StoreUnavailable,):
        expected += (OutcomeUnknown,)
    with proxy.failing(verb, refusal(status, code), times=None), pytest.raises(StoreError) as raised:
        CALLS[verb](open_s3())
    assert isinstance(raised.value, expected)
    assert raised.value.store is not None
    assert raised.value.store.startswith("s3://")
    if not isinstance(raised.value, OutcomeUnknown):
        assert f"({code})" in str(raised.value)
        assert isinstance(raised.value.__cause__, ClientError)


@pytest.mark.parametrize("status", BY_STATUS)
def test_an_answer_without_a_code_goes_by_its_status(
    open_s3: OpenStore, proxy: FaultProxy, status: int
) -> None:
    """Some services, and everything in between, give no code."""
    with proxy.failing("get", Answer(status), times=None), pytest.raises(BY_STATUS[status]):
        open_s3().get("a")


@pytest.mark.parametrize(("error", "expected", "says"), RAISED, ids=lambda value: type(value).__name__)
def test_each_exception_of_the_sdk_has_its_type(
    error: Exception, expected: type[StoreError], says: str
) -> None:
    """Nothing of the SDK comes through, and its exception is the cause."""
    with pytest.raises(StoreError) as raised, translated("get"):
        raise error
    assert type(raised.value) is expected
    assert raised.value.__cause__ is error
    assert says in str(raised.value)


def test_no_line_of_a_table_is_untested() -> None:
    """A new line comes with what it is expected to be."""
    assert CODES.keys() <= {code for _, code in BY_CODE}
    assert STATUSES.keys() <= BY_STATUS.keys()
    met = [next(type_ for type_, _ in EXCEPTIONS if isinstance(error, type_)) for error, _, _ in RAISED[:-1]]
    assert {type_ for type_, _ in EXCEPTIONS} - {sdk.HTTPClientError} <= set(met)


@pytest.mark.parametrize(
    ("verb", "action"),
    [
        ("put_if_absent", "s3:PutObject"),
        ("get", "s3:GetObject"),
        ("list", "s3:ListBucket"),
        ("delete", "s3:DeleteObject"),
    ],
)
def test_a_denied_verb_names_the_action_that_is_missing(
    open_s3: OpenStore, proxy: FaultProxy, verb: Verb, action: str
) -> None:
    """It is what a policy has to allow; S3 says the same of a missing record to whom may not list."""
    with proxy.failing(verb, refusal(403, "AccessDenied")), pytest.raises(StoreAccessDenied) as raised:
        CALLS[verb](open_s3())
    assert action in raised.value.detail
    assert f"Allow {action}" in raised.value.hint
    assert "s3:ListBucket" in raised.value.hint
    assert raised.value.is_answer


@pytest.mark.parametrize("verb", CALLS)
@pytest.mark.parametrize(
    "answer",
    [
        refusal(301, "PermanentRedirect", headers=(("x-amz-bucket-region", "eu-west-1"),)),
        refusal(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"),
        refusal(400, "IllegalLocationConstraintException", headers=(("x-amz-bucket-region", "eu-west-1"),)),
    ],
    ids=str,
)
def test_a_bucket_elsewhere_is_said_with_its_region(
    open_s3: OpenStore, proxy: FaultProxy, verb: Verb, answer: Answer
) -> None:
    """What the reply tells is what the option is to be."""
    with (
        proxy.failing(verb, answer, times=None),
        pytest.raises(StoreMisconfigured, match="`region`: `eu-west-1`"),
    ):
        CALLS[verb](open_s3())


def test_a_region_that_is_none_is_not_repeated() -> None:
    """What a stranger answers is not shown."""
    error = replied(301, "PermanentRedirect", **{"x-amz-bucket-region": "eu-west-1\x1b[2J"})
    assert "\x1b" not in str(store_error(error, "get"))
    assert "Set the option `region`" in str(store_error(error, "get"))


def test_a_code_is_shown_short_and_in_ascii() -> None:
    """A reply may have anything for a code, and braces are no places to fill."""
    text = str(store_error(replied(400, "Bad\x1b[2J{action}é" + "x" * 500), "get"))
    assert text.isascii()
    assert "\x1b" not in text
    assert len(text) < 300


def test_what_another_service_of_aws_refused_is_about_credentials() -> None:
    """A role that may not be assumed is not a missing right on the bucket."""
    denied = store_error(replied(403, "AccessDenied", "AssumeRole"), "get")
    expired = store_error(replied(403, "ExpiredToken", "AssumeRole"), "get")
    assert isinstance(denied, StoreAccessDenied)
    assert not denied.is_answer
    assert "s3:" not in denied.detail
    assert "Renew" in expired.hint


@pytest.mark.parametrize("verb", CALLS)
@pytest.mark.parametrize("status", [400, 403, 404, 407])
def test_a_page_of_a_proxy_is_told_from_a_refusal_of_s3(
    open_s3: OpenStore, proxy: FaultProxy, verb: Verb, status: int
) -> None:
    """A 403 of the company's proxy is no missing right."""
    with (
        proxy.failing(verb, html(status), times=None),
        pytest.raises(StoreUnavailable, match="Something else than S3 answered"),
    ):
        CALLS[verb](open_s3())


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
def test_a_server_that_fails_may_have_stored(status: int) -> None:
    """It says nothing of what it did before."""
    assert isinstance(create_reply(replied(status, str(status), "PutObject")), Unclear)


@pytest.mark.parametrize(
    "code", ["SlowDown", "ConditionalRequestConflict", "BadDigest", "RequestLimitExceeded"]
)
def test_what_says_that_nothing_was_stored_is_believed(code: str) -> None:
    """Also where its status is one of a server that fails."""
    assert isinstance(create_reply(replied(503, code, "PutObject")), NotLanded)


@pytest.mark.parametrize("verb", CALLS)
def test_a_missing_bucket_is_not_found_on_each_verb(open_s3: OpenStore, verb: Verb) -> None:
    """By the server's own word."""
    with pytest.raises(StoreNotFound):
        CALLS[verb](open_s3(bucket="nobodys-bucket"))
