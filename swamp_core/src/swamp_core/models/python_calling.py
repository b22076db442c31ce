"""What a call of a Python model's method comes to, in the thread that carries it out: outputs, or why it failed.

The class is found, the inputs are read, the object is made and its method is called, in this order; so nothing of
the model's own code runs for a call that could not succeed. What that code raises is told and goes no further.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from swamp_core.models.context import MethodContext
from swamp_core.models.installed import NotInstalled, Unusable, find_class
from swamp_core.models.method import StepError
from swamp_core.models.python_definition import PythonModel
from swamp_core.models.python_methods import InvalidInput, PythonMethod, Unsupported, method_names, method_of
from swamp_core.models.python_objects import make
from swamp_core.models.python_outputs import outputs_of
from swamp_core.models.raised import told, traceback_tail
from swamp_core.models.script_outputs import InvalidOutput
from swamp_core.workflow.problems import did_you_mean, quoted


def call_method(
    model: PythonModel, method_name: str, inputs: Mapping[str, Any], context: MethodContext
) -> dict[str, Any] | StepError:
    """Call the method and give its outputs, or why there are none; whatever its code raises is such a reason."""
    try:
        return _call(model, method_name, inputs, context)
    except BaseException as error:  # even `SystemExit` ends no more than its step
        message = f"The method {quoted(method_name)} raised {told(error)}."
        return StepError("method_failed", message, {"traceback": traceback_tail(error)})


def _call(
    model: PythonModel, method_name: str, inputs: Mapping[str, Any], context: MethodContext
) -> dict[str, Any] | StepError:
    match find_class(model.class_name, model.distribution):
        case NotInstalled(message=message):
            return StepError("model_not_installed", message)
        case Unusable(message=message):
            return StepError("model_unusable", message)
        case owner:
            pass
    match method_of(owner, method_name):
        case None:
            suggestion = did_you_mean(method_name, method_names(owner))
            message = f"The class {quoted(model.class_name)} has no method {quoted(method_name)}{suggestion}"
            return StepError("unknown_method", message)
        case Unsupported(message=message):
            return StepError("unsupported_method", message)
        case method:
            pass
    try:
        arguments = method.arguments(inputs)
    except InvalidInput as error:
        return StepError("invalid_method_input", str(error), {"input": error.name})
    made = _made(owner, model)
    return made if isinstance(made, StepError) else _returned(made, method, arguments, context)


def _made(owner: type, model: PythonModel) -> Any:
    try:
        made = make(owner, model.settings)
    except BaseException as error:
        message = f"An object of {quoted(model.class_name)} could not be made: {told(error)}."
        return StepError("model_unusable", message, {"traceback": traceback_tail(error)})
    if isinstance(made, list):
        return StepError(
            "model_unusable", f"The settings of {quoted(model.name)} do not fit. {made[0].message}"
        )
    return made


def _returned(
    made: Any, method: PythonMethod, arguments: dict[str, Any], context: MethodContext
) -> dict[str, Any] | StepError:
    if method.context is not None:
        arguments = {**arguments, method.context: context}
    returned = getattr(made, method.name)(**arguments)
    try:
        return outputs_of(returned)
    except InvalidOutput as error:
        return StepError(error.code, str(error))
