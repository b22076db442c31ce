"""Workflow files: what is said of a bad one, and which of several are taken."""

import pytest
from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.files import load_file
from swamp_core.workflow.loading import find_workflows
from swamp_core.workflow.problems import did_you_mean

GOOD = """
description: Builds it.
jobs:
  - name: build
    steps:
      - {name: ask, task: {type: wait_for_signal, timeout: 24h}}
"""


@pytest.fixture
def repo(tmp_path):
    (tmp_path / "workflows").mkdir()
    return tmp_path


@pytest.fixture
def load(repo):
    def load(text, name="release.yaml"):
        (repo / "workflows" / name).write_text(text, "utf-8")
        [loaded] = find_workflows(repo)
        return loaded

    return load


def said(loaded):
    return [(problem.line, problem.column, problem.code, problem.message) for problem in loaded.problems]


def test_a_workflow_is_named_after_its_file(load):
    """Without a name of its own, a workflow has the stem of its file's name."""
    loaded = load(GOOD)
    assert loaded.valid
    assert loaded.problems == ()
    assert (loaded.name, loaded.definition.name) == ("release", "release")
    assert loaded.definition.jobs[0].steps[0].task.timeout_s == 86_400


def test_a_declared_name_wins(load):
    """The name in the file is the identity; the file may be called anything."""
    loaded = load("name: ship\n" + GOOD, "What Ever.yml")
    assert loaded.definition.name == "ship"


def test_a_file_name_that_is_no_name_is_explained(load):
    """A stem that cannot be a name is refused with the two remedies' reason."""
    loaded = load(GOOD, "Release.yaml")
    assert not loaded.valid
    [(line, column, code, message)] = said(loaded)
    assert (line, column, code) == (2, 1, "invalid_name")
    assert "`Release`" in message
    assert "Add a `name`" in message


MISTAKES = """\
name: release
inputs: {type: object}
jobs:
  - name: build
    dependson: [x]
    steps:
      - name: 5
        guard:
        allowFailure: True
        dependsOn: [{job: x}, 5, {step: a, condition: {type: suceeded}}]
        task: {type: wait_for_signal, timeout: 12:30, earlySignals: 1, reply: 1}
      - name: a
        task: {type: asert}
      - name: b
        task: {}
      - name: c
        task: 5
        dependsOn: x
      - task: {type: model_method, methodNam: x}
      - name: "x\\ny"
        task: {type: wait_for_signal, timeout: 2y, schema: 5}
  - name: z
    steps: []
"""


def test_every_mistake_of_form_is_told_at_its_place(load):
    """All mistakes come at once, in the order of the file, each as a sentence at the key or value that is meant."""
    loaded = load(MISTAKES)
    assert not loaded.valid
    assert said(loaded) == [
        (5, 5, "unknown_field", "Unknown field `dependson`; did you mean `dependsOn`?"),
        (7, 15, "wrong_type", "`name` must be text; quote it."),
        (8, 15, "no_value", "`guard` has no value; give it one or leave the field out."),
        (9, 23, "wrong_type", "`allowFailure` must be `true` or `false`."),
        (10, 21, "missing_field", "The field `step` is missing in `dependsOn[0]`."),
        (10, 22, "unknown_field", "Unknown field `job`; known here: `condition`, `step`."),
        (10, 31, "wrong_type", "`dependsOn[1]` must be a mapping."),
        (10, 62, "unknown_type", "Unknown type `suceeded`; did you mean `succeeded`?"),
        (
            11,
            48,
            "invalid_timeout",
            "`timeout` must be a number of seconds, or `90s`, `30m`, `24h` or `7d`.",
        ),
        (
            11,
            69,
            "invalid_early_signals",
            "`earlySignals` must be `false`, or a mapping with `ttl`, `max` or both.",
        ),
        (
            11,
            72,
            "unknown_field",
            "Unknown field `reply`; known here: `earlySignals`, `key`, `prompt`, `schema`, `timeout`, `type`.",
        ),
        (13, 22, "unknown_type", "Unknown type `asert`; did you mean `assert`?"),
        (15, 15, "wrong_type", "`task` must be a mapping with a `type`."),
        (17, 15, "wrong_type", "`task` must be a mapping."),
        (18, 20, "wrong_type", "`dependsOn` must be a list."),
        (19, 9, "missing_field", "The field `name` is missing in `steps[4]`."),
        (19, 15, "missing_field", "The field `methodName` is missing in `task`."),
        (19, 15, "missing_field", "The field `modelIdOrName` is missing in `task`."),
        (19, 36, "unknown_field", "Unknown field `methodNam`; did you mean `methodName`?"),
        (
            20,
            15,
            "invalid_name",
            "`name` must have printable characters only: no line break, tab or other control character.",
        ),
        (
            21,
            48,
            "invalid_timeout",
            "`timeout` must be a number of seconds, or `90s`, `30m`, `24h` or `7d`.",
        ),
        (21, 60, "wrong_type", "`schema` must be a mapping."),
        (23, 12, "wrong_type", "`steps` must not be empty."),
    ]


