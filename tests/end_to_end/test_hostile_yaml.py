"""Workflow files as an editor, a merge or a stranger leaves them: each mistake has its place; nothing is guessed."""

import json

import pytest

pytestmark = pytest.mark.only_local("what is wrong with a file is told before a store is asked")

STEP = "task: {type: wait_for_signal, timeout: 1h}"
HEAD = f"jobs: [{{name: j, steps: [{{name: s, {STEP}}}]}}]\n"
MIB = 1024 * 1024
BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)


def step_with(field):
    """A workflow whose one step has this field on line 4."""
    return f"jobs:\n  - name: j\n    steps:\n      - {field}\n        name: s\n        {STEP}\n"


# name: (file, code of the problem, line, column if it is worth saying, what the message says)
REFUSED = {
    "duplicate key": (f"name: bad\n{HEAD}name: bad\n", "duplicate_key", 3, 1, "line 1, column 1"),
    "duplicate key at depth": (
        f"jobs:\n  - name: j\n    steps: [{{name: s, {STEP}}}]\n    name: k\n",
        "duplicate_key",
        4,
        5,
        "line 2, column 5",
    ),
    "alias bomb": (BOMB, "too_many_values", 6, None, "aliases are written out"),
    "alias to itself": ("jobs: &a [*a]\n", "yaml_not_supported", 1, 11, "inside its own anchor"),
    "merge key": (f"x: &x {{name: s}}\n{HEAD}<<: *x\n", "yaml_not_supported", 3, 1, "<<"),
    "tab": ("jobs:\n\t- name: j\n", "invalid_yaml", 2, 1, "tab"),
    "10 MB": (b"# " + b"x" * (10 * MIB), "file_too_large", 1, 1, "1 MiB"),
    "10 MB of one deep value": (b"[" * (10 * MIB), "file_too_large", 1, 1, "1 MiB"),
    "deep": (b"[" * 100_000, "too_deep", 1, None, "64 deep"),
    "not UTF-8": (b"jobs:\n  - name: \xff\n", "not_utf8", 2, 11, "UTF-8"),
    "UTF-16": (HEAD.encode("utf-16"), "not_utf8", 1, 1, "UTF-8"),
    "NUL": (b"jobs: \x00\n", "invalid_yaml", 1, 7, "U+0000"),
    "ANSI escape": (b"jobs: \x1b[31m\n", "invalid_yaml", 1, 7, "U+001B"),
    "two documents": (f"{HEAD}---\n{HEAD}", "yaml_not_supported", 2, 1, "second document"),
    "a tag": (
        f"description: !!python/object/apply:os.system [touch pwned]\n{HEAD}",
        "yaml_not_supported",
        1,
        14,
        "tag",
    ),
    "empty": ("", "empty_file", 1, 1, "empty"),
    "a list": ("- a\n- b\n", "wrong_type", 1, 1, "mapping"),
    "`no` for a boolean": (step_with("allowFailure: no"), "wrong_type", 4, 23, "`true` or `false`"),
    "`on` for a boolean": (step_with("allowFailure: on"), "wrong_type", 4, 23, "`true` or `false`"),
    "`yes` for a boolean": (step_with("allowFailure: yes"), "wrong_type", 4, 23, "`true` or `false`"),
    "a boolean for a name": (
        "jobs: [{name: true, steps: []}]\n",
        "wrong_type",
        1,
        15,
        "must be text; quote it",
    ),
    "12:30 for a timeout": (HEAD.replace("1h", "12:30"), "invalid_timeout", 1, None, "90s"),
    "no timeout": (HEAD.replace(", timeout: 1h", ""), "missing_field", 1, 42, "`timeout` is missing"),
    "unknown field": (step_with("alowFailure: true"), "unknown_field", 4, 9, "did you mean `allowFailure`?"),
    "unknown task": (
        HEAD.replace("wait_for_signal", "wait_for_signl"),
        "unknown_type",
        1,
        49,
        "did you mean `wait_for_signal`?",
    ),
    "unknown field of a task": (
        HEAD.replace("timeout", "timout"),
        "unknown_field",
        1,
        66,
        "did you mean `timeout`?",
    ),
    "steps in a circle": (
        f"jobs: [{{name: j, steps: [{{name: a, dependsOn: [b], {STEP}}}, {{name: b, dependsOn: [a], {STEP}}}]}}]\n",
        "dependency_cycle",
        1,
        None,
        "`a` → `b` → `a`",
    ),
    "jobs in a circle": (
        f"jobs:\n- {{name: a, dependsOn: [a], steps: [{{name: s, {STEP}}}]}}\n",
        "dependency_cycle",
        2,
        None,
        "`a` → `a`",
    ),
    "two steps of one name": (
        f"jobs: [{{name: j, steps: [{{name: s, {STEP}}},\n {{name: s, {STEP}}}]}}]\n",
        "duplicate_name",
        2,
        9,
        "line 1",
    ),
    "a name that is a path": (f"name: ../bad\n{HEAD}", "invalid_name", 1, 7, "must have 1 to 64 characters"),
    "a name that is a device": (f"name: con\n{HEAD}", "invalid_name", 1, 7, "Windows"),
    "`no` for a concurrency": (
        step_with("concurrency: no"),
        "invalid_concurrency",
        4,
        22,
        "a whole number from 1 to 10000",
    ),
    "a number to do a step for": (
        step_with("forEach: {item: n, in: 3}"),
        "wrong_type",
        4,
        32,
        "a list, a mapping, or one expression",
    ),
    "an alias bomb to do a step for": (
        f"{BOMB}forEach: {{item: n, in: *a29}}\n{HEAD}",
        "too_many_values",
        6,
        None,
        "aliases are written out",
    ),
    "an item that no expression could read": (
        step_with("forEach: {item: true, in: [1]}"),
        "wrong_type",
        4,
        25,
        "must be text; quote it",
    ),
    "a workflow that runs itself": (
        "jobs: [{name: j, steps: [{name: s, task: {type: workflow, workflowIdOrName: bad}}]}]\n",
        "nested_cycle",
        1,
        77,
        "`bad` → `bad`",
    ),
    "a workflow that is a path": (
        "jobs: [{name: j, steps: [{name: s, task: {type: workflow, workflowIdOrName: ../release}}]}]\n",
        "unknown_nested_workflow",
        1,
        77,
        "did you mean `release`?",
    ),
    "a workflow from an expression": (
        "jobs: [{name: j, steps: [{name: s, task: {type: workflow, workflowIdOrName: '${{ run.id }}'}}]}]\n",
        "expression_not_allowed",
        1,
        77,
        "known before the run starts",
    ),
    "an unknown dependency": (
        HEAD.replace("name: s,", "name: s, dependsOn: [t],"),
        "unknown_dependency",
        1,
        None,
        "t",
    ),
}


