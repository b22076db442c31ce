"""`python -m tests.docs.regenerate`: bring the generated parts of the documentation and its sessions up to date."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.docs.pages import ROOT, pages, read
from tests.docs.reference import regenerated
from tests.docs.sessions import replayed


def main() -> None:
    """Rewrite the pages that are out of date, and name them."""
    for page in pages():
        before = read(page)
        with tempfile.TemporaryDirectory() as directory:
            after = regenerated(replayed(page, Path(directory).resolve()))
        if after != before:
            (ROOT / page).write_text(after, encoding="utf-8")
            print(f"{page} was rewritten.")


if __name__ == "__main__":
    main()