@pytest.mark.parametrize("text", ["- a\n", "just text\n", "5\n"])
def test_a_file_that_is_no_mapping_is_refused(load, text):
    """A list or a scalar is no workflow."""
    assert [code for _, _, code, _ in said(load(text))] == ["wrong_type"]


def test_a_missing_field_is_told_at_the_top(load):
    """A workflow without jobs is refused."""
    assert said(load("name: a\n")) == [(1, 1, "missing_field", "The field `jobs` is missing.")]


def test_a_problem_names_its_file(load, repo):
    """Problems of syntax and of form carry the path and print as `file:line:column: sentence`."""
    path = repo / "workflows" / "release.yaml"
    for text in ("a: 1\na: 2\n", "a: 1\n"):
        problem = load(text).problems[0]
        assert problem.file == path
        assert str(problem).startswith(f"{path}:{problem.line}:{problem.column}: ")


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path):
    """What the file system refuses is told like any other problem."""
    loaded = load_file(tmp_path / "gone.yaml", lambda _: Workflow, lambda _: ())
    assert [problem.code for problem in loaded.problems] == ["unreadable_file"]


def test_all_workflow_files_are_found_in_order(repo):
    """Both suffixes count; hidden files, other files and directories do not."""
    directory = repo / "workflows"
    for name in ("b.yaml", "a.yml", ".hidden.yaml", "notes.txt"):
        (directory / name).write_text(GOOD)
    (directory / "c.yaml").mkdir()
    assert [loaded.name for loaded in find_workflows(repo)] == ["a", "b"]


def test_a_repo_without_workflows_has_none(tmp_path):
    """A missing directory is an empty one."""
    assert find_workflows(tmp_path) == ()


def test_two_files_of_one_name_are_both_refused(repo):
    """Neither of two workflows of one name is taken for the one that was meant; each names the other's place."""
    directory = repo / "workflows"
    (directory / "a.yaml").write_text("name: release" + GOOD)
    (directory / "b.yaml").write_text("# mine\nname: release" + GOOD)
    (directory / "c.yaml").write_text(GOOD)
    first, second, other = find_workflows(repo)
    assert not first.valid
    assert not second.valid
    assert other.valid
    assert said(first) == [
        (
            1,
            7,
            "name_clash",
            "The name `release` is also that of b.yaml at line 2, column 7. Rename one of them.",
        )
    ]
    assert said(second) == [
        (
            2,
            7,
            "name_clash",
            "The name `release` is also that of a.yaml at line 1, column 7. Rename one of them.",
        )
    ]


def test_a_bad_file_does_not_spoil_the_others(repo):
    """Each file stands for itself."""
    (repo / "workflows" / "bad.yaml").write_bytes(b"\xff")
    (repo / "workflows" / "good.yaml").write_text(GOOD)
    assert [(loaded.name, loaded.valid) for loaded in find_workflows(repo)] == [
        ("bad", False),
        ("good", True),
    ]


NEW_PARTS = """\
concurrency: 0
jobs:
  - name: j
    concurrency: true
    steps:
      - name: a
        concurrency: 1.5
        forEach: {item: in, in: 5}
        task: {type: workflow, workflowIdOrName: 5, inputs: []}
      - name: b
        foreach: []
        forEach: 5
        task: {type: manual_approval, timeout: 0}
      - name: c
        forEach: {item: x-y, in: }
        task: {type: assert, expr: true, mesage: ""}
      - name: d
        forEach:
        concurrency:
        task: {type: workflow, workflow: b}
      - name: e
        forEach: {item: x, of: []}
        task: {type: aproval, prompt: x}
"""


