"""The methods of a class that a step can call, and what each takes: read from its signature, once.

A method's inputs are JSON values, and become what its parameters are annotated with, or are refused: nothing is
coerced ("5" is no `int`), and no unknown input is let go. Nothing here calls a method.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from swamp_core.models.context import MethodContext
from swamp_core.models.raised import told
from swamp_core.payload.values import compact
from swamp_core.workflow.problems import did_you_mean, quoted
from swamp_core.workflow.validation import MethodInputs

_PROBLEMS_TOLD_MAX = 3

_NOT_OURS = ("abc", "builtins", "pydantic.main", "typing")
"""Modules whose classes add no methods to a model."""


class InvalidInput(ValueError):
    """An input that a method needs is not there, is unknown, or has a value that it cannot have."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A step cannot call the method; the message is a sentence that says why."""

    message: str


@dataclass(frozen=True, slots=True)
class PythonMethod:
    """A method that a step can call. `context` is its parameter for a `MethodContext`, if it has one.

    `others` reads the inputs that no parameter is named after; it is None where there must be none.
    """

    name: str
    parameters: Mapping[str, TypeAdapter[Any]]
    required: tuple[str, ...]
    others: TypeAdapter[Any] | None
    context: str | None

    def arguments(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that the inputs stand for. Raises `InvalidInput`."""
        for name in self.required:
            if name not in inputs:
                raise InvalidInput(name, f"The method {quoted(self.name)} needs the input {quoted(name)}.")
        return {name: self._read(name, value) for name, value in inputs.items()}

    def inputs(self) -> MethodInputs:
        """What the method takes, for the validation of workflows."""
        return MethodInputs(tuple(self.parameters), self.required, self.others is not None, self._problem)

    def _problem(self, name: str, value: Any) -> str | None:
        try:
            self._read(name, value)
        except InvalidInput as error:
            return str(error)
        return None

    def _read(self, name: str, value: Any) -> Any:
        adapter = self.parameters.get(name, self.others)
        if adapter is None:
            suggestion = did_you_mean(name, self.parameters)
            raise InvalidInput(
                name, f"The method {quoted(self.name)} takes no input {quoted(name)}{suggestion}"
            )
        try:
            return adapter.validate_json(compact(value), strict=True)
        except ValidationError as error:
            problem = _sentence(error)
        except Exception as error:  # whatever a validator of the class raises
            problem = told(error)
        raise InvalidInput(
            name, f"The method {quoted(self.name)} cannot take this input {quoted(name)}: {problem}."
        )


@cache
def method_names(owner: type) -> tuple[str, ...]:
    """The public methods of the class, its own and those of the classes that it was derived from."""
    bases = [each for each in owner.__mro__ if each.__module__ not in _NOT_OURS]
    names = dict.fromkeys(name for each in reversed(bases) for name in vars(each) if _is_public(name))
    return tuple(name for name in names if _is_method(getattr(owner, name, None)))


@cache
def method_of(owner: type, name: str) -> PythonMethod | Unsupported | None:
    """The public method of that name, None if the class has none."""
    if name not in method_names(owner):
        return None
    called = quoted(f"{owner.__qualname__}.{name}")
    function = getattr(owner, name)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return Unsupported(f"The method {called} is asynchronous, and a step calls plain methods only.")
    try:
        parameters = _parameters(owner, name)
        return _method(name, parameters)
    except Exception as error:  # an annotation is code too, and need not be a type that pydantic knows
        return Unsupported(f"A step cannot call the method {called}: {told(error)}.")


def _is_public(name: str) -> bool:
    return not name.startswith("_") and name != "model_post_init"


def _is_method(value: Any) -> bool:
    return inspect.isroutine(value) and callable(value)


def _parameters(owner: type, name: str) -> list[inspect.Parameter]:
    signature = inspect.signature(getattr(owner, name), eval_str=True)
    parameters = list(signature.parameters.values())
    is_bound = isinstance(inspect.getattr_static(owner, name), staticmethod | classmethod)
    return parameters if is_bound else parameters[1:]


def _method(name: str, parameters: list[inspect.Parameter]) -> PythonMethod:
    taken: dict[str, TypeAdapter[Any]] = {}
    required: list[str] = []
    others: TypeAdapter[Any] | None = None
    context: str | None = None
    for each in parameters:
        if each.annotation is MethodContext or MethodContext in get_args(each.annotation):
            context = each.name
        elif each.kind is inspect.Parameter.VAR_KEYWORD:
            others = _adapter(each)
        elif each.kind is not inspect.Parameter.VAR_POSITIONAL:
            taken[each.name] = _adapter(each)
            if each.default is inspect.Parameter.empty:
                required.append(each.name)
    return PythonMethod(name, taken, tuple(required), others, context)


def _adapter(parameter: inspect.Parameter) -> TypeAdapter[Any]:
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise TypeError(
            f"its parameter {parameter.name} can only be given by position, and inputs have names"
        )
    if isinstance(parameter.default, FieldInfo):
        raise TypeError(f"write the parameter {parameter.name} as `Annotated[TYPE, Field(…)]`")
    is_typed = parameter.annotation is not inspect.Parameter.empty
    return TypeAdapter(parameter.annotation if is_typed else Any)


def _sentence(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    sentences = []
    for each in problems[:_PROBLEMS_TOLD_MAX]:
        place = ".".join(map(str, each["loc"]))
        sentences.append(each["msg"].rstrip(".") + (f" at {quoted(place)}" if place else ""))
    more = len(problems) - len(sentences)
    return "; ".join(sentences) + (f"; and {more} more" if more else "")
