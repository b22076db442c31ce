"""Another process with the store open.

It reads one command a line from its input and answers each with a line.

The first line is the recipe. The worker answers `ready` once the store is open, so that a test can hold all
workers at that point and let them go together.
"""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Callable
from typing import Any, cast

from swamp_core.store import SignalWaitStore, StoreError


def open_by_recipe(function: str, arguments: list[str]) -> SignalWaitStore:
    """The store that a `Recipe` describes."""
    factory = cast("Callable[..., SignalWaitStore]", pkgutil.resolve_name(function))
    return factory(*arguments)


def obey(store: SignalWaitStore, command: dict[str, Any]) -> Any:
    """Carry out one command and give its answer, which JSON can hold."""
    match command:
        case {"do": "create", "key": str(key), "data": str(data)}:
            return store.put_if_absent(key, data.encode())
        case {"do": "get", "key": str(key)}:
            record = store.get(key)
            return None if record is None else record.hex()
        case {"do": "list", "prefix": str(prefix)}:
            return list(store.list(prefix))
        case {"do": "delete", "key": str(key)}:
            return store.delete(key)
        case _:
            raise ValueError(f"The worker does not know the command {command}.")


def main() -> None:
    """Serve one test until its end of the pipe is closed."""
    recipe = json.loads(sys.stdin.readline())
    store = open_by_recipe(recipe["function"], recipe["arguments"])
    _say("ready")
    for line in sys.stdin:
        try:
            _say(obey(store, json.loads(line)))
        except StoreError as error:
            _say(f"{type(error).__name__}: {error}")


def _say(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