def test_every_mistake_of_form_of_the_later_tasks_is_told_at_its_place(load):
    """A value that could have been several things has one sentence; a field called as its task has its place."""
    number = "`concurrency` must be a whole number from 1 to 10000."
    items = "`in` must be a list, a mapping, or one expression that gives one, written `${{ … }}`."
    assert said(load(NEW_PARTS)) == [
        (1, 14, "invalid_concurrency", number),
        (4, 18, "invalid_concurrency", number),
        (7, 22, "invalid_concurrency", number),
        (
            8,
            25,
            "invalid_name",
            "`item` is a word of the language of expressions, which could not read it; choose another.",
        ),
        (8, 33, "wrong_type", items),
        (9, 50, "wrong_type", "`workflowIdOrName` must be text; quote it."),
        (9, 61, "wrong_type", "`inputs` must be a mapping."),
        (11, 9, "unknown_field", "Unknown field `foreach`; did you mean `forEach`?"),
        (12, 18, "wrong_type", "`forEach` must be a mapping."),
        (13, 15, "missing_field", "The field `prompt` is missing in `task`."),
        (13, 48, "invalid_timeout", "`timeout` must be from one second to one year."),
        (
            15,
            25,
            "invalid_name",
            "`item` must be 1 to 64 of the characters a-z, A-Z, 0-9 and `_`, and not start with a digit.",
        ),
        (15, 34, "wrong_type", items),
        (16, 15, "missing_field", "The field `message` is missing in `task`."),
        (16, 36, "wrong_type", "`expr` must be text; quote it."),
        (16, 42, "unknown_field", "Unknown field `mesage`; did you mean `message`?"),
        (18, 17, "no_value", "`forEach` has no value; give it one or leave the field out."),
        (19, 21, "no_value", "`concurrency` has no value; give it one or leave the field out."),
        (20, 15, "missing_field", "The field `workflowIdOrName` is missing in `task`."),
        (20, 32, "unknown_field", "Unknown field `workflow`; did you mean `workflowIdOrName`?"),
        (22, 18, "missing_field", "The field `in` is missing in `forEach`."),
        (22, 28, "unknown_field", "Unknown field `of`; known here: `in`, `item`."),
        (23, 22, "unknown_type", "Unknown type `aproval`; did you mean `manual_approval`?"),
    ]


@pytest.mark.parametrize(
    ("word", "known", "clause"),
    [
        ("depends_on", ["dependsOn", "steps"], "; did you mean `dependsOn`?"),
        ("NAME", ["name"], "; did you mean `name`?"),
        ("stpes", ["steps", "name"], "; did you mean `steps`?"),
        ("zebra", ["b", "a"], "; known here: `a`, `b`."),
        ("zebra", [], "."),
    ],
)
def test_a_suggestion_is_the_closest_word_or_all_of_them(word, known, clause):
    """An unknown word is answered with what was probably meant, else with what there is."""
    assert did_you_mean(word, known) == clause


@pytest.mark.parametrize("given", ["-1", "101", "yes", "2.5", "true"])
def test_how_many_signals_are_held_is_a_number_within_bounds(load, given):
    """What else `max` is, is refused in the words of the file's author, as is every `earlySignals` that cannot be."""
    asked = f"timeout: 24h, key: verdict, earlySignals: {{max: {given}}}"
    [(*_, code, message)] = said(load(GOOD.replace("timeout: 24h", asked)))
    assert (code, message) == ("invalid_early_signals", "`max` must be a whole number from 0 to 100.")


@pytest.mark.parametrize(("given", "held"), [("false", 0), ("{max: 0}", 0), ("{max: 100}", 100), ("{}", 16)])
def test_how_many_signals_are_held(load, given, held):
    """`false` holds none; without a `max` it is 16."""
    loaded = load(GOOD.replace("timeout: 24h", f"timeout: 24h, key: verdict, earlySignals: {given}"))
    assert loaded.definition.jobs[0].steps[0].task.early_signals.max == held
