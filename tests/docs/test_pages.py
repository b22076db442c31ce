"""The pages lead somewhere, and what they say about the checkout is so."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from swamp_core.app.swamp import Swamp
from swamp_store_contract.suite import StoreContract

from tests.docs.pages import ROOT, anchors, blocks, links, pages, read

FIRST_SCREEN_LINES = 80


@pytest.mark.parametrize("page", pages(), ids=str)
def test_links_lead_to_something(page: Path) -> None:
    """Each link within the project leads to a file that exists, and to a heading that it has."""
    broken = []
    for target in links(read(page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        linked = (ROOT / page).parent / path if path else ROOT / page
        if not linked.exists() or (anchor and anchor not in anchors(linked.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


def test_the_two_commands_come_first() -> None:
    """The README begins with the two commands that set everything up, and make knows them."""
    first = blocks(read("README.md"))[0]
    assert [line.split("#")[0].strip() for line in first.text.splitlines()] == ["make demo", "make test"]
    for line in [*first.text.splitlines(), *blocks(read("CONTRIBUTING.md"))[0].text.splitlines()]:
        target = line.split()[1]
        assert f"\n{target}: " in read("Makefile")


def test_make_alone_lists_its_targets() -> None:
    """`make` without a target runs nothing, and names every target that there is."""
    listed = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (declared,) = re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)
    assert [line.split()[1] for line in listed.splitlines()] == declared.split()


def test_each_promise_shows_its_proof() -> None:
    """Each promise of the README links to the page that explains it and to the test that shows it."""
    section = read("README.md").partition("## What it promises")[2].partition("\n## ")[0]
    promises = section.split("\n* ")[1:]
    assert len(promises) == 4
    for promise in promises:
        targets = list(links(promise))
        assert any(target.startswith("docs/") for target in targets)
        assert any(target.startswith("tests/") for target in targets)


def test_the_loop_is_on_the_first_screen() -> None:
    """A newcomer has seen the run succeed within the first lines."""
    top = read("README.md").splitlines()[:FIRST_SCREEN_LINES]
    assert "The run of release succeeded." in top


def test_examples_are_valid() -> None:
    """Nothing is wrong with any workflow of an example."""
    examples = sorted(path.parent for path in (ROOT / "examples").glob("*/workflows"))
    assert examples
    for example in examples:
        checked = Swamp.open(example).validate().workflows
        assert checked
        assert [each for each in checked if not each.valid] == []


def test_the_guide_for_authors_shows_the_example() -> None:
    """Each piece of code of the guide stands in the example, which is one file of under 150 lines."""
    example = ROOT / "examples" / "sqlite_store"
    sources = [path.read_text(encoding="utf-8") for path in example.glob("*.*") if path.is_file()]
    shown = [block.text for block in blocks(read("docs/store-authors.md"))]
    assert len(shown) >= 5
    assert [text for text in shown if not any(text in source for source in sources)] == []
    assert (example / "swamp_store_sqlite.py").read_text(encoding="utf-8").count("\n") < 150


def test_the_guide_for_authors_names_cases_that_exist() -> None:
    """What is said to catch a mistake is a case of the suite, whose own tests see it catch one."""
    named = set(re.findall(r"`(test_\w+)`", read("docs/store-authors.md")))
    assert len(named) >= 10
    assert {name for name in named if not hasattr(StoreContract, name)} == set()


def test_the_changelog_has_this_version() -> None:
    """The newest entry of the changelog is the version of every distribution."""
    newest = re.search(r"^## (\S+)", read("CHANGELOG.md"), re.MULTILINE)
    assert newest
    manifests = [ROOT / "pyproject.toml", *sorted(ROOT.glob("*/pyproject.toml"))]
    versions = {tomllib.loads(path.read_text(encoding="utf-8"))["project"]["version"] for path in manifests}
    assert versions == {newest[1]}


def test_plain_text_is_warned_of() -> None:
    """That a payload must carry no secret is said where people look: the README, the concepts, the reference."""
    places = ["README.md", "docs/concepts.md", "docs/reference/payloads.md", "docs/reference/command-line.md"]
    assert [page for page in places if "plain text" not in read(page) or "secret" not in read(page)] == []


def test_ci_runs_what_contributors_run() -> None:
    """CI runs the checks and the tests by the commands that people use, and its script is a valid one."""
    script = ROOT / ".ci" / "run"
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == ["make check", "make test"]
