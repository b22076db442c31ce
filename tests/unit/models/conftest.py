"""Distributions that look installed: a module and its metadata in a directory on the path, gone after the test.

And methods of Python models to call: those of `releasing`, in a module that looks installed.
"""

import importlib
import itertools
import sys
import textwrap
import threading

import pytest
from swamp_core.models import installed as finding
from swamp_core.models.method import Invocation
from swamp_core.models.python_definition import PythonModel
from swamp_core.models.registry import call_of

from tests.unit.models.releasing import PATIENCE_S, SOURCE

NUMBERS = itertools.count()


@pytest.fixture
def install(tmp_path_factory, monkeypatch):
    """Install a module of this source: its name, which no other test uses."""
    monkeypatch.setattr(finding, "_found", {})
    before = set(sys.modules)

    def install(source, distribution="acme", version="1.2", **entry_points):
        module = f"acme_{next(NUMBERS)}"
        site = tmp_path_factory.mktemp("site")
        (site / f"{module}.py").write_text(textwrap.dedent(source), "utf-8")
        metadata = site / f"{distribution}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Name: {distribution}\nVersion: {version}\n")
        (metadata / "RECORD").write_text(f"{module}.py,,\n")
        lines = [f"{name.replace('__', '/')} = {module}:{value}" for name, value in entry_points.items()]
        (metadata / "entry_points.txt").write_text("\n".join(["[swamp.models]", *lines, ""]))
        monkeypatch.syspath_prepend(site)
        return module

    yield install
    for name in set(sys.modules) - before:
        if name.startswith("acme_"):
            del sys.modules[name]


@pytest.fixture
def repo(tmp_path):
    (tmp_path / "models").mkdir()
    return tmp_path


@pytest.fixture
def module(install):
    """The module of the models; a method that was left behind has returned before the next test begins."""
    yield importlib.import_module(install(SOURCE, acme__http="Http"))
    for thread in threading.enumerate():
        if thread.name == "swamp-method":
            thread.join(PATIENCE_S)


@pytest.fixture
def invocation(tmp_path):
    return lambda **inputs: Invocation("release", "run-1", "ship", "deploy", tmp_path, inputs)


@pytest.fixture
def call(module):
    def call(method, of="Releases", **fields):
        model = {"type": "python", "name": "release", "class": f"{module.__name__}:{of}", **fields}
        return call_of(PythonModel.from_json(model), method)

    return call


@pytest.fixture
def run(call, invocation):
    return lambda method, inputs=None, **of: call(method, **of).run(invocation(**inputs or {}))
