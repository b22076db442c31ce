"""What belongs to the type of a model: how a pinned model is read back, and what carries its methods out.

Whoever starts a step asks here and need not know the types.
"""

from __future__ import annotations

from typing import Any

from swamp_core.models.definition import SHELL, Model, ShellModel
from swamp_core.models.method import MethodCall
from swamp_core.models.python_definition import PythonModel
from swamp_core.models.shell import ShellCall


def model_from_json(value: Any) -> Model:
    """The model that was pinned with `to_json`; raises `pydantic.ValidationError`, a `ValueError`."""
    if isinstance(value, dict) and value.get("type", SHELL) != SHELL:
        return PythonModel.from_json(value)
    return ShellModel.from_json(value)


def lacks_method(model: Model, method_name: str) -> bool:
    """Whether the model is known to have no such method. What an installed class has is found out by the call."""
    return isinstance(model, ShellModel) and method_name not in model.methods


def call_of(model: Model, method_name: str) -> MethodCall:
    """A call of the method, not started yet; raises `KeyError` if the model is known to have no such method."""
    if isinstance(model, PythonModel):
        from swamp_core.models.python import (
            PythonCall,
        )  # whoever only shows or cancels a run needs none of it

        return PythonCall(model, method_name)
    return ShellCall(model.methods[method_name])
