"""The house rules hold in everything that is shipped, and each rule is seen to catch what it bans."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.house.rules import LINES_MAX, RULES, SOURCES, Breach, breaches, modules

GENERATED = {"__pycache__", "build", "dist", "node_modules"}
OWN_HIDDEN = {".ci", ".gitignore", ".github"}

REGISTRIES = ("py" + "pi.org", "python" + "hosted", "index-" + "url", "find-" + "links")
MACHINE_PATH = re.compile(r"/(?:wo" + r"rk|ro" + r"ot|Us" + r"ers|opt)/|/ho" + r"me/(?!alice)")


def all_breaches() -> list[Breach]:
    """Every line in what is shipped that breaks a rule, exempt or not."""
    return [
        breach
        for path in modules()
        for breach in breaches(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]


def test_nothing_banned_is_shipped() -> None:
    """What is banned stands in no module but those that are exempt, each with its reason."""
    found = [str(breach) for breach in all_breaches() if breach.file not in breach.rule.exempt]
    assert found == [], "\n".join(["", *found])


def test_no_exemption_is_stale() -> None:
    """An exemption that is no longer needed is taken away."""
    used = {(breach.rule.name, breach.file) for breach in all_breaches()}
    assert [
        (rule.name, file) for rule in RULES for file in rule.exempt if (rule.name, file) not in used
    ] == []


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("now = datetime.now(UTC)", "the real clock"),
        ("now = datetime.datetime.utcnow()", "the real clock"),
        ("import time", "the module time"),
        ("from time import sleep", "the module time"),
        ("import random", "randomness"),
        ("from secrets import token_hex", "randomness"),
        ("salt = os.urandom(8)", "randomness of the system"),
        ("from uuid import uuid4", "the module uuid"),
        ("print('done')", "print"),
        ("import boto3", "an SDK"),
        ("from google.cloud import storage", "an SDK"),
    ],
)
def test_each_ban_is_seen(line: str, rule: str) -> None:
    """A line that breaks a rule is told with its file, its number and the substitute."""
    (breach,) = breaches("some/module.py", f"x = 1\n{line}\n")
    assert (breach.rule.name, breach.line) == (rule, 2)
    assert str(breach).startswith(f"some/module.py:2: {rule} is banned here; ")


@pytest.mark.parametrize(
    "line", ["from datetime import datetime", "console.print(1)", "import timeit", "clock.now()"]
)
def test_what_only_looks_banned_is_left_alone(line: str) -> None:
    """A name that merely resembles a banned one breaks nothing."""
    assert list(breaches("some/module.py", line)) == []


def test_modules_are_small() -> None:
    """No module that is shipped has more than 400 lines."""
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in modules()
    }
    assert len(lengths) > 100
    assert {path: length for path, length in lengths.items() if length > LINES_MAX} == {}


def test_modules_say_what_they_are_for() -> None:
    """Each module opens with a paragraph, which ruff asks for as well, but for empty ones."""
    silent = [path for path in modules() if not path.read_text(encoding="utf-8").startswith(('"""', 'r"""'))]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


def test_packages_are_typed() -> None:
    """Each package that is shipped says that it is typed."""
    packages = [each for source in [*SOURCES, ROOT / "contract_tests/src"] for each in source.iterdir()]
    packages = [each for each in packages if each.is_dir() and not each.name.endswith(".egg-info")]
    assert len(packages) >= 3
    assert [each.name for each in packages if not (each / "py.typed").is_file()] == []


def own_files() -> Iterator[Path]:
    """Every file of the checkout that somebody wrote."""
    for directory, names, files in os.walk(ROOT):
        names[:] = [
            name
            for name in names
            if name not in GENERATED
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name in OWN_HIDDEN)
        ]
        for name in files:
            if not name.startswith(".") or name in OWN_HIDDEN:
                yield Path(directory, name)


def test_no_place_of_ours_is_named() -> None:
    """No file names the host of a package index, or a path of somebody's machine."""
    found = []
    for path in own_files():
        text = path.read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), start=1):
            if any(registry in line for registry in REGISTRIES) or MACHINE_PATH.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == [], "\n".join(["", *found])


def test_everything_is_pinned() -> None:
    """Each constraint is one exact version, and what is asked for by name is among them."""
    pins = [
        line
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line[:1] != "#"
    ]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    wanted = (ROOT / "dev-requirements.txt").read_text(encoding="utf-8").splitlines()
    names = {line.partition("[")[0].lower() for line in wanted if line and not line.startswith(("#", "-e"))}
    pinned = {pin.partition("==")[0].lower() for pin in pins}
    assert names - pinned == set()
