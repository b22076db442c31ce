"""After which end of its dependency a step or job goes on: the conditions, and the one function that decides.

A condition is asked only once the dependency has ended, and a dependency ends in one of three ways:
succeeded, failed or skipped. A step that failed has failed for its dependents, whatever its `allowFailure`
means to the job.
"""

from __future__ import annotations

from typing import Annotated, Literal, assert_never

from pydantic import Field

from swamp_core.workflow.fields import Definition, Tagged

EndStatus = Literal["succeeded", "failed", "skipped"]


class End(Definition):
    """The dependency ended so: `completed` is succeeded or failed, that is, it ran; `always` is any end."""

    type: Literal["always", "succeeded", "failed", "completed", "skipped"]


class AllOf(Tagged):
    """Each of the conditions holds."""

    type: Literal["and"] = "and"
    conditions: Annotated[tuple[Condition, ...], Field(strict=False, min_length=1)]


class AnyOf(Tagged):
    """At least one of the conditions holds."""

    type: Literal["or"] = "or"
    conditions: Annotated[tuple[Condition, ...], Field(strict=False, min_length=1)]


class Not(Tagged):
    """The condition does not hold."""

    type: Literal["not"] = "not"
    condition: Condition


Condition = Annotated[End | AllOf | AnyOf | Not, Field(discriminator="type")]

AllOf.model_rebuild()
AnyOf.model_rebuild()
Not.model_rebuild()


def holds(condition: Condition, status: EndStatus) -> bool:
    """Whether the condition holds for a dependency that ended with the status."""
    match condition:
        case End(type="always"):
            return True
        case End(type="completed"):
            return status != "skipped"
        case End(type=wanted):
            return status == wanted
        case AllOf(conditions=parts):
            return all(holds(part, status) for part in parts)
        case AnyOf(conditions=parts):
            return any(holds(part, status) for part in parts)
        case Not(condition=part):
            return not holds(part, status)
        case _ as never:
            assert_never(never)


_ENDS = {
    "always": "has ended",
    "succeeded": "succeeded",
    "failed": "failed",
    "completed": "succeeded or failed",
    "skipped": "was skipped",
}


def described(condition: Condition) -> str:
    """The condition as the end of a sentence whose subject is the dependency."""
    match condition:
        case End(type=wanted):
            return _ENDS[wanted]
        case AllOf(conditions=parts):
            return " and ".join(f"({described(part)})" for part in parts)
        case AnyOf(conditions=parts):
            return " or ".join(f"({described(part)})" for part in parts)
        case Not(condition=part):
            return f"not ({described(part)})"
        case _ as never:
            assert_never(never)
