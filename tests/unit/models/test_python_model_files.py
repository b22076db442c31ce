"""Files of Python models: what is read, what is refused, what a run pins, and that listing imports nothing."""

import json
import sys

import pytest
from swamp_core.models.definition import ShellModel
from swamp_core.models.loading import known_models, load_models
from swamp_core.models.python_definition import Distribution, PythonModel
from swamp_core.models.registry import model_from_json

SOURCE = """
from pydantic import BaseModel

class Plain:
    def go(self, tag: str): ...

class Http(BaseModel):
    base_url: str
    retries: int = 3

    def get(self, path: str): ...

class Picky(BaseModel):
    url: str

    def model_post_init(self, context):
        raise RuntimeError("no network.")

nothing = 5
"""


def write(repo, text, name="release.yaml"):
    (repo / "models" / name).write_text(text, "utf-8")


def test_a_class_is_named_by_its_module(repo, install):
    """`package.module:Class` needs no entry point; the distribution is found by its files."""
    module = install(SOURCE)
    write(repo, f"type: python\nclass: {module}:Plain\ntimeout: 10m\ndescription: Releases.\n")
    models = load_models(repo, importing=True)
    assert models.problems == ()
    assert models.usable["release"] == PythonModel(
        type="python",
        name="release",
        class_name=f"{module}:Plain",
        description="Releases.",
        timeout_s=600,
        distribution=Distribution(name="acme", version="1.2"),
    )


def test_a_class_is_named_by_its_entry_point(repo, install):
    """A name from the group `swamp.models` stands for the class behind it."""
    install(SOURCE, releases="Plain")
    write(repo, "type: python\nclass: releases\n")
    assert load_models(repo, importing=True).problems == ()


def test_an_entry_point_is_a_type(repo, install):
    """A type of a third party is the name of its entry point, and the settings are its class's fields."""
    install(SOURCE, acme__http="Http")
    write(repo, "type: acme/http\nsettings: {base_url: https://example.com}\n")
    models = load_models(repo, importing=True)
    assert models.problems == ()
    assert models.usable["release"].to_json() == {
        "type": "acme/http",
        "name": "release",
        "class": "acme/http",
        "settings": {"base_url": "https://example.com"},
        "distribution": {"name": "acme", "version": "1.2"},
    }


def test_a_pinned_model_is_the_model(repo, install):
    """What goes into the journal as JSON loads as the same model, also where the class is not installed."""
    module = install(SOURCE)
    write(repo, f"type: python\nclass: {module}:Http\nsettings: {{base_url: x}}\n")
    model = load_models(repo, importing=True).usable["release"]
    assert model_from_json(json.loads(json.dumps(model.to_json()))) == model
    elsewhere = {
        "type": "acme/gone",
        "name": "m",
        "class": "acme/gone",
        "distribution": {"name": "a", "version": "1"},
    }
    assert model_from_json(elsewhere).to_json() == elsewhere


@pytest.mark.parametrize(
    "value",
    [
        {"type": "python", "name": "m"},
        {"type": "command/docker", "name": "m", "methods": {"go": {"run": "x"}}},
        {"type": "python", "name": "m", "class": "a", "later": 1},
        {"type": 5, "name": "m", "class": "a"},
    ],
)
def test_a_model_of_a_later_build_is_not_guessed(value):
    """A pinned model with what this build does not know is refused."""
    with pytest.raises(ValueError, match="validation error"):
        model_from_json(value)


def test_a_shell_model_is_pinned_as_before():
    """The type `command/shell` is read as scripts."""
    value = {"type": "command/shell", "name": "m", "methods": {"go": {"run": "x"}}}
    assert isinstance(model_from_json(value), ShellModel)


def test_to_list_models_imports_nothing(repo, install):
    """Without `importing` the class need not even exist: its methods are unknown, and nothing is wrong."""
    module = install("raise SystemExit('imported')", acme__http="Http")
    write(repo, f"type: python\nclass: {module}:Releases\n", "a.yaml")
    write(repo, "type: acme/http\n", "b.yaml")
    write(repo, "type: python\nclass: nowhere:Nothing\n", "c.yaml")
    models = load_models(repo)
    assert models.problems == ()
    assert {name: info.methods for name, info in known_models(models).items()} == dict.fromkeys("abc")
    assert module not in sys.modules


def test_what_a_method_takes_is_known(repo, install):
    """A check of workflows is told the methods, their inputs, and which of them are needed."""
    module = install(
        """
        class Releases:
            def deploy(self, tag: str, replicas: int = 1): ...
            def anything(self, **inputs): ...
            async def later(self): ...
        """
    )
    write(repo, f"type: python\nclass: {module}:Releases\n")
    info = known_models(load_models(repo, importing=True), importing=True)["release"]
    assert info.methods == ("deploy", "anything", "later")
    deploy = info.inputs["deploy"]
    assert (deploy.names, deploy.required, deploy.takes_others) == (("tag", "replicas"), ("tag",), False)
    assert deploy.problem("replicas", 2) is None
    assert (
        deploy.problem("replicas", "2")
        == "The method `deploy` cannot take this input `replicas`: Input should be a valid integer."
    )
    assert info.inputs["anything"].takes_others
    assert set(info.unusable) == {"later"}


