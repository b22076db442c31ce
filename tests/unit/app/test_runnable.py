"""What a run needs of the repo: the workflow, those that it runs, and the models that any of them calls."""

import pytest
from swamp_core.app.refusals import Refused
from swamp_core.app.workflows import list_workflows, load_runnable
from swamp_core.app.workspace import Workspace

MODEL = "type: command/shell\nmethods: {{go: {{run: echo {name}}}}}\n"


def workflow(*tasks):
    steps = "".join(f"\n      - {{name: s{number}, task: {task}}}" for number, task in enumerate(tasks))
    return f"jobs:\n  - name: j\n    steps:{steps}\n"


def runs(name):
    return f"{{type: workflow, workflowIdOrName: {name}}}"


def calls(model):
    return f"{{type: model_method, modelIdOrName: {model}, methodName: go}}"


@pytest.fixture
def workspace(tmp_path):
    """A repo in which `top` runs `mid` and `low`, `mid` runs `low`, and `other` is apart."""
    files = {
        "workflows/top.yaml": workflow(runs("mid"), runs("low"), calls("a")),
        "workflows/mid.yaml": workflow(runs("low"), calls("b")),
        "workflows/low.yaml": workflow(calls("c"), calls("b")),
        "workflows/other.yaml": workflow(calls("d")),
        **{f"models/{name}.yaml": MODEL.format(name=name) for name in "abcd"},
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return Workspace(tmp_path)


def write(workspace, path, text):
    (workspace.repo_dir / path).write_text(text)


def refused(workspace, name):
    with pytest.raises(Refused) as caught:
        load_runnable(workspace, name)
    assert caught.value.code == "invalid_workflow"
    return caught.value


def test_a_runnable_has_all_that_its_runs_can_use(workspace):
    """Nested workflows come with those that they run themselves, and so do the models of each of them."""
    runnable = load_runnable(workspace, "top")
    assert runnable.workflow.name == "top"
    assert {name: nested.name for name, nested in runnable.workflows.items()} == {"mid": "mid", "low": "low"}
    assert {name: model.name for name, model in runnable.models.items()} == {"a": "a", "b": "b", "c": "c"}


def test_a_workflow_that_runs_no_other_comes_alone(workspace):
    """Nothing is loaded with a workflow that it does not use."""
    runnable = load_runnable(workspace, "other")
    assert (list(runnable.workflows), list(runnable.models)) == ([], ["d"])


def test_an_invalid_nested_workflow_is_told_with_its_own_mistakes(workspace):
    """The refusal shows the mistake where it is, two levels below, and the command that checks all those files."""
    write(workspace, "workflows/low.yaml", "jobs: 5\n")
    refusal = refused(workspace, "top")
    shown = [(each["path"], each["code"]) for each in refusal.details["problems"]]
    assert shown == [
        ("workflows/top.yaml", "invalid_nested_workflow"),
        ("workflows/top.yaml", "invalid_nested_workflow"),
        ("workflows/low.yaml", "wrong_type"),
        ("workflows/mid.yaml", "invalid_nested_workflow"),
    ]
    assert f"{workspace.repo_dir / 'workflows/low.yaml'}:1:7: `jobs` must be a list." in str(refusal)
    assert refusal.hint.endswith("\nswamp workflow validate top low mid")


def test_a_circle_ends_the_search_for_what_is_wrong(workspace):
    """Workflows that run each other are each shown once."""
    write(workspace, "workflows/low.yaml", workflow(runs("mid")))
    codes = [(each["path"], each["code"]) for each in refused(workspace, "mid").details["problems"]]
    assert codes == [("workflows/mid.yaml", "nested_cycle"), ("workflows/low.yaml", "nested_cycle")]


def test_a_broken_model_of_a_nested_workflow_refuses_the_run(workspace):
    """A model that nested runs would call is as good a reason as one of the workflow itself."""
    write(workspace, "models/c.yaml", "type: command/shell\nmethods: 5\n")
    problems = refused(workspace, "top").details["problems"]
    assert [(each["path"], each["code"]) for each in problems] == [("models/c.yaml", "wrong_type")]
    valid = {each.name: each.valid for each in list_workflows(workspace).workflows}
    assert valid == {"low": False, "mid": False, "other": True, "top": False}
