"""Definition files of a repo: found, read, checked, and reported with file, line and column.

Workflows and models are files of the same make. A definition comes out only if nothing is wrong with its
file, so whoever holds one need not ask; what is wrong comes out as problems, never as an exception.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from swamp_core.workflow.fields import Definition, name_problem
from swamp_core.workflow.problems import Finding, Problem, quoted
from swamp_core.workflow.sentences import findings_of
from swamp_core.workflow.yaml_document import Document, InvalidYaml, Position
from swamp_core.workflow.yaml_reader import FILE_BYTES_MAX, read_yaml

D = TypeVar("D", bound=Definition)

KindOf = Callable[[dict[str, Any]], type[D] | Finding]
"""Which kind of definition the fields of a file ask for, or why they ask for none."""

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[D]):
    """A file that was read. `definition` is None exactly when one of the problems is an error.

    `name` is what the file declares, or else its stem; `name_at` is where it does. `document` is what was
    read, None when it is no YAML; `declared` is the definition in it, None when it has not the form of one.
    """

    path: Path
    name: str
    name_at: Position
    definition: D | None
    problems: tuple[Problem, ...]
    document: Document | None = None
    declared: D | None = None

    @property
    def valid(self) -> bool:
        """Whether the definition may be used."""
        return self.definition is not None


def definition_files(directory: Path) -> list[Path]:
    """The files in the directory that may hold definitions, by name; none if there is no such directory."""
    if not directory.is_dir():
        return []
    return sorted(
        path
        for path in directory.iterdir()
        if path.suffix in SUFFIXES and not path.name.startswith(".") and path.is_file()
    )


def load_file(path: Path, kind_of: KindOf[D], check: Callable[[D], Iterable[Finding]]) -> Loaded[D]:
    """Read one file as the kind of definition that its fields ask for, and check it."""
    file = read_file(path, kind_of)
    return file if file.definition is None else with_findings(file, check(file.definition))


def read_file(path: Path, kind_of: KindOf[D]) -> Loaded[D]:
    """Read one file, whose form alone is checked."""
    try:
        document = read_yaml(_read(path))
    except InvalidYaml as error:
        return Loaded(path, path.stem, Position(1, 1), None, (replace(error.problem, file=path),))
    value = document.value
    declared = value.get("name") if isinstance(value, dict) else None
    name = declared if isinstance(declared, str) else path.stem
    definition, findings = _define(value, path.stem, kind_of)
    at = document.position(("name",))
    return with_findings(Loaded(path, name, at, definition, (), document, definition), findings)


def with_findings(file: Loaded[D], findings: Iterable[Finding]) -> Loaded[D]:
    """The same file, with what else was found in it: each at its line and column, and in their order."""
    document = file.document
    located = [] if document is None else [_locate(each, document, file.path) for each in findings]
    problems = tuple(sorted((*file.problems, *located), key=_order))
    failed = any(problem.severity == "error" for problem in problems)
    return replace(file, definition=None if failed else file.definition, problems=problems)


def refuse_clashes(loaded: Iterable[Loaded[D]]) -> tuple[Loaded[D], ...]:
    """The same files, those that share a name refused: none is taken for the one that was meant."""
    files = tuple(loaded)
    by_name: dict[str, list[Loaded[D]]] = defaultdict(list)
    for each in files:
        by_name[each.name].append(each)
    return tuple(
        _clashing(each, by_name[each.name]) if len(by_name[each.name]) > 1 else each for each in files
    )


def _clashing(file: Loaded[D], namesakes: list[Loaded[D]]) -> Loaded[D]:
    others = ", ".join(f"{each.path.name} at {each.name_at}" for each in namesakes if each is not file)
    message = f"The name {quoted(file.name)} is also that of {others}. Rename one of them."
    at = file.name_at
    problem = Problem("error", "name_clash", message, at.line, at.column, file.path)
    return replace(file, definition=None, problems=(*file.problems, problem))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        message = f"The file cannot be read: {error.strerror or error}."
        raise InvalidYaml("unreadable_file", message, Position(1, 1)) from error


def _define(
    value: Any, stem: str, kind_of: Callable[[dict[str, Any]], type[D] | Finding]
) -> tuple[D | None, list[Finding]]:
    if not isinstance(value, dict):
        return None, [Finding((), "wrong_type", "The file must hold a mapping of fields.")]
    kind = kind_of(value)
    if isinstance(kind, Finding):
        return None, [kind]
    if "name" not in value:
        if problem := name_problem(stem):
            message = f"The name, which comes from the file's name {quoted(stem)}, {problem}. Add a `name`."
            return None, [Finding((), "invalid_name", message)]
        value = {"name": stem, **value}
    try:
        return kind.from_json(value), []
    except ValidationError as error:
        return None, findings_of(error, value, kind)


def _locate(finding: Finding, document: Document, path: Path) -> Problem:
    at = document.position(finding.path, at_key=finding.at_key)
    message = finding.message
    if finding.first is not None:
        message = f"{message} The first is at {document.position(finding.first)}."
    return Problem(finding.severity, finding.code, message, at.line, at.column, path)


def _order(problem: Problem) -> tuple[int, int, str]:
    return problem.line, problem.column, problem.message
