"""The reference is complete: whatever the program offers or tells is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from pydantic import BaseModel
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.models.definition import ShellMethod, ShellModel
from swamp_core.models.python_definition import ProvidedFile, PythonFile
from swamp_core.payload.formats import FORMATS
from swamp_core.payload.keywords import KEYWORDS
from swamp_core.workflow import conditions, definition
from swamp_store_gcs.options import GcsOptions
from swamp_store_local.options import LocalOptions
from swamp_store_s3.options import S3Options

from tests.docs import codes
from tests.docs.pages import ROOT, pages, read
from tests.docs.reference import commands, event_models, regenerated, view_models

ERRORS = "docs/reference/errors.md"
WORKFLOWS = "docs/reference/workflows.md"
PAYLOADS = "docs/reference/payloads.md"
VARIABLES = (
    "SWAMP_REPO_DIR",
    "SWAMP_WORKFLOW",
    "SWAMP_RUN_ID",
    "SWAMP_JOB",
    "SWAMP_STEP",
    "SWAMP_INPUTS",
    "SWAMP_OUTPUT",
)


def missing(words: Any, page: str) -> list[str]:
    """The words that the page does not have in code type."""
    text = read(page)
    return sorted(word for word in words if f"`{word}`" not in text)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_generated_parts_are_current(page: Path) -> None:
    """The generated parts of each page are what the program says now; `make docs` brings them up to date."""
    assert regenerated(read(page)) == read(page)


def test_json_is_told_by_its_own_names() -> None:
    """Whoever reads the reference of JSON finds no name that fields have only in Python."""
    text = read("docs/reference/json.md")
    for model in (*view_models(), *event_models()):
        renamed = [name for name, each in model.model_fields.items() if "_" in name and each.alias != name]
        assert [name for name in renamed if f"`{name}`" in text] == [], model.__name__


def test_every_command_and_option_is_there() -> None:
    """Each command has its heading, and each of its options stands below one."""
    text = read("docs/reference/command-line.md")
    for path, command, ctx in commands():
        assert f"\n## {path}\n" in text
        for option in command.get_params(ctx):
            if isinstance(option, click.Option):
                assert all(name in text for name in option.opts), (path, option.opts)


@pytest.mark.parametrize(
    "found",
    [
        codes.refusal_codes,
        codes.store_codes,
        codes.step_codes,
        codes.payload_rules,
        codes.problem_codes,
    ],
    ids=lambda found: found.__name__,
)
def test_every_code_is_there(found: Any) -> None:
    """Each code that the program can tell is explained among the errors."""
    told = found()
    assert len(told) > 8
    assert missing(told, ERRORS) == []


def test_no_code_is_invented() -> None:
    """The tables of errors explain no code that the program never tells."""
    told = (
        codes.refusal_codes()
        | codes.store_codes()
        | codes.step_codes()
        | codes.payload_rules()
        | codes.problem_codes()
    )
    rows = [line.split("|")[1] for line in read(ERRORS).splitlines() if line.startswith("| `")]
    explained = {word.strip("` ") for row in rows for word in row.split(",")}
    assert explained - told == set()


def test_every_exit_code_is_there() -> None:
    """Each exit code has its row, and there is no other."""
    section = read(ERRORS).partition("## Exit codes")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
    assert rows == ["exit code", *(str(int(code)) for code in sorted(ExitCode))]


@pytest.mark.parametrize("model", [*view_models(), *event_models()], ids=lambda model: model.__name__)
def test_every_json_field_is_there(model: type[BaseModel]) -> None:
    """Each field of each answer and event is in the reference, as JSON names it."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    in_json = (name for name, field in fields.items() if not field.exclude)
    assert missing(in_json, "docs/reference/json.md") == []


@pytest.mark.parametrize(
    "model",
    [
        definition.Workflow,
        definition.Job,
        definition.Step,
        definition.ForEach,
        definition.WaitForSignal,
        definition.ManualApproval,
        definition.ModelMethod,
        definition.NestedWorkflow,
        definition.Assert,
        ShellModel,
        ShellMethod,
        PythonFile,
        ProvidedFile,
    ],
    ids=lambda model: model.__name__,
)
def test_every_yaml_field_is_there(model: type[BaseModel]) -> None:
    """Each field that an author may write has its row."""
    assert missing((field.alias or name for name, field in model.model_fields.items()), WORKFLOWS) == []


def test_every_condition_is_there() -> None:
    """Each type of condition is explained."""
    kinds = [*conditions.End.model_fields["type"].annotation.__args__, "and", "or", "not"]  # type: ignore[union-attr]
    text = read(WORKFLOWS)
    assert [kind for kind in kinds if f"`{{type: {kind}" not in text] == []


def test_the_dialect_is_there() -> None:
    """Each keyword and format that a schema may use is listed, and so is each variable of a script."""
    assert missing([*KEYWORDS, *FORMATS], PAYLOADS) == []
    assert missing(VARIABLES, WORKFLOWS) == []
    environment = ROOT / "swamp_core/src/swamp_core/models/environment.py"
    assert all(f'"{name}"' in environment.read_text(encoding="utf-8") for name in VARIABLES)


def test_every_store_option_is_there() -> None:
    """Each option of each store is explained."""
    for options in (LocalOptions, S3Options, GcsOptions):
        assert missing(options.model_fields, "docs/reference/datastores.md") == []