def test_what_an_import_prints_is_no_answer(repo, install, capsys):
    """Answers are read from stdout; a module that prints there while it is imported does not disturb them."""
    module = install("print('hello')\nclass Plain: ...")
    write(repo, f"type: python\nclass: {module}:Plain\n")
    assert load_models(repo, importing=True).problems == ()
    assert capsys.readouterr() == ("", "hello\n")


REFUSED = {
    "no class": ("type: python\n", (1, 1, "missing_field", "The field `class` is missing.")),
    "a path that is none": (
        "type: python\nclass: 'acme releases:'\n",
        (2, 8, "invalid_name", "`class` must be a name from the entry points `swamp.models`"),
    ),
    "a class that nobody offers": (
        "type: python\nclass: relaeses\n",
        (2, 8, "model_not_installed", "`swamp.models`; did you mean `releases`? Install the distribution"),
    ),
    "a module that is not there": (
        "type: python\nclass: acme_nowhere.models:Releases\n",
        (2, 8, "model_not_installed", "there is no module `acme_nowhere`. Install the distribution"),
    ),
    "a class that is not there": (
        "type: python\nclass: MODULE:Plian\n",
        (2, 8, "model_unusable", "cannot be imported: AttributeError: "),
    ),
    "a module that cannot be imported": (
        "type: python\nclass: BROKEN:Plain\n",
        (2, 8, "model_unusable", "cannot be imported: SystemExit: not today."),
    ),
    "what is no class": ("type: python\nclass: MODULE:nothing\n", (2, 8, "model_unusable", "is no class")),
    "one name for two classes": (
        "type: python\nclass: twice\n",
        (2, 8, "model_unusable", "More than one installed class is called `twice`"),
    ),
    "a type that nobody offers": (
        "type: acme/htpp\nmethods: {go: {run: x}}\n",
        (1, 7, "unknown_type", "Unknown type `acme/htpp`; did you mean `acme/http`?"),
    ),
    "an unknown field": (
        "type: python\nclass: releases\nsetings: {a: 1}\n",
        (3, 1, "unknown_field", "Unknown field `setings`; did you mean `settings`?"),
    ),
    "a distribution, which is found and not given": (
        "type: python\nclass: releases\ndistribution: {name: a, version: '1'}\n",
        (3, 1, "unknown_field", "Unknown field `distribution`"),
    ),
    "an unknown setting": (
        "type: acme/http\nsettings: {base_url: x, retry: 1}\n",
        (2, 25, "unknown_field", "Unknown field `retry`; did you mean `retries`?"),
    ),
    "a setting that is missing": (
        "type: acme/http\nsettings: {retries: 1}\n",
        (2, 11, "missing_field", "The field `base_url` is missing"),
    ),
    "a setting of the wrong type": (
        "type: acme/http\nsettings: {base_url: x, retries: '1'}\n",
        (2, 34, "wrong_type", "`retries` "),
    ),
    "settings for a plain class": (
        "type: python\nclass: releases\nsettings: {a: 1}\n",
        (3, 12, "unknown_field", "`Plain` is no pydantic model, so it takes no settings"),
    ),
    "an expression in a setting": (
        'type: acme/http\nsettings: {base_url: "${{ inputs.url }}"}\n',
        (2, 22, "expression_not_allowed", "give the method an input instead"),
    ),
    "settings that a class chokes on": (
        "type: python\nclass: MODULE:Picky\nsettings: {url: x}\n",
        (3, 11, "model_unusable", "cannot take these settings: RuntimeError: no network."),
    ),
    "a timeout that is none": (
        "type: python\nclass: releases\ntimeout: soon\n",
        (3, 10, "invalid_timeout", "`90s`"),
    ),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_told_at_its_place(repo, install, mistake):
    """Each mistake in the file of a Python model has a code, a line and column, and words that help."""
    module = install(SOURCE, releases="Plain", acme__http="Http", twice="Plain")
    install("class Plain: ...", "other", twice="Plain")
    broken = install("raise SystemExit('not today')", "broken")
    text, (line, column, code, says) = REFUSED[mistake]
    write(repo, text.replace("MODULE", module).replace("BROKEN", broken))
    models = load_models(repo, importing=True)
    assert models.usable == {}
    (problem,) = models.problems
    assert (problem.line, problem.column, problem.code) == (line, column, code)
    assert says in problem.message
    assert models.broken == {"release": models.problems}
