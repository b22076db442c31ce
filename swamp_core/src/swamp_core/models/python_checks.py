"""What is wrong with a Python model, and what its methods take, as its class says: for the validation of files.

Both import the class; see `installed`.
"""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.models.installed import NotInstalled, Unusable, find_class
from swamp_core.models.python_definition import ProvidedFile, PythonFile, PythonModel
from swamp_core.models.python_methods import PythonMethod, Unsupported, method_names, method_of
from swamp_core.models.python_objects import settings_findings
from swamp_core.workflow.problems import Finding
from swamp_core.workflow.validation import ModelInfo


def class_findings(file: PythonFile | ProvidedFile) -> Iterator[Finding]:
    """What keeps the file's class from being used with the file's settings."""
    path = ("class",) if isinstance(file, PythonFile) else ("type",)
    match find_class(file.of_class):
        case NotInstalled(message=message):
            yield Finding(path, "model_not_installed", message)
        case Unusable(message=message):
            yield Finding(path, "model_unusable", message)
        case owner:
            yield from settings_findings(owner, file.settings)


def class_info(model: PythonModel) -> ModelInfo:
    """The methods of the model's class, which steps can call, and what these take."""
    owner = find_class(model.class_name, model.distribution)
    if not isinstance(owner, type):
        return ModelInfo(methods=None)
    names = method_names(owner)
    methods = {name: method_of(owner, name) for name in names}
    return ModelInfo(
        names,
        inputs={name: each.inputs() for name, each in methods.items() if isinstance(each, PythonMethod)},
        unusable={name: each.message for name, each in methods.items() if isinstance(each, Unsupported)},
    )
