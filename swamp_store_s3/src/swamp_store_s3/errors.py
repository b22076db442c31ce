"""What S3 and its SDK say, as a store's errors: one table, read in one place, the cause kept.

Each line says what happened, what to do, and what a create knows then (`Create`). A code of the service is
looked up first, then the HTTP status, then the class of the SDK's exception. Of the reply only the code is
shown, cut and in ASCII: a message may name what nobody should read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from botocore import exceptions as sdk
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError
from swamp_core.store.creating import Exists, NotLanded, Reply, Unclear
from swamp_core.store.errors import (
    ConditionalWritesUnsupported,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)
from urllib3.exceptions import HTTPError, NameResolutionError

ACTIONS = {
    "put_if_absent": "s3:PutObject",
    "read_back": "s3:GetObject",
    "get": "s3:GetObject",
    "list": "s3:ListBucket",
    "delete": "s3:DeleteObject",
}
_OUR_OPERATIONS = {"PutObject", "HeadObject", "GetObject", "ListObjectsV2", "DeleteObject"}


class Create(Enum):
    """What an answer means for the create that got it."""

    OVER = "no further attempt can change it"
    EXISTS = "a record is there"
    NOT_LANDED = "nothing was stored, and the next attempt may"
    UNCLEAR = "whether it was stored is not known"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an answer means: the class, what happened, what to do (None: as the class), and for a create."""

    error: type[StoreError]
    detail: str
    hint: str | None = None
    create: Create = Create.OVER


_RENEW = Meaning(
    StoreAccessDenied,
    "The credentials have expired, or are not valid any more",
    "Renew them: `aws sso login` for single sign-on, `aws login` for a console session, else get a new session token.",
)
_SIGN_ON = Meaning(
    StoreAccessDenied,
    "The session of single sign-on has expired, or there is none",
    "Renew it with `aws sso login`, with `--profile` and the profile's name if the setting names one.",
)
_CREDENTIALS = Meaning(
    StoreAccessDenied,
    "The credentials could not be had",
    "See the cause; check the profile, its role, its `credential_process` and the role of this machine.",
)
_UNKNOWN_KEY = Meaning(
    StoreAccessDenied,
    "The service does not know these credentials",
    "Check the access key, its secret and the profile; a service other than AWS is named by the option "
    "`endpoint_url`.",
)
_DENIED = Meaning(
    StoreAccessDenied,
    "These credentials may not do this: they need {action}",
    "Allow {action}, on the bucket for s3:ListBucket and on its objects for the others. Without s3:ListBucket, S3 "
    "says the same of a record that is not there.",
)
_REGION = Meaning(
    StoreMisconfigured,
    "The bucket is in another region than the one that was asked",
    "Set the option `region` to the bucket's.",
)
_BUSY = Meaning(
    StoreUnavailable,
    "The service is asked too much",
    "Try again in a while, with fewer at once.",
    Create.NOT_LANDED,
)
_CONFLICT = Meaning(
    StoreUnavailable,
    "The service was busy with the same key",
    "Try again.",
    Create.NOT_LANDED,
)
_ALTERED = Meaning(
    StoreUnavailable, "The record was altered or cut on its way", "Try again.", Create.NOT_LANDED
)
_NO_CONDITIONS = Meaning(
    ConditionalWritesUnsupported,
    "The service cannot create a record only if it is absent",
)
_FULL = Meaning(StoreUnavailable, "The bucket or the quota is full", "Free some space there, then try again.")
_KMS = Meaning(
    StoreAccessDenied,
    "The key that encrypts the bucket cannot be used",
    "Enable it, and allow kms:GenerateDataKey and kms:Decrypt with it.",
)
_FAILED = Meaning(StoreUnavailable, "The service failed", create=Create.UNCLEAR)
_LOST = Meaning(StoreUnavailable, "The connection broke before the reply came", create=Create.UNCLEAR)
_CUT = Meaning(StoreUnavailable, "The reply broke off, or was altered on its way", create=Create.UNCLEAR)
_NO_CONNECTION = Meaning(
    StoreUnavailable,
    "No connection to the service{at} could be made",
    "Check the network, its proxies and the option `endpoint_url`, then try again.",
    Create.NOT_LANDED,
)
_NO_HOST = replace(_NO_CONNECTION, detail="The host of the service{at} is not known")
_SETTING = Meaning(StoreMisconfigured, "The SDK does not take the setting")
_PROFILE = Meaning(
    StoreMisconfigured,
    "The AWS configuration has no such profile, or cannot be read",
    "Correct the option `profile`, `AWS_PROFILE` or the files; `aws configure list-profiles` shows what there is.",
)
_TLS = Meaning(
    StoreMisconfigured,
    "The certificate of the service is not trusted, or it does not speak TLS",
    "Check `endpoint_url` (`http` or `https`), and name the authority of a private certificate in `AWS_CA_BUNDLE`.",
)
FOREIGN = Meaning(
    StoreUnavailable,
    "Something else than S3 answered",
    "A proxy, a sign-in page or another kind of server is in between: check the network, and the option "
    "`endpoint_url`.",
    Create.UNCLEAR,
)
_FOREIGN_REFUSAL = replace(FOREIGN, create=Create.OVER)
_REDIRECTED = Meaning(
    StoreMisconfigured,
    "The service sends requests on to another address, which is not followed",
    "Check the options `endpoint_url` and `region`; if they are right, a proxy or a sign-in page is in between.",
)
_REFUSED = Meaning(
    StoreMisconfigured,
    "The service refused the request",
    "Check the setting, and that the service knows what Swamp asks of it: `swamp datastore check`.",
)

