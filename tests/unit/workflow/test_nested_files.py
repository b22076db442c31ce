"""Workflow files that run each other: which of them may run, and in which file what is told."""

import pytest
from swamp_core.workflow.loading import find_workflows

GOOD = """
jobs:
  - name: build
    steps:
      - {name: ask, task: {type: wait_for_signal, timeout: 24h}}
"""


@pytest.fixture
def repo(tmp_path):
    (tmp_path / "workflows").mkdir()
    return tmp_path


def runs(*names):
    steps = [f"{{name: run {name}, task: {{type: workflow, workflowIdOrName: {name}}}}}" for name in names]
    return f"jobs:\n  - name: j\n    steps: [{', '.join(steps)}]\n"


@pytest.fixture
def load_all(repo):
    """Writes files, and gives the codes of what is found in each workflow, with where it is said to be."""

    def load_all(**texts):
        for name, text in texts.items():
            (repo / "workflows" / f"{name}.yaml").write_text(text, "utf-8")
        files = find_workflows(repo)
        assert all(
            file.valid == (not any(each.severity == "error" for each in file.problems)) for file in files
        )
        return {file.path.stem: [each.code for each in file.problems] for file in files}

    return load_all


def test_a_workflow_may_run_one_of_a_later_file(load_all):
    """All files are read before one is judged, so their order means nothing."""
    assert load_all(a=runs("b"), b=runs("c"), c=GOOD) == {"a": [], "b": [], "c": []}


def test_a_workflow_that_runs_an_invalid_one_is_invalid(load_all, repo):
    """Whoever runs a workflow that cannot run cannot run either, whatever is wrong with that one's file."""
    mistakes = load_all(
        top=runs("form", "checks", "good"),
        over=runs("top"),
        form="jobs: 5\n",
        checks=GOOD + "    dependsOn: [x]\n",
        good=GOOD,
    )
    assert mistakes == {
        "checks": ["unknown_dependency"],
        "form": ["wrong_type"],
        "good": [],
        "over": ["invalid_nested_workflow"],
        "top": ["invalid_nested_workflow", "invalid_nested_workflow"],
    }
    [top] = [file for file in find_workflows(repo) if file.name == "top"]
    first = top.problems[0]
    assert (first.line, first.column, first.code, first.message) == (
        3,
        71,
        "invalid_nested_workflow",
        "The workflow `form` cannot run; correct it first.",
    )


def test_a_workflow_that_two_files_declare_cannot_be_run_by_others(load_all):
    """Neither of two workflows of one name is run by a step that names it."""
    found = load_all(a="name: x" + GOOD, b="name: x" + GOOD, c=runs("x"))
    assert found == {"a": ["name_clash"], "b": ["name_clash"], "c": ["invalid_nested_workflow"]}


def test_a_workflow_tells_its_own_mistakes_beside_those_of_others(load_all):
    """That another workflow is invalid does not hide what is wrong here."""
    found = load_all(a=runs("b") + "    dependsOn: [x]\n", b="jobs: 5\n")
    assert sorted(found["a"]) == ["invalid_nested_workflow", "unknown_dependency"]


def test_a_circle_is_told_where_it_is_and_refused_above(load_all):
    """Each workflow in a circle tells the circle and no more; one that leads into it runs what cannot run."""
    found = load_all(a=runs("b"), b=runs("a"), c=runs("a"))
    assert found == {"a": ["nested_cycle"], "b": ["nested_cycle"], "c": ["invalid_nested_workflow"]}


def test_a_workflow_that_is_too_deep_is_told_once(load_all):
    """Of twenty workflows in a row, the last sixteen may run; the others say that they are too deep, once each."""
    row = {f"w{n:02}": runs(f"w{n + 1:02}") for n in range(1, 20)} | {"w20": GOOD}
    found = load_all(**row)
    assert [name for name, codes in found.items() if codes] == ["w01", "w02", "w03", "w04"]
    assert {tuple(codes) for codes in found.values()} == {("nested_too_deep",), ()}


def test_a_warning_refuses_nothing(load_all):
    """A bound that does nothing is told, and the workflow runs, also from another one."""
    warned = GOOD.replace("name: ask,", "name: ask, concurrency: 2,")
    assert load_all(a=runs("b"), b=warned) == {"a": [], "b": ["useless_concurrency"]}
