"""What Cloud Storage and the way to it say, as a store's errors: one table, read in one place, the cause kept.

The table has two parts: what was answered, by status and words, and what was raised when nothing was. A line
says whether a create may have been stored all the same (`in_doubt`). What no line knows is `StoreUnavailable`,
in doubt: nothing that is not understood ever becomes an answer. Statuses and their words are those of
https://cloud.google.com/storage/docs/json_api/v1/status-codes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from http.client import HTTPException
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Literal
from urllib.parse import urlsplit

from google.api_core.exceptions import GoogleAPICallError, NotFound
from google.auth.exceptions import (
    DefaultCredentialsError,
    GoogleAuthError,
    RefreshError,
    TransportError,
)
from google.cloud.storage.exceptions import DataCorruption  # type: ignore[import-untyped]
from requests import exceptions as http
from swamp_core.store.errors import (
    ConditionalWritesUnsupported,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NameResolutionError, NewConnectionError

Verb = Literal["put_if_absent", "get", "list", "delete"]

ACTIONS: dict[Verb | None, str] = {
    "put_if_absent": "storage.objects.create",
    "get": "storage.objects.get",
    "list": "storage.objects.list",
    "delete": "storage.objects.delete",
    None: "storage.objects",
}
_NO_SUCH_OBJECT = "No such object"
"""What Cloud Storage says of an object that is not there, in JSON and, where the bytes were asked for, as a line."""
_NOT_SAID = r"\s*\{\s*\"error\"|Not Found\s*\Z"
"""How its emulator words a 404, whatever is missing. A gateway may well say the same, and means itself."""
_OF_THE_BUCKET = r"bucket|\"domain\"\s*:\s*\"global\""
"""What is in a 404 to a listing or a create: Cloud Storage's own words, or the form of its errors without any."""
_ACTION_NAMED = re.compile(r"\bstorage\.[a-z]+\.[a-zA-Z]+\b")


class NotTheService(Exception):
    """A reply with a good status that lacks what Cloud Storage always says: something else sent it."""