CODES = {
    "PreconditionFailed": Meaning(
        StoreUnavailable, "The service says that a record is there", create=Create.EXISTS
    ),
    "ConditionalRequestConflict": _CONFLICT,
    "OperationAborted": _CONFLICT,
    "NotImplemented": _NO_CONDITIONS,
    "SlowDown": _BUSY,
    "Throttling": _BUSY,
    "ThrottlingException": _BUSY,
    "TooManyRequests": _BUSY,
    "TooManyRequestsException": _BUSY,
    "RequestLimitExceeded": _BUSY,
    "NoSuchBucket": Meaning(StoreNotFound, "There is no such bucket"),
    "InvalidBucketName": Meaning(StoreMisconfigured, "The service does not take the name of the bucket"),
    "AccessDenied": _DENIED,
    "AllAccessDisabled": _DENIED,
    "InvalidAccessKeyId": _UNKNOWN_KEY,
    "SignatureDoesNotMatch": _UNKNOWN_KEY,
    "ExpiredToken": _RENEW,
    "ExpiredTokenException": _RENEW,
    "TokenRefreshRequired": _RENEW,
    "InvalidToken": _RENEW,
    "RequestTimeTooSkewed": Meaning(
        StoreAccessDenied,
        "The clock of this host is too far from the service's, so that its signature does not count",
        "Set the clock of this host, by NTP say.",
    ),
    "PermanentRedirect": _REGION,
    "TemporaryRedirect": _REGION,
    "AuthorizationHeaderMalformed": _REGION,
    "IllegalLocationConstraintException": _REGION,
    "InvalidObjectState": Meaning(
        StoreUnavailable,
        "The record was moved to an archive",
        "Restore it, and leave this prefix out of the bucket's lifecycle rules.",
    ),
    "KMS.DisabledException": _KMS,
    "KMS.NotFoundException": _KMS,
    "KMS.KMSInvalidStateException": _KMS,
    "BadDigest": _ALTERED,
    "IncompleteBody": _ALTERED,
    "XAmzContentSHA256Mismatch": _ALTERED,
    "QuotaExceeded": _FULL,
    "XMinioStorageFull": _FULL,
    "RequestTimeout": _FAILED,
}
STATUSES = {
    401: _UNKNOWN_KEY,
    403: _DENIED,
    404: _FOREIGN_REFUSAL,
    408: _FAILED,
    409: _CONFLICT,
    412: CODES["PreconditionFailed"],
    429: _BUSY,
    501: _NO_CONDITIONS,
    507: _FULL,
}
EXCEPTIONS: tuple[tuple[type[Exception], Meaning], ...] = (
    (
        sdk.NoCredentialsError,
        Meaning(
            StoreAccessDenied,
            "No AWS credentials were found",
            "Set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, name a profile (option `profile`, or `AWS_PROFILE`), "
            "or run where a role gives them.",
        ),
    ),
    (sdk.PartialCredentialsError, replace(_CREDENTIALS, detail="The credentials are not complete")),
    (sdk.SSOError, _SIGN_ON),
    (sdk.TokenRetrievalError, _SIGN_ON),
    (sdk.LoginError, _RENEW),
    (sdk.CredentialRetrievalError, _CREDENTIALS),
    (sdk.MetadataRetrievalError, _CREDENTIALS),
    (sdk.RefreshWithMFAUnsupportedError, _CREDENTIALS),
    (sdk.UnknownCredentialError, _CREDENTIALS),
    (sdk.InvalidConfigError, _CREDENTIALS),
    (
        sdk.MissingDependencyException,
        replace(_CREDENTIALS, hint="These credentials need one more package: pip install 'botocore[crt]'"),
    ),
    (sdk.ProfileNotFound, _PROFILE),
    (sdk.ConfigNotFound, _PROFILE),
    (sdk.ConfigParseError, _PROFILE),
    (sdk.EndpointConnectionError, _NO_CONNECTION),
    (
        sdk.ConnectTimeoutError,
        replace(_NO_CONNECTION, detail="The service{at} did not take a connection in time"),
    ),
    (sdk.ProxyConnectionError, replace(_NO_CONNECTION, detail="The network's proxy gave no connection")),
    (
        sdk.ReadTimeoutError,
        replace(
            _LOST,
            detail="The service{at} did not answer in time",
            hint="Check the network and the option `endpoint_url`, then try again.",
        ),
    ),
    (sdk.ResponseStreamingError, _CUT),
    (sdk.IncompleteReadError, _CUT),
    (sdk.FlexibleChecksumError, _CUT),
    (sdk.ConnectionError, _LOST),
    (sdk.HTTPClientError, _LOST),
    (HTTPError, _CUT),
    (ResponseParserError, FOREIGN),
    (OSError, _LOST),
    (sdk.BotoCoreError, _SETTING),
    (ValueError, _SETTING),
)
_OTHER = Meaning(
    StoreUnavailable, "The SDK failed", "See the cause; if it lasts, report it.", create=Create.UNCLEAR
)
_NO_CONTENT = 204
_NO_TLS = ("CERTIFICATE_VERIFY_FAILED", "WRONG_VERSION_NUMBER")
"""What OpenSSL says of a handshake that cannot succeed; nothing was sent then."""


