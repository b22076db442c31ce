"""How a new repo is told."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from swamp_core.app.views import InitResult
from swamp_core.cli.parts import Copy, Part, Say


def init_parts(result: InitResult, directory: Path) -> Iterator[Part]:
    """What was written, and how to run it."""
    if result.created:
        yield Say(f"A repo with an example is in {result.repo_dir}.", "good")
    else:
        yield Say(f"The example is already in {result.repo_dir}.")
    for path in result.created:
        yield Say(f"  {path} was written.")
    for path in result.kept:
        yield Say(f"  {path} was there and is unchanged.", "dim")
    yield Say("Run it with:")
    where = () if directory.resolve() == Path.cwd() else ("--repo-dir", str(directory))
    yield Copy(shlex.join(("swamp", "workflow", "run", "release", "--input", "env=dev", *where)))
