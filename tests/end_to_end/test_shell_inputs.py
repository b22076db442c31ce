"""A script never sees untrusted text as code: it comes as environment variables and JSON, whatever it says."""

import json

import pytest

# `$SWAMP_INPUT_NOTE` arrives with its last newlines, so it is printed and not passed through `$(…)`.
MODEL = """
type: command/shell
methods:
  note:
    run: |
      printf %s "$SWAMP_INPUT_NOTE" > note
      printf %s "$SWAMP_INPUTS" > inputs
      printf %s "$SWAMP_INPUT_PAYLOAD" > payload
"""
WORKFLOW = """
inputs: { type: object, properties: { title: { type: string } } }
jobs:
  - name: release
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 24h } }
      - name: publish
        dependsOn: [review]
        task:
          type: model_method
          modelIdOrName: notes
          methodName: note
          inputs:
            note: ${{ steps.review.outputs.payload.note }}
            title: "Release: ${{ inputs.title }}"
            payload: ${{ steps.review.outputs.payload }}
"""
NASTY = [
    "$(touch pwned)",
    "`touch pwned`",
    '"; touch pwned; echo "',
    "'; touch pwned; echo '",
    "x\ntouch pwned\n",
    "x; touch pwned #",
    "${IFS}$0 $1 $@ ${SWAMP_OUTPUT} ~ * ?",
    "${{ inputs.title }}",
    "-n -e \\n \\x41 %s%n",
    "\u202e\u200b\U0001f40a \x1b[31m",
]
KINDS = {"note": "".join(NASTY), "n": 1, "f": 1.5, "yes": True, "none": None, "list": [1, {"a": "$(id)"}]}


@pytest.fixture
def notes(swamp):
    swamp.write("models/notes.yaml", MODEL)
    swamp.write("workflows/notes.yaml", WORKFLOW)
    return swamp


def given(swamp, payload, title):
    """Run `notes` to its end with a payload from a stranger and an input; what its script was given."""
    ran = swamp.json("workflow", "run", "notes", "--input", f"title={title}")
    (wait,) = ran["waits"]
    swamp("workflow", "signal", wait["waitId"], "--payload", json.dumps(payload), "--resume")
    files = [(swamp.directory / name).read_bytes().decode() for name in ("note", "inputs", "payload")]
    return files[0], json.loads(files[1]), json.loads(files[2])


@pytest.mark.parametrize("text", ["\n".join(NASTY), NASTY[4], KINDS["note"]])
def test_text_reaches_a_script_unchanged_and_is_never_run(notes, text):
    """What a payload or an input says arrives byte for byte in variables and JSON, and none of it is a command."""
    note, inputs, payload = given(notes, {"note": text}, text)
    assert note == text
    assert inputs == {"note": text, "title": f"Release: {text}", "payload": {"note": text}}
    assert payload == {"note": text}
    assert not (notes.directory / "pwned").exists()


def test_values_of_every_kind_reach_a_script_as_json(notes):
    """A whole-value expression keeps its type: numbers, booleans, null and lists come as JSON."""
    _note, inputs, payload = given(notes, KINDS, "1.0")
    assert (inputs["payload"], payload) == (KINDS, KINDS)
    assert {name: type(value) for name, value in payload.items()} == {
        name: type(value) for name, value in KINDS.items()
    }


def test_names_of_steps_and_jobs_reach_a_script_unchanged(swamp):
    """A step's name may be any printable text; it arrives in a variable and is no code, no key and no path."""
    name = "$(touch pwned)/../`id`; 'x' \"y\""
    swamp.write(
        "models/notes.yaml",
        'type: command/shell\nmethods: { note: { run: "printf %s \\"$SWAMP_JOB|$SWAMP_STEP\\" > seen" } }\n',
    )
    task = {"type": "model_method", "modelIdOrName": "notes", "methodName": "note"}
    workflow = {"jobs": [{"name": name, "steps": [{"name": name, "task": task}]}]}
    swamp.write("workflows/notes.yaml", json.dumps(workflow))
    swamp("workflow", "run", "notes")
    assert (swamp.directory / "seen").read_text() == f"{name}|{name}"
    assert not (swamp.directory / "pwned").exists()


@pytest.mark.only_local("what is wrong with a file is told before a store is asked")
@pytest.mark.parametrize("field", ["run", "env", "workingDir"])
def test_an_expression_in_a_script_is_refused(notes, field):
    """`${{ }}` in `run`, or beside it, is refused by `validate` and by `run`, with the place and the reason."""
    method = {
        "run": "true",
        field: {"X": "${{ inputs.title }}"} if field == "env" else "echo ${{ inputs.title }}",
    }
    notes.write("models/notes.yaml", json.dumps({"type": "command/shell", "methods": {"note": method}}))
    validated = notes.json("workflow", "validate", code=1)["workflows"]
    (problem,) = next(each["problems"] for each in validated if each["path"] == "models/notes.yaml")
    assert problem["code"] == ("expression_in_script" if field == "run" else "expression_not_allowed")
    assert (problem["line"], problem["column"] > 1) == (1, True)
    refused = notes.json("workflow", "run", "notes", "--input", "title=x", code=3)["error"]
    assert (refused["code"], problem["message"] in refused["message"]) == ("invalid_workflow", True)
    if field == "run":
        assert "untrusted text into code" in problem["message"]
    assert notes.json("workflow", "history", "list")["runs"] == []