def meaning_of(error: Exception) -> Meaning:
    """The table's line for what the SDK raised."""
    if isinstance(error, ClientError):
        return _of_reply(error)
    if isinstance(error, sdk.SSLError) and any(reason in str(error) for reason in _NO_TLS):
        return _TLS
    if isinstance(error, sdk.EndpointConnectionError) and _names_no_host(error):
        return _NO_HOST
    return next((meaning for type_, meaning in EXCEPTIONS if isinstance(error, type_)), _OTHER)


def store_error(error: Exception, verb: str) -> StoreError:
    """What the SDK raised, as a store's error whose cause it is."""
    meaning = meaning_of(error)
    action = ACTIONS.get(verb, "an action")
    code = code_of(error) if isinstance(error, ClientError) else type(error).__name__
    made = meaning.error(
        f"{meaning.detail.format(action=action, at=_at(error))} ({_shown(code)})",
        hint=meaning.hint.format(action=action) if meaning.hint else None,
    )
    made.__cause__ = error
    if isinstance(made, StoreAccessDenied):
        made.is_answer = isinstance(error, ClientError) and error.operation_name in _OUR_OPERATIONS
    return made


def create_reply(error: Exception) -> Reply:
    """What an attempt to create came to that ended in an exception; raised when no other attempt can help."""
    match meaning_of(error).create:
        case Create.EXISTS:
            return Exists()
        case Create.NOT_LANDED:
            made = store_error(error, "put_if_absent")
            assert isinstance(made, StoreUnavailable)
            return NotLanded(made)
        case Create.UNCLEAR:
            return Unclear(store_error(error, "put_if_absent"))
        case Create.OVER:
            raise store_error(error, "put_if_absent") from error


