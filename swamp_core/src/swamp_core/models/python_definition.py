"""A model whose methods are those of an installed Python class: what its file says, and what a run pins of it.

Nothing here looks for the class, and the code of a model is never imported to read one: a run whose models are
not installed on a host can be shown and cancelled there like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from swamp_core.expressions import has_expression
from swamp_core.workflow.fields import Definition, Given, Name, Seconds, title_problem
from swamp_core.workflow.problems import Finding
from swamp_core.workflow.texts import texts

PYTHON = "python"
ENTRY_POINT_GROUP = "swamp.models"

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*\Z")


def _check_class(value: Any) -> Any:
    if isinstance(value, str) and (title_problem(value) or (":" in value and not _PATH.match(value))):
        message = f"must be a name from the entry points `{ENTRY_POINT_GROUP}`, or `package.module:Class`"
        raise PydanticCustomError("invalid_name", "{problem}", {"problem": message})
    return value


ClassName = Annotated[str, BeforeValidator(_check_class)]
"""Says which class: the name of an entry point of `swamp.models`, or `package.module:Class`."""


class _Installed(Definition):
    """What the fields of both types of file mean.

    `settings` are the fields of the object whose methods are called, which is then a pydantic model; it is made
    anew for each call. `timeout_s`, in seconds, ends a call that takes longer.
    """

    type: str
    name: Name
    description: str = ""
    settings: dict[str, Any] = Field(default={})
    timeout_s: Annotated[Seconds | None, Given] = Field(default=None, alias="timeout")


class PythonFile(_Installed):
    """A model file of `type: python`, which names the class."""

    type: Literal["python"]
    class_name: ClassName = Field(alias="class")

    @property
    def of_class(self) -> str:
        """The class, as `ClassName` says it."""
        return self.class_name


class ProvidedFile(_Installed):
    """A model file whose type is the name of an entry point of `swamp.models`."""

    @property
    def of_class(self) -> str:
        """The class, as `ClassName` says it."""
        return self.type


class Distribution(Definition):
    """The installed distribution that a class comes from."""

    name: str
    version: str


class PythonModel(_Installed):
    """A model of an installed class, as a run pins it.

    A type that an entry point provides has its name for the class. `distribution` is None where nobody asked, or
    nothing tells.
    """

    class_name: ClassName = Field(alias="class")
    distribution: Distribution | None = None


def file_findings(file: PythonFile | ProvidedFile) -> Iterator[Finding]:
    """What is wrong with a file beyond its form, as far as it can be told without its class."""
    for path, text in texts(file.settings):
        if has_expression(text):
            message = "`settings` are plain values, without expressions; give the method an input instead."
            yield Finding(("settings", *path), "expression_not_allowed", message)


def model_of_file(file: PythonFile | ProvidedFile, distribution: Distribution | None = None) -> PythonModel:
    """The model that the file declares."""
    model = PythonModel.from_json({**file.to_json(), "class": file.of_class})
    return model.model_copy(update={"distribution": distribution})
