"""The file that a type checker reads shows the whole public surface of the library."""

from __future__ import annotations

import ast

import swamp_core
from swamp_core import Swamp
from tests.docs.pages import read

API = ast.parse(read("tests/typing/api.py"))


def test_every_public_name_is_used() -> None:
    """Each name that `swamp_core` offers is imported there."""
    imported = {
        alias.name
        for node in ast.walk(API)
        if isinstance(node, ast.ImportFrom) and node.module == "swamp_core"
        for alias in node.names
    }
    assert imported == set(swamp_core.__all__)
    assert all(getattr(swamp_core, name).__doc__ for name in swamp_core.__all__)


def test_every_use_case_is_called() -> None:
    """Each method of `Swamp` is called there."""
    calls = [node.func for node in ast.walk(API) if isinstance(node, ast.Call)]
    called = {function.attr for function in calls if isinstance(function, ast.Attribute)}
    public = {name for name in vars(Swamp) if not name.startswith("_")}
    methods = {name for name in public if callable(getattr(Swamp, name))}
    assert len(methods) > 10
    assert methods - called == set()
