"""What can go wrong with a store, by what the caller does next.

One tree for all backends. Each error carries the operation, the key and the store's name, never a credential,
and its text says what happened, where, and what to do. A lost race is `False` and an absent record is `None`:
neither is an error, and no failure ever turns into `False`, `None` or an empty listing. The cause stays on
`__cause__`.
"""

from __future__ import annotations

from typing import ClassVar


class StoreError(Exception):
    """The store could not do what was asked; a subclass says what that means for the caller.

    `detail` is one sentence without its full stop. `hint` says what to do next; each class has a default.
    """

    code: ClassVar[str] = "store_error"
    default_hint: ClassVar[str] = "See the cause, then try again."

    def __init__(
        self,
        detail: str,
        *,
        operation: str | None = None,
        key: str | None = None,
        store: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.operation = operation
        self.key = key
        self.store = store
        self.hint = hint or self.default_hint

    def advise(self, how: str) -> None:
        """Say how to go on: after the hint of the cause, which stays, but in place of the default of the class."""
        self.hint = how if self.hint == self.default_hint else f"{self.hint}\n{how}"

    def __str__(self) -> str:
        where = "".join(
            part
            for part in (
                f" {self.operation}" if self.operation else "",
                f" `{self.key}`" if self.key else "",
                f" in {self.store}" if self.store else "",
            )
        )
        return f"{self.detail}{f' (at{where})' if where else ''}. {self.hint}"


class InvalidKey(StoreError):
    """The key or prefix breaks the key rules. Nothing was sent to the store; correct the key."""

    code = "invalid_key"
    default_hint = (
        "A key is `/`-joined segments of a-z, 0-9, `.`, `_` and `-`, at most 128 bytes each and 512 in all."
    )


class RecordTooLarge(StoreError):
    """The record is over the size limit.

    Of a create, nothing was sent to the store: store less. What is read and is that large was stored by something else
    than Swamp: it is no record, and not absent either (see `swamp_core.store.reads`).
    """

    code = "record_too_large"
    default_hint = "A record is at most 16 MiB."


class StoreUnavailable(StoreError):
    """Network, throttling, a full disk or a server's own failure, after retries.

    The operation may be tried again.

    A create that raises this is known not to have been stored by this call.
    """

    code = "store_unavailable"
    default_hint = "Try again; if it lasts, check that the store can be reached and has room."


class StoreAccessDenied(StoreError):
    """The store refused the operation to these credentials, or there are none.

    Nothing changed; grant the right that is missing. `is_answer` is whether the service said so: false where
    nothing was asked of it, because there are no usable credentials to ask with.
    """

    is_answer: bool = True
    code = "store_access_denied"
    default_hint = "Grant this user the right to read, create, list and delete there."


class StoreNotFound(StoreError):
    """There is no such bucket or directory. Nothing changed; create it or correct the configuration."""

    code = "store_not_found"
    default_hint = "Create it, or correct the datastore setting."


class StoreMisconfigured(StoreError):
    """The datastore setting cannot be used: a bad or unknown option, an unknown type, a missing SDK."""

    code = "store_misconfigured"
    default_hint = "Correct the datastore setting."


class ConditionalWritesUnsupported(StoreError):
    """The backend cannot make a create atomic, or lets a second create win.

    There is no fallback; choose another.
    """

    code = "conditional_writes_unsupported"
    default_hint = "Do not use this store; choose one that can create a record only if it is absent."


class OutcomeUnknown(StoreError):
    """A create may or may not have landed, and time ran out before it could be learned.

    Certain: the record, if it is there, is whole, and nobody else was told that this create is theirs. Not
    certain: whether it is there. Do not take it for lost: read the record, or repeat the create and decide by
    an identity inside the record. `put_id` is the one that this call sent.
    """

    code = "outcome_unknown"
    default_hint = "Repeat the command: it is safe, and the answer will then be known."

    def __init__(
        self,
        detail: str,
        *,
        put_id: str,
        operation: str | None = "put_if_absent",
        key: str | None = None,
        store: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(detail, operation=operation, key=key, store=store, hint=hint)
        self.put_id = put_id