class Missing(Enum):
    """What is not there, when the answer is 404."""

    THE_OBJECT = "the object"
    SOMETHING_ELSE = "the bucket, or the whole service"
    NOT_SAID = "one of them, or the way to the service"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a failure means for the caller.

    The class, what happened, what to do (None: as the class), and whether a create may have been stored.
    """

    error: type[StoreError]
    detail: str
    hint: str | None = None
    in_doubt: bool = False


_PROVIDE = (
    "Run `gcloud auth application-default login`, or let GOOGLE_APPLICATION_CREDENTIALS name the file of a "
    "service account's key."
)
_RENEW = (
    "Renew them with `gcloud auth application-default login`, or replace the service account's key; if they are "
    "new, set this machine's clock."
)
_ON_THE_WAY = (
    "Look for a proxy or a sign-in page between here and the service, and check `endpoint_url` if it is set."
)
_WEB_PAGE = "A web page came back where Cloud Storage answers otherwise"
_UNREADABLE = Meaning(StoreUnavailable, "The reply is not one of Cloud Storage", _ON_THE_WAY, in_doubt=True)
_UNREACHABLE = Meaning(
    StoreUnavailable,
    "No connection to Cloud Storage{at} could be made",
    "Check the network and `endpoint_url`, then try again.",
)

_SILENT = replace(_UNREACHABLE, detail="Cloud Storage{at} did not take a connection in time")
_NO_CONDITIONS = Meaning(
    ConditionalWritesUnsupported, "The service cannot create an object only if it is absent"
)

ANSWERS: tuple[tuple[range, str, Meaning], ...] = (
    (range(400, 401), r"(?i)\A(?!\s*<)[\s\S]*not.?implemented", _NO_CONDITIONS),
    (range(501, 502), r"\A(?!\s*<)", _NO_CONDITIONS),
    (
        range(429, 430),
        "",
        Meaning(
            StoreUnavailable,
            "Cloud Storage was asked too much: one object takes one write a second",
            "Try again in a moment.",
        ),
    ),
    (range(500, 600), r"\A\s*<", Meaning(StoreUnavailable, _WEB_PAGE, _ON_THE_WAY, in_doubt=True)),
    (range(300, 500), r"\A\s*<", Meaning(StoreMisconfigured, _WEB_PAGE, _ON_THE_WAY)),
    (
        range(400, 401),
        r"(?i)requester.?pays|user.?project",
        Meaning(
            StoreMisconfigured,
            "The bucket bills whoever asks (requester pays), and no project to bill is named",
            "Name one in the datastore setting, as `project`.",
        ),
    ),
    (
        range(400, 401),
        r"(?i)crc32c|md5|checksum",
        Meaning(StoreUnavailable, "The record was damaged on its way, and Cloud Storage refused it"),
    ),
    (
        range(401, 402),
        "",
        Meaning(
            StoreAccessDenied,
            "Cloud Storage does not accept the credentials",
            f"{_RENEW} To an `endpoint_url` with http:// none are sent.",
        ),
    ),
    (
        range(403, 404),
        r"(?i)rateLimitExceeded|quotaExceeded",
        Meaning(StoreUnavailable, "A quota of the project is used up", "Wait, or raise the quota."),
    ),
    (
        range(403, 404),
        r"(?i)billing|accountDisabled",
        Meaning(
            StoreAccessDenied,
            "The project's billing account is closed or missing",
            "Enable billing for the project that the bucket, or `project`, belongs to.",
        ),
    ),
    (
        range(403, 404),
        r"serviceusage\.services\.use|(?i:USER_PROJECT_DENIED)",
        Meaning(
            StoreAccessDenied,
            "These credentials may not bill the project",
            "Grant them serviceusage.services.use on it, or correct `project` in the datastore setting.",
        ),
    ),
    (
        range(403, 404),
        r"(?i)accessNotConfigured|SERVICE_DISABLED",
        Meaning(
            StoreAccessDenied,
            "The Cloud Storage API is not enabled for the project",
            "Run `gcloud services enable storage.googleapis.com` for it.",
        ),
    ),
    (
        range(403, 404),
        r"(?i)retention|\bhold\b",
        Meaning(
            StoreAccessDenied,
            "The bucket does not let its objects go yet",
            "Give the datastore a bucket without a retention policy and without holds.",
        ),
    ),
    (
        range(403, 404),
        r"(?i)vpcServiceControls|SECURITY_POLICY_VIOLATED",
        Meaning(
            StoreAccessDenied,
            "A VPC Service Controls perimeter keeps the bucket from this machine",
            "Work from inside the perimeter, or let it admit this access.",
        ),
    ),
    (
        range(403, 404),
        "",
        Meaning(
            StoreAccessDenied,
            "These credentials lack the permission {action}",
            "Grant {action} on the bucket; the role Storage Object User has all that Swamp needs.",
        ),
    ),
    (range(404, 405), rf"\A(?![\s\S]*(?:{_OF_THE_BUCKET}))", _UNREADABLE),
    (
        range(404, 405),
        "",
        Meaning(
            StoreNotFound,
            "There is no such bucket",
            "Create it, or correct its name in the datastore setting.",
        ),
    ),
    (
        range(407, 408),
        "",
        Meaning(
            StoreMisconfigured, "The HTTP proxy wants credentials", "Correct HTTPS_PROXY in the environment."
        ),
    ),
    (range(408, 409), "", Meaning(StoreUnavailable, "The request took too long to arrive", in_doubt=True)),
    (range(409, 410), "", Meaning(StoreUnavailable, "Cloud Storage was busy with the same object")),
    (range(500, 600), "", Meaning(StoreUnavailable, "Cloud Storage failed", in_doubt=True)),
    (
        range(300, 500),
        "",
        Meaning(
            StoreMisconfigured,
            "Cloud Storage refused the request",
            "Check the bucket's name and `endpoint_url` in the datastore setting.",
        ),
    ),
)

FAILURES: tuple[tuple[type[BaseException], Meaning], ...] = (
    (RefreshError, Meaning(StoreAccessDenied, "The credentials expired or were revoked", _RENEW)),
    (
        DefaultCredentialsError,
        Meaning(StoreAccessDenied, "No usable Google credentials were found", _PROVIDE),
    ),
    (
        TransportError,
        replace(_UNREACHABLE, detail="The server that renews the credentials cannot be reached"),
    ),
    (GoogleAuthError, Meaning(StoreAccessDenied, "The Google credentials cannot be used", _PROVIDE)),
    (
        SSLCertVerificationError,
        Meaning(
            StoreMisconfigured,
            "The certificate of the service is not trusted",
            "If a proxy of your own signs it, let REQUESTS_CA_BUNDLE name its certificate.",
        ),
    ),
    (NameResolutionError, replace(_UNREACHABLE, detail="The name of the service{at} cannot be looked up")),
    (NewConnectionError, _UNREACHABLE),
    (ConnectTimeoutError, _SILENT),
    (http.ConnectTimeout, _SILENT),
    (http.ProxyError, replace(_UNREACHABLE, detail="The HTTP proxy of the environment cannot be used")),
    (
        http.InvalidURL,
        Meaning(StoreMisconfigured, "The address of the service is no URL", "Correct `endpoint_url`."),
    ),
    (http.Timeout, replace(_SILENT, detail="Cloud Storage{at} did not answer in time", in_doubt=True)),
    (
        http.TooManyRedirects,
        Meaning(
            StoreMisconfigured,
            "The service{at} sends requests on to another address, which is not followed",
            "Check `endpoint_url`; if it is right, a proxy or a sign-in page is in between.",
        ),
    ),
    (
        DataCorruption,
        Meaning(StoreUnavailable, "What was read has another checksum than what is stored", in_doubt=True),
    ),
    (http.JSONDecodeError, _UNREADABLE),
    (http.RequestException, Meaning(StoreUnavailable, "The connection broke", in_doubt=True)),
    (HTTPError, Meaning(StoreUnavailable, "The connection broke", in_doubt=True)),
    (HTTPException, Meaning(StoreUnavailable, "The connection broke", in_doubt=True)),
    (OSError, Meaning(StoreUnavailable, "The connection broke", in_doubt=True)),
)


def meaning_of(error: BaseException, verb: Verb | None) -> Meaning:
    """The table's line for what the SDK raised, with the permission that is missing named in it."""
    if isinstance(error, GoogleAPICallError) and error.code is not None:
        return _meaning_of_answer(int(error.code), _words_of(error), verb)
    if isinstance(error, RefreshError) and error.retryable:
        return replace(_UNREACHABLE, detail="The credentials could not be renewed just now")
    layers = tuple(_layers(error))
    for kind, meaning in FAILURES:
        if any(isinstance(layer, kind) for layer in layers):
            return meaning
    return _UNREADABLE


