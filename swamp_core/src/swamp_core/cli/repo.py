"""Which directory is the repo when none is named: as git does it, the nearest one from here upwards."""

from __future__ import annotations

from pathlib import Path

REPO_FILES = (".swamp.yaml",)
REPO_DIRECTORIES = ("workflows", ".swamp")


def find_repo() -> Path:
    """The nearest directory, from the current one upwards, that is a repo; else the current one.

    The search ends where the owner changes, so that nobody is made to run the workflows of another user who can write
    to a directory above. Raises `Refused` when the current directory is gone or cannot be written down.
    """
    try:
        here = Path.cwd()
        str(here).encode()
    except (OSError, UnicodeError) as error:
        from swamp_core.app.refusals import Refused

        gone = "is gone" if isinstance(error, OSError) else "has a name that is not UTF-8"
        raise Refused(
            "unknown_repo", f"The current directory {gone}.", hint="Name another with --repo-dir."
        ) from error
    owner = _owner(here)
    for directory in (here, *here.parents):
        if _owner(directory) != owner:
            break
        if _is_repo(directory):
            return directory
    return here


def _owner(directory: Path) -> int | None:
    try:
        return directory.stat().st_uid
    except OSError:
        return None


def _is_repo(directory: Path) -> bool:
    try:
        return any((directory / name).is_file() for name in REPO_FILES) or any(
            (directory / name).is_dir() for name in REPO_DIRECTORIES
        )
    except OSError:
        return False
