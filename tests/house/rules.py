"""What must not stand in the source of Swamp, and what to use instead.

A rule looks at one module's syntax tree and names the lines that break it. An exemption is a file with its reason; one
that is no longer needed is itself a breach, so the list cannot grow stale.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.pages import ROOT

LINES_MAX = 400
SOURCES = sorted([*ROOT.glob("swamp_core/src"), *ROOT.glob("swamp_store_*/src")])

AMBIENT = "swamp_core/src/swamp_core/ambient.py"
CREATING = "swamp_core/src/swamp_core/store/creating.py"
TESTING_IDS = "swamp_core/src/swamp_core/testing/ids.py"
STAGING = "swamp_store_local/src/swamp_store_local/staging.py"

S3 = "swamp_store_s3/src/swamp_store_s3"
GCS = "swamp_store_gcs/src/swamp_store_gcs"
PUT_ID = "a store knows nothing above the protocol, and each create needs a put-id of its own"

HOME = "it is where the world comes in"
SDKS = ("boto3", "botocore", "google", "azure")


@dataclass(frozen=True, slots=True)
class Rule:
    """`breaks` says whether a node breaks the rule; `instead` is the substitute; `exempt` maps files to reasons."""

    name: str
    instead: str
    breaks: Callable[[ast.AST], bool]
    exempt: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Breach:
    """A line that breaks a rule, told so that a person can go there."""

    file: str
    line: int
    rule: Rule

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule.name} is banned here; {self.rule.instead}"


def _attribute(*dotted: str) -> Callable[[ast.AST], bool]:
    """The node is one of these attributes, such as `datetime.now`, whatever its module is called before that."""

    def breaks(node: ast.AST) -> bool:
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        return any(text == name or text.endswith(f".{name}") for name in dotted)

    return breaks


def _imports(*modules: str) -> Callable[[ast.AST], bool]:
    """The node imports one of these modules, or something of them."""

    def breaks(node: ast.AST) -> bool:
        match node:
            case ast.Import(names=names):
                imported = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                imported = [module]
            case _:
                return False
        return any(name == each or name.startswith(f"{each}.") for name in imported for each in modules)

    return breaks


def _calls(name: str) -> Callable[[ast.AST], bool]:
    return lambda node: (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    )


RULES = (
    Rule(
        "the real clock",
        "use `clock.now()` of the Ambient that you are handed.",
        _attribute("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
        {AMBIENT: HOME},
    ),
    Rule(
        "the module time",
        "use `clock.now()` and `clock.wait()` of the Ambient that you are handed, or `ambient.monotonic_s()`.",
        _imports("time"),
        {AMBIENT: HOME, CREATING: "clock and sleep are handed in; these are the defaults"},
    ),
    Rule(
        "randomness",
        "use `ids.jitter()` of the Ambient that you are handed.",
        _imports("random", "secrets"),
        {AMBIENT: HOME, CREATING: "the jitter is handed in; this is the default"},
    ),
    Rule(
        "randomness of the system",
        "use `ids.random_id()` of the Ambient that you are handed.",
        _attribute("os.urandom", "os.getrandom"),
        {AMBIENT: HOME},
    ),
    Rule(
        "the module uuid",
        "use `ids.random_id()` or `ids.run_id()` of the Ambient that you are handed.",
        _imports("uuid"),
        {
            AMBIENT: HOME,
            TESTING_IDS: "it makes IDs of a seed, without randomness",
            STAGING: "a store knows nothing above the protocol, and its staged files need names of their own",
            f"{S3}/store.py": PUT_ID,
            f"{GCS}/store.py": PUT_ID,
        },
    ),
    Rule("print", "answer through `swamp_core.cli.output.Output`.", _calls("print")),
    Rule(
        "an SDK",
        "let the adapter of that backend import it, in its `open`.",
        _imports(*SDKS),
        {
            **{f"{S3}/{name}.py": "it is S3's adapter" for name in ("backend", "client", "errors", "store")},
            **{f"{GCS}/{name}.py": "it is that of GCS" for name in ("client", "errors", "store")},
        },
    ),
)


def modules() -> Iterator[Path]:
    """Every module that is shipped."""
    for source in SOURCES:
        yield from sorted(source.rglob("*.py"))


def breaches(file: str, text: str) -> Iterator[Breach]:
    """The lines of a module that break a rule, exempt or not."""
    for node in ast.walk(ast.parse(text)):
        for rule in RULES:
            if rule.breaks(node):
                yield Breach(file, getattr(node, "lineno", 1), rule)