def names_of(found):
    return [(each["name"], each["valid"]) for each in found]


@pytest.fixture
def nothing_stored(swamp):
    """Asserts, when the test is over, that not even a store was made."""
    yield
    assert not (swamp.directory / ".swamp").exists()
    assert not (swamp.directory / "pwned").exists()


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(("content", "code", "line", "column", "says"), REFUSED.values(), ids=REFUSED)
def test_a_bad_file_has_its_mistake_named_by_each_command(swamp, content, code, line, column, says):
    """`validate` gives the place, `run` refuses with the same, and `list` goes on with the others."""
    file = swamp.directory / "workflows/bad.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    validated = swamp.json("workflow", "validate", code=1)["workflows"]
    bad = next(each for each in validated if each["path"] == "workflows/bad.yaml")
    assert [each["valid"] for each in validated if each["path"] != bad["path"]] == [True]
    errors = [each for each in bad["problems"] if each["severity"] == "error"]
    problem = next(each for each in errors if code == each["code"])
    assert problem["line"] == line
    assert column in (None, problem["column"])
    assert says in problem["message"]
    shown = swamp.here("workflow", "validate", bad["name"])
    assert (shown.code, f"bad.yaml:{problem['line']}:{problem['column']}: " in shown.out) == (1, True)
    ended = swamp.here("--json", "workflow", "run", "--", bad["name"])
    refused = ended.json["error"]
    assert (ended.code, refused["code"]) == (3, "invalid_workflow")
    assert problem["message"] in [each["message"] for each in refused["details"]["problems"]]
    listed = names_of(swamp.here("--json", "workflow", "list").json["workflows"])
    assert sorted(listed) == sorted([(bad["name"], False), ("release", True)])


@pytest.mark.usefixtures("nothing_stored")
def test_both_places_of_a_duplicate_key_are_told(swamp):
    """The message of a key that is there twice names the place of the first; the problem stands at the second."""
    swamp.write("workflows/bad.yaml", f"name: bad\n{HEAD}name: bad\n")
    ended = swamp("workflow", "validate", "bad", code=1)
    assert "bad.yaml:3:1: " in ended.out
    assert "line 1, column 1" in ended.out


@pytest.mark.usefixtures("nothing_stored")
def test_two_files_of_one_workflow_are_both_refused(swamp):
    """Which of two files a name means is not guessed."""
    swamp.write("workflows/bad.yaml", f"name: twin\n{HEAD}")
    swamp.write("workflows/worse.yml", f"name: twin\n{HEAD}")
    validated = swamp.json("workflow", "validate", "twin", code=1)["workflows"]
    assert names_of(validated) == [("twin", False), ("twin", False)]
    assert {problem["code"] for each in validated for problem in each["problems"]} == {"name_clash"}
    assert swamp.json("workflow", "run", "twin", code=3)["error"]["code"] == "invalid_workflow"
    swamp("workflow", "validate", "release")


def test_words_that_other_readers_turn_into_something_else_stay_text(swamp):
    """`no`, `on`, `12:30`, `1_000`, `0x10`, `~` and dates reach a step as the author wrote them."""
    words = ["no", "on", "yes", "12:30", "1_000", "0x10", "2026-01-01", ".inf", "1e3x", "0o17", "=", "Null"]
    swamp.write(
        "workflows/words.yaml",
        "jobs:\n  - name: j\n    steps:\n      - name: s\n        task:\n          type: model_method\n"
        "          modelIdOrName: words\n          methodName: keep\n          inputs: { words: ["
        + ", ".join(words)
        + "] }\n",
    )
    swamp.write(
        "models/words.yaml",
        'type: command/shell\nname: words\nmethods: { keep: { run: \'printf "%s" "$SWAMP_INPUTS" > kept\' } }\n',
    )
    swamp("workflow", "run", "words")
    assert json.loads((swamp.directory / "kept").read_text()) == {"words": words}


@pytest.mark.usefixtures("nothing_stored")
def test_a_file_that_cannot_be_opened_is_told_as_such(swamp):
    """A link to nowhere and a folder with a file's name end nothing: the other workflows are still there."""
    (swamp.directory / "workflows/folder.yaml").mkdir()
    (swamp.directory / "workflows/nowhere.yaml").symlink_to("missing.yaml")
    assert ("release", True) in names_of(swamp.json("workflow", "list")["workflows"])
