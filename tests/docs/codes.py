"""Every code that the program can tell, read from its source: what raises or reports names its code as a literal.

Where a code is made rather than written, it is named here: nothing is found that nobody wrote.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from swamp_core.store import errors as store_errors

from tests.docs.pages import ROOT

CORE = ROOT / "swamp_core" / "src" / "swamp_core"

_CODE = re.compile(r"[a-z]+(_[a-z0-9]+)*")


def refusal_codes() -> set[str]:
    """Codes of requests that are refused, and of commands that failed in another way."""
    return _first_arguments({"Refused", "Failure"}, _sources("app", "cli"))


def store_codes() -> set[str]:
    """Codes of what goes wrong with a store."""
    found = [each for each in vars(store_errors).values() if isinstance(each, type)]
    return {each.code for each in found if issubclass(each, store_errors.StoreError)}


def step_codes() -> set[str]:
    """Codes of a step that failed. `stopped` is the driver's own word; it is told as `cancelled`."""
    makers = {"StepError", "failed", "_failed", "_failure", "InvalidOutput", "NoItems"}
    calls = _calls(makers, _sources("engine", "models", "waits"))
    found = {
        code for call in calls for code in _constants([*call.args, *(each.value for each in call.keywords)])
    }
    return (found | {"invalid_output"}) - {"stopped"}


def payload_rules() -> set[str]:
    """Codes of the rule that a payload breaks before any schema is asked."""
    return _first_arguments({"PayloadError"}, _sources("payload"))


def problem_codes() -> set[str]:
    """Codes of what is wrong in a file. An unknown member of a choice is named after its field."""
    positions = {"Finding": 1, "Problem": 1, "InvalidYaml": 0, "PydanticCustomError": 0}
    calls = _calls(set(positions), _sources("workflow", "models"))
    found = {
        code
        for call in calls
        if len(call.args) > positions[_name(call)]
        for code in _constants([call.args[positions[_name(call)]]])
    }
    return (found | {"unknown_type"}) - {"error"}


def _sources(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (CORE / package).rglob("*.py"))


def _first_arguments(names: set[str], sources: Iterable[Path]) -> set[str]:
    return {code for call in _calls(names, sources) for code in _constants(call.args[:1])}


def _calls(names: set[str], sources: Iterable[Path]) -> Iterator[ast.Call]:
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node) in names:
                yield node


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _constants(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        for each in [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]:
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and _CODE.fullmatch(each.value):
                yield each.value