def missing(error: NotFound) -> Missing:
    """What a 404 speaks of: Cloud Storage says it in words, an emulator may not, and a proxy means itself."""
    words = _words_of(error)
    if _NO_SUCH_OBJECT in words:
        return Missing.THE_OBJECT
    if re.match(_NOT_SAID, words) and "bucket does not exist" not in words:
        return Missing.NOT_SAID
    return Missing.SOMETHING_ELSE


def store_error(error: BaseException, verb: Verb | None) -> StoreError:
    """What the SDK raised, as the store's own error."""
    meaning = meaning_of(error, verb)
    raised = meaning.error(meaning.detail.format(at=_at(error)), operation=verb, hint=meaning.hint)
    raised.__cause__ = error
    if isinstance(raised, StoreAccessDenied):
        raised.is_answer = isinstance(error, GoogleAPICallError)
    return raised


def unusable_file(path: str) -> StoreAccessDenied:
    """What is said of a file of credentials that the environment names: where it is, and never what is in it."""
    if not Path(path).exists():
        problem = "is not there"
    elif Path(path).is_dir():
        problem = "is a directory"
    elif not os.access(path, os.R_OK):
        problem = "may not be read"
    else:
        problem = "holds no usable Google credentials"
    return StoreAccessDenied(
        f"`{ascii(path)[1:-1]}`, which GOOGLE_APPLICATION_CREDENTIALS names, {problem}",
        hint="Let it name the JSON file of a service account's key, or unset it and run "
        "`gcloud auth application-default login`.",
    )


@contextmanager
def translated(verb: Verb | None) -> Iterator[None]:
    """Raise whatever the SDK raises within as a `StoreError`."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise store_error(error, verb) from error


def _meaning_of_answer(status: int, words: str, verb: Verb | None) -> Meaning:
    for statuses, pattern, meaning in ANSWERS:
        if meaning is _NO_CONDITIONS and verb != "put_if_absent":
            continue
        if status in statuses and re.search(pattern, words):
            named = _ACTION_NAMED.search(words)
            action = named.group() if named else ACTIONS[verb]
            hint = meaning.hint and meaning.hint.format(action=action)
            detail = f"{meaning.detail.format(action=action)} (status {status})"
            return replace(meaning, detail=detail, hint=hint)
    return _UNREADABLE


def _words_of(error: GoogleAPICallError) -> str:
    """The body of the reply that the SDK raised, or what the SDK says of it."""
    text = getattr(error.response, "text", None)
    return text if isinstance(text, str) else str(error.message)


def _at(error: BaseException) -> str:
    """Where the request went, as far as the SDK tells: not its path, which names a key."""
    url = urlsplit(getattr(getattr(error, "request", None), "url", None) or "")
    return f" at {url.scheme}://{ascii(url.netloc)[1:-1]}" if url.netloc else ""


def _layers(error: BaseException) -> Iterator[BaseException]:
    """The error and those that it was made of: the SDK's libraries put each other's into arguments."""
    yield error
    inner = getattr(error, "reason", None) or next(iter(error.args), None)
    if isinstance(inner, BaseException):
        yield from _layers(inner)
