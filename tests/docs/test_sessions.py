"""What a page shows in a session is what the program answers."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from swamp_core.app import swamp

from tests.docs.pages import ROOT, blocks, pages, read
from tests.docs.sessions import commands_in, replay, replayed

WITH_SESSIONS = [page for page in pages() if any(block.language == "console" for block in blocks(read(page)))]
SNIPPETS = doctest.ELLIPSIS


@pytest.mark.parametrize("page", WITH_SESSIONS, ids=str)
def test_replay_changes_nothing(page: Path, tmp_path: Path) -> None:
    """The answers on each page are those of the program, to the letter; `make docs` brings them up to date."""
    assert replayed(page, tmp_path.resolve()) == read(page)


def test_pages_have_sessions() -> None:
    """The README, the tutorial and the how-to are played, not only read."""
    assert {"README.md", "docs/tutorial.md", "docs/how-to.md"} <= {str(page) for page in WITH_SESSIONS}


def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    """An answer that the program does not give is replaced, so a page with one is not as it should be."""
    page = "A page.\n\n```console\n$ swamp --version\nswamp 0.0.0\n```\n"
    assert replay(page, tmp_path) == page.replace("0.0.0", "0.1.0")


def test_commands_may_span_lines() -> None:
    """A command that ends with a backslash goes on in the next line, and answers are no commands."""
    assert list(commands_in("$ a \\\n  b\nanswer\n$ c\n")) == ["$ a \\\n  b\n", "$ c\n"]


def test_the_library_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python session of the how-to runs as it stands, in the repo that the page makes."""
    page = read("docs/how-to.md")
    for block in blocks(page):
        if block.language == "yaml" and not block.text.startswith("# .swamp.yaml"):
            name, _, text = block.text.removeprefix("# ").partition("\n")
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
    python = [block.text for block in blocks(page) if block.language == "python"]
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest("\n".join(python), {}, "how-to", None, None)
    ran = doctest.DocTestRunner(optionflags=SNIPPETS).run(example)
    assert (ran.failed, ran.attempted > 5) == (0, True)


def test_the_docstring_of_swamp_runs() -> None:
    """The example in the docstring of `Swamp` runs as it stands."""
    ran = doctest.testmod(swamp, optionflags=SNIPPETS)
    assert (ran.failed, ran.attempted > 5) == (0, True)


def test_the_readme_shows_the_example() -> None:
    """The workflow on the README's first screen is the file of the example, but for the comment on its first line."""
    shown = next(block.text for block in blocks(read("README.md")) if block.language == "yaml")
    kept = read("examples/release/workflows/release.yaml")
    assert shown.splitlines()[1:] == kept.splitlines()[1:]
    assert ROOT.joinpath("examples/release/models/release.yaml").is_file()
