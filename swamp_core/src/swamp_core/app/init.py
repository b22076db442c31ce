"""Making a repo: an example workflow and the model that it calls, ready to run. Existing files are never touched."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from swamp_core.app.refusals import Refused
from swamp_core.app.views import InitResult

EXAMPLE = {"workflows/release.yaml": "release_workflow.yaml", "models/release.yaml": "release_model.yaml"}
IGNORED = ".swamp/\n"


def init(directory: Path) -> InitResult:
    """Write the example into the directory, which is made if need be. Raises `Refused` (`not_writable`)."""
    wanted = {path: _template(name) for path, name in EXAMPLE.items()} | {".gitignore": IGNORED}
    created: list[str] = []
    kept: list[str] = []
    try:
        for path, text in wanted.items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with target.open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
            except FileExistsError:
                kept.append(path)
            else:
                created.append(path)
    except OSError as error:
        raise Refused(
            "not_writable",
            f"The repo cannot be made in {directory}: {error.strerror}.",
            hint="Choose a directory that can be written.",
        ) from error
    return InitResult(repo_dir=str(directory.resolve()), created=created, kept=kept)


def _template(name: str) -> str:
    return files("swamp_core.app").joinpath("templates", name).read_text(encoding="utf-8")
