"""Distributions that look installed: a module and its metadata in a directory on the path, gone after the test."""

import itertools
import sys
import textwrap

import pytest
from swamp_core.models import installed as finding

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
