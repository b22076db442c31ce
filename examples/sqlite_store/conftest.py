"""What `pip install .` would do for this example, so that its suite runs in a checkout that did not install it.

A store of your own needs none of this: install it, and `open_store` finds it.
"""

from __future__ import annotations

import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for the Python path, in which the distribution says which entry points it has."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    directory = tmp_path_factory.mktemp("installed")
    information = directory / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    information.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (information / "METADATA").write_text(metadata, encoding="utf-8")
    entry_points = ConfigParser()
    entry_points.read_dict(project["entry-points"])
    with (information / "entry_points.txt").open("w", encoding="utf-8") as file:
        entry_points.write(file)
    return directory


@pytest.fixture(autouse=True)
def as_installed(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The distribution is found here and, by the path that a worker of the suite inherits, in other processes."""
    monkeypatch.syspath_prepend(installed)
    monkeypatch.syspath_prepend(HERE)
