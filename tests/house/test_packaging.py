"""What is built from this checkout works without it: the wheels, in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT

DISTRIBUTIONS = (
    "swamp_core",
    "swamp_store_local",
    "swamp_store_s3",
    "swamp_store_gcs",
    "contract_tests",
    ".",
)
TIMEOUT_S = 120.0

CALLER = """
from swamp_core import Refused, Swamp

def approve(repo: str, wait_id: str) -> str:
    try:
        return Swamp.open(repo).signal(wait_id, {"verdict": "ship"}).receipt.id
    except Refused as refused:
        return refused.code
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment in which the wheels are installed, and a directory to work in."""

    binaries: Path
    work: Path

    def run(self, *command: str, code: int = 0) -> str:
        """Run a command outside the checkout, and give its stdout."""
        environ = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SWAMP"))
        }
        ended = subprocess.run(
            command,
            cwd=self.work,
            env={**environ, "MYPYPATH": ""},
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        assert ended.returncode == code, f"{command}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def swamp(self, *words: str) -> Any:
        """Run `swamp` and give its JSON."""
        return json.loads(self.run(str(self.binaries / "swamp"), *words, "--json"))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel of each distribution."""
    directory = tmp_path_factory.mktemp("wheels")
    for distribution in DISTRIBUTIONS:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
        subprocess.run(command, cwd=ROOT / distribution, check=True, capture_output=True, timeout=TIMEOUT_S)
    return sorted(directory.iterdir())


@pytest.fixture(scope="module")
def installed(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheels, installed beside what they depend on, which is lent from this environment.

    A path file lends the packages without the path files among them, so that the sources are out of reach.
    """
    directory = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", directory / "env"], check=True)
    binaries = directory / "env" / "bin"
    python = str(binaries / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-qq", "--no-deps", "--no-index", *map(str, wheels)], check=True)
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    purelib = Path(subprocess.check_output(where, encoding="utf-8").strip())
    (purelib / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    (directory / "work").mkdir()
    return Installed(binaries, directory / "work")


def test_wheels_hold_what_they_need(wheels: list[Path]) -> None:
    """Each wheel has its marker of types and its data, the one of all has no code, and no wheel has tests of ours."""
    names = {wheel.name.split("-")[0]: set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels}
    packages = {
        "swamp_core",
        "swamp_store_contract",
        "swamp_store_local",
        "swamp_store_s3",
        "swamp_store_gcs",
    }
    assert set(names) == {"swamp", *packages}
    for package in packages:
        assert f"{package}/py.typed" in names[package]
    assert "swamp_core/app/templates/release_workflow.yaml" in names["swamp_core"]
    assert [name for name in names["swamp"] if ".dist-info/" not in name] == []
    assert any(name.endswith("licenses/LICENSE") for name in names["swamp"])
    assert [name for files in names.values() for name in files if name.startswith("tests/")] == []


def test_the_loop_works_from_wheels(installed: Installed) -> None:
    """Installed from wheels, with the sources out of reach, a workflow pauses, is signalled and goes on."""
    code = "import swamp_core, swamp_store_local, swamp_store_contract as c; print(swamp_core.__file__, c.__file__)"
    places = installed.run(str(installed.binaries / "python"), "-c", code).split()
    assert all(Path(place).is_relative_to(installed.binaries.parent) for place in places)
    offered = installed.swamp("datastore", "stores")["stores"]
    assert {each["type"] for each in offered if each["installed"]} == {"gcs", "local", "s3"}
    installed.swamp("init")
    suspended = installed.swamp("workflow", "run", "release", "--input", "env=dev")
    assert suspended["run"]["status"] == "suspended"
    wait_id = suspended["waits"][0]["waitId"]
    accepted = installed.swamp("workflow", "signal", wait_id, "--payload", '{"verdict":"ship"}')
    assert accepted["status"] == "accepted"
    assert installed.swamp("workflow", "resume", "release")["run"]["status"] == "succeeded"


def test_callers_are_type_checked(installed: Installed) -> None:
    """A caller's type checker sees the types of the installed package, and so a mistake in a call."""
    good, bad = installed.work / "good.py", installed.work / "bad.py"
    good.write_text(CALLER, encoding="utf-8")
    bad.write_text(CALLER.replace('{"verdict": "ship"}', "42"), encoding="utf-8")
    python = f"--python-executable={installed.binaries / 'python'}"
    mypy = [sys.executable, "-m", "mypy", python, "--strict", "--config-file=", "--no-error-summary"]
    assert installed.run(*mypy, str(good)) == ""
    told = installed.run(*mypy, str(bad), code=1)
    assert 'Argument 2 to "signal" of "Swamp" has incompatible type "int"' in told
