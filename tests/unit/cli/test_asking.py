"""Asking a person for a payload, one field after the other."""

import pytest

ASK = """
jobs:
  - name: ask
    steps:
      - name: answer
        task:
          type: wait_for_signal
          timeout: 1h
          prompt: "How many?\\e[2J"
          schema:
            type: object
            required: [count, sure]
            properties:
              count: { type: integer, minimum: 1, description: How many there are }
              sure: { type: boolean }
              size: { enum: [small, 3, null] }
              tags: { type: array, items: { type: string } }
"""


@pytest.fixture
def wait_id(swamp, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    (swamp.directory / "workflows" / "ask.yaml").write_text(ASK)
    return swamp("workflow", "run", "ask", "--json").json["waits"][0]["waitId"]


@pytest.fixture
def asked(swamp, wait_id, monkeypatch):
    """What is shown when a person types these lines, and the payload that is stored, if one is."""
    monkeypatch.setenv("TERM", "xterm")

    def asked(*typed):
        answer = swamp("workflow", "signal", wait_id, "--no-color", stdin="".join(typed), terminal=True)
        resumed = swamp("workflow", "resume", "ask", "--json").json
        if "error" in resumed:
            assert resumed["error"]["code"] == "wait_open"
            return answer, None
        return answer, resumed["run"]["jobs"][0]["steps"][0]["outputs"]["payload"]

    return asked


def test_each_field_is_read_by_its_type(asked):
    """A number is a number, true is a boolean, JSON is JSON, and a choice may be of any type."""
    answer, stored = asked("3\n", "true\n", "null\n", '["a", "b"]\n')
    assert answer.code == 0
    assert stored == {"count": 3, "sure": True, "size": None, "tags": ["a", "b"]}


def test_an_optional_field_may_be_left_out(asked):
    """An empty answer leaves an optional field out, and asks for a required one again."""
    _, stored = asked("\n", "1\n", "false\n", "\n", "\n")
    assert stored == {"count": 1, "sure": False}


def test_a_required_field_without_a_description_is_asked_for(swamp, monkeypatch):
    """A field that the schema only requires is asked for too: without it no payload would ever fit."""
    monkeypatch.setenv("TERM", "xterm")
    (swamp.directory / "workflows" / "ask.yaml").write_text(
        "jobs: [{name: ask, steps: [{name: answer, task: {type: wait_for_signal, timeout: 1h, "
        "schema: {required: [why], properties: {note: {type: string}}}}}]}]"
    )
    wait_id = swamp("workflow", "run", "ask", "--json").json["waits"][0]["waitId"]
    answer = swamp("workflow", "signal", wait_id, stdin=b" \n\n\xff\n because \n", terminal=True)
    assert answer.code == 0, answer.err
    assert "This field is required." in answer.err
    assert "no text in the terminal's encoding" in answer.err
    resumed = swamp("workflow", "resume", "ask", "--json").json
    assert resumed["run"]["jobs"][0]["steps"][0]["outputs"]["payload"] == {"why": " because "}


def test_an_answer_that_does_not_fit_is_asked_for_again(asked):
    """A wrong type, a value out of range and a choice that is none are each told, and nothing is sent meanwhile."""
    answer, stored = asked("many\n", "0\n", "2\n", "yes\n", "true\n", "large\n", "small\n", "[1]\n", "[]\n")
    assert stored == {"count": 2, "sure": True, "size": "small", "tags": []}
    assert 'It must be a whole number, such as 3, not "many".' in answer.err
    assert 'It must be true or false, not "yes".' in answer.err
    assert "JSON at line" not in answer.err
    assert "/count" in answer.err
    assert "/size" in answer.err


def test_the_questions_say_what_is_wanted(asked):
    """The prompt, the deadline, each field's type, choices and whether it is required; nothing that is hostile."""
    answer, _ = asked("1\n", "true\n", "\n", "\n")
    assert "How many?\\x1b[2J" in answer.err
    assert "2026-07-27 13:00:00 UTC (in 60 minutes)" in answer.err
    assert "count (integer, required)" in answer.err
    assert "How many there are" in answer.err
    assert "small, 3, null" in answer.err
    assert "tags (array, optional" in answer.err
    assert "must carry no secret" in answer.err


def test_the_end_of_the_input_sends_nothing(asked):
    """Ctrl-D in the middle is an interrupt; the wait stays open."""
    answer, stored = asked("1\n")
    assert answer.code == 130
    assert stored is None


def test_without_fields_a_whole_object_is_asked_for(swamp, monkeypatch):
    """A wait that takes any object asks for JSON, again if it is none."""
    monkeypatch.setenv("TERM", "xterm")
    (swamp.directory / "workflows" / "ask.yaml").write_text(
        "jobs: [{name: ask, steps: [{name: answer, task: {type: wait_for_signal, timeout: 1h}}]}]"
    )
    wait_id = swamp("workflow", "run", "ask", "--json").json["waits"][0]["waitId"]
    answer = swamp("workflow", "signal", wait_id, stdin='[1]\n{"a": 1}\n', terminal=True)
    assert answer.code == 0
    assert "must be a JSON object" in answer.err


@pytest.mark.parametrize("options", [{"stdin": "{}"}, {"stdin": None}, {"stdin": "{}", "terminal": True}])
def test_without_a_person_nothing_is_asked(swamp, wait_id, options, monkeypatch):
    """A pipe, a closed stdin, or a script that reads JSON from a terminal gets the command that does it."""
    monkeypatch.setenv("TERM", "xterm")
    words = ("--json",) if options.get("terminal") else ()
    answer = swamp("workflow", "signal", wait_id, *words, **options)
    assert answer.code == 2
    command = f'swamp workflow signal {wait_id} --payload \'{{"count":1,"sure":true}}\''
    assert command in (answer.json["error"]["hint"] if words else answer.err)
