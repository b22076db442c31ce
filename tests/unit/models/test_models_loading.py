"""Model files: what is read, what is refused, and how a model is found."""

import json

import pytest
from swamp_core.models.loading import Models, find_model, known_models, load_models
from swamp_core.models.method import Invocation
from swamp_core.models.registry import call_of, model_from_json

RELEASE = """
type: command/shell
description: Releases.
methods:
  build: {run: make build, env: {MODE: fast}, workingDir: src, timeout: 10m, description: Compiles.}
  deploy:
    run: |
      echo "$SWAMP_INPUT_ENV"
"""


@pytest.fixture
def repo(tmp_path):
    (tmp_path / "models").mkdir()
    return tmp_path


def write(repo, name, text):
    (repo / "models" / name).write_text(text, "utf-8")


def test_a_model_is_read_and_named_after_its_file(repo):
    """Every field of a method arrives, its timeout in seconds."""
    write(repo, "release.yaml", RELEASE)
    models = load_models(repo)
    assert models.problems == ()
    build = models.usable["release"].methods["build"]
    assert (build.run, build.env, build.working_dir, build.timeout_s) == (
        "make build",
        {"MODE": "fast"},
        "src",
        600,
    )
    assert models.usable["release"].methods["deploy"].run == 'echo "$SWAMP_INPUT_ENV"\n'


def test_a_pinned_model_is_the_model(repo):
    """What goes into the journal as JSON loads as the same model."""
    write(repo, "release.yaml", RELEASE)
    model = load_models(repo).usable["release"]
    assert model_from_json(json.loads(json.dumps(model.to_json()))) == model


def test_a_model_is_found_by_its_name(repo):
    """A model's name is its ID; an unknown one is None."""
    write(repo, "release.yaml", RELEASE)
    models = load_models(repo)
    assert find_model(models.usable, "release") is models.usable["release"]
    assert find_model(models.usable, "relaese") is None
    assert set(known_models(models)["release"].methods) == {"build", "deploy"}


def test_a_method_of_a_model_is_called_by_its_name(repo):
    """A call carries out the named method; a name that the model does not have is no call."""
    write(repo, "release.yaml", RELEASE)
    model = load_models(repo).usable["release"]
    invocation = Invocation("w", "run-1", "job", "step", repo, {"env": "prod"})
    assert call_of(model, "deploy").run(invocation).stdout == "prod\n"
    with pytest.raises(KeyError):
        call_of(model, "delpoy")


def test_a_repo_without_models_has_none(tmp_path):
    """A missing directory is an empty one."""
    assert load_models(tmp_path) == Models(usable={}, broken={}, problems=())


def test_two_models_of_one_name_are_both_refused(repo):
    """Neither is taken for the one that was meant."""
    write(repo, "a.yaml", "name: release" + RELEASE)
    write(repo, "b.yaml", "name: release" + RELEASE)
    models = load_models(repo)
    assert models.usable == {}
    assert [problem.code for problem in models.problems] == ["name_clash", "name_clash"]
    assert models.broken == {"release": models.problems}


def model_with(method):
    return f"type: command/shell\nmethods:\n  go: {{{method}}}\n"


REFUSED = {
    "an expression in the script": (
        model_with('run: "deploy ${{ inputs.env }}"'),
        (3, 13, "expression_in_script", "turn untrusted text into code"),
    ),
    "an empty script": (model_with("run: ' '"), (3, 13, "empty_script", "nothing to run")),
    "no script": (model_with("description: x"), (3, 7, "missing_field", "`run` is missing in `go`")),
    "an expression in a variable": (
        model_with('run: x, env: {A: "${{ inputs.a }}"}'),
        (3, 25, "expression_not_allowed", "SWAMP_INPUT_"),
    ),
    "a number in a variable": (
        model_with("run: x, env: {A: 5}"),
        (3, 25, "wrong_type", "must be text; quote it"),
    ),
    "a variable that no shell can read": (
        model_with("run: x, env: {a-b: c}"),
        (3, 22, "invalid_variable", "cannot name a variable"),
    ),
    "a variable of ours": (
        model_with("run: x, env: {SWAMP_OUTPUT: c}"),
        (3, 22, "invalid_variable", "Swamp's own"),
    ),
    "a NUL": (model_with('run: "a\\0b"'), (3, 13, "invalid_text", "NUL")),
    "an expression for the directory": (
        model_with('run: x, workingDir: "${{ inputs.a }}"'),
        (3, 28, "expression_not_allowed", "plain text"),
    ),
    "an unknown field of a method": (
        model_with("run: x, workingdir: y"),
        (3, 16, "unknown_field", "did you mean `workingDir`?"),
    ),
    "a timeout that is none": (model_with("run: x, timeout: 12:30"), (3, 25, "invalid_timeout", "`90s`")),
    "no methods": ("type: command/shell\nmethods: {}\n", (2, 10, "wrong_type", "must not be empty")),
    "no type": ("methods: {go: {run: x}}\n", (1, 1, "missing_field", "`type` is missing")),
    "a type of another build": (
        "type: docker\nmethods: {go: {run: x}}\n",
        (1, 7, "unknown_type", "Unknown type `docker`; known here: `command/shell`, `python`."),
    ),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_told_at_its_place(repo, mistake):
    """Each mistake in a model file has a code, a line and column, and words that help."""
    text, (line, column, code, says) = REFUSED[mistake]
    write(repo, "release.yaml", text)
    models = load_models(repo)
    assert models.usable == {}
    (problem,) = models.problems
    assert (problem.line, problem.column, problem.code) == (line, column, code)
    assert says in problem.message
    assert problem.file == repo / "models" / "release.yaml"
    assert models.broken == {"release": models.problems}
