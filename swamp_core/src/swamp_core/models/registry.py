"""What belongs to the type of a model: how a pinned model is read back, and what carries its methods out.

The one type so far is `command/shell`; whoever starts a step asks here and need not know it.
"""

from __future__ import annotations

from typing import Any

from swamp_core.models.definition import Model, ShellModel
from swamp_core.models.method import MethodCall
from swamp_core.models.shell import ShellCall


def model_from_json(value: Any) -> Model:
    """The model that was pinned with `to_json`; raises `pydantic.ValidationError`, a `ValueError`."""
    return ShellModel.from_json(value)


def call_of(model: Model, method_name: str) -> MethodCall:
    """A call of the method, not started yet; raises `KeyError` if the model has no such method."""
    return ShellCall(model.methods[method_name])