@contextmanager
def translated(verb: str) -> Iterator[None]:
    """Raise whatever the SDK raises within as a `StoreError`."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:  # The SDK promises no class of its own for what goes wrong in it.
        raise store_error(error, verb) from error


def foreign(what: str) -> StoreError:
    """A reply that S3 would not give."""
    return FOREIGN.error(f"{FOREIGN.detail}: {what}", hint=FOREIGN.hint)


def is_foreign(metadata: Mapping[str, Any]) -> bool:
    """Whether a reply is a web page that no S3 service signed with a header of its own."""
    headers: Mapping[str, str] = metadata.get("HTTPHeaders", {})
    is_page = headers.get("content-type", "").lower().startswith(("text/html", "application/xhtml"))
    return is_page and not _is_signed(headers)


def is_deleted(metadata: Mapping[str, Any]) -> bool:
    """Whether a success says that S3 deleted: by its status, or by a header of its own."""
    return metadata.get("HTTPStatusCode") == _NO_CONTENT or _is_signed(metadata.get("HTTPHeaders", {}))


def code_of(error: ClientError) -> str:
    """The service's code; the HTTP status where the reply has none, as the reply to a HEAD."""
    return str(error.response.get("Error", {}).get("Code") or _status_of(error))


def _is_signed(headers: Mapping[str, str]) -> bool:
    return any(name.startswith("x-amz") for name in headers)


def _of_reply(error: ClientError) -> Meaning:
    if error.operation_name not in _OUR_OPERATIONS:
        code = code_of(error)
        return _RENEW if code.startswith("ExpiredToken") else _CREDENTIALS
    status, known = _status_of(error), CODES.get(code_of(error))
    if known is _REGION:
        return _naming_region(error)
    if known is not None:
        return known
    stranger = is_foreign(error.response.get("ResponseMetadata", {}))
    if status >= 500:
        return STATUSES.get(status, FOREIGN if stranger else _FAILED)
    if stranger:
        return _FOREIGN_REFUSAL
    if status < 400:
        return _REDIRECTED
    return STATUSES.get(status, _REFUSED)


def _naming_region(error: ClientError) -> Meaning:
    answer: Mapping[str, Any] = error.response
    headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = str(answer["Error"].get("Region") or headers.get("x-amz-bucket-region") or "")
    if not region.replace("-", "").isalnum() or not region.isascii() or len(region) > 64:
        return _REGION
    return replace(
        _REGION,
        detail=f"The bucket is in the region `{region}`, and another one was asked",
        hint=f"Set the option `region`: `{region}`.",
    )


def _at(error: Exception) -> str:
    """Where the request went, as far as the SDK tells: not its path, which names a key."""
    url = urlsplit(str(getattr(error, "kwargs", {}).get("endpoint_url") or ""))
    return f" at {url.scheme}://{_shown(url.netloc)}" if url.netloc else ""


def _names_no_host(error: sdk.EndpointConnectionError) -> bool:
    cause = error.kwargs.get("error")
    return isinstance(cause, NameResolutionError) or type(cause).__name__ == "gaierror"


def _status_of(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _shown(code: str) -> str:
    return ascii(code)[1:-1].replace("{", "").replace("}", "")[:64]
