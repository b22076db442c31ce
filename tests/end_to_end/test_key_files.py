"""The key of a step in a workflow file: what `validate` accepts, and what it refuses with which line and rule."""

import pytest

from tests.end_to_end.keyed_releases import KEYED, keyed

pytestmark = pytest.mark.only_local("no store is asked")
SECOND = """
      - name: again
        task: { type: wait_for_signal, timeout: 1h, key: verdict }
"""
ELSEWHERE = """
  - name: later
    steps:
      - name: again
        task: { type: wait_for_signal, timeout: 1h, key: verdict }
"""


def problems(release, text):
    """What `validate` says of a file: code, message and line."""
    release.swamp.write("workflows/release.yaml", text)
    ended = release.swamp("workflow", "validate", "--json", code=None)
    (workflow,) = ended.json["workflows"]
    assert ended.code == (0 if workflow["valid"] else 1)
    return [(each["code"], each["message"], each["line"]) for each in workflow["problems"]]


def test_a_key_is_valid(release):
    """With and without word of early signals."""
    for early in (None, "false", "{ ttl: 10m, max: 3 }"):
        keyed(release, early)
        release.swamp("workflow", "validate")
    (listed,) = release.swamp.json("workflow", "list")["workflows"]
    assert listed["keys"] == ["verdict"]


@pytest.mark.parametrize("key", ["Verdict", "a" * 65, "-a", "''", "a.b", "a/b", "é"])
def test_a_malformed_key_is_refused_with_the_rule(release, key):
    """The rule is in the message, and the line is the key's."""
    text = KEYED.replace("key: verdict", f"key: {key}")
    ((code, message, line),) = problems(release, text)
    assert code == "invalid_name"
    assert "1 to 64 characters from a-z, 0-9, `_` and `-`" in message
    assert text.splitlines()[line - 1].strip() == f"key: {key}"


def test_a_key_is_no_device_and_no_expression(release):
    """A device of Windows could not be a directory there; what is computed could not be known to a sender."""
    ((code, message, _),) = problems(release, KEYED.replace("key: verdict", "key: nul"))
    assert (code, "device" in message) == ("invalid_name", True)
    ((code, message, _),) = problems(release, KEYED.replace("key: verdict", "key: ${{ inputs.key }}"))
    assert (code, "without expressions" in message) == ("wrong_type", True)


@pytest.mark.parametrize(("more", "other"), [(SECOND, "release/again"), (ELSEWHERE, "later/again")])
def test_one_key_on_two_steps_is_refused_with_both(release, more, other):
    """In one job and across jobs: both steps are named, and where the first one stands."""
    text = KEYED.rstrip() + more
    ((code, message, line),) = problems(release, text)
    assert code == "duplicate_wait_key"
    assert "`release/review`" in message
    assert f"`{other}`" in message
    first = next(number for number, each in enumerate(text.splitlines(), 1) if "key: verdict" in each)
    assert (line != first, str(first) in message) == (True, True)


def test_a_key_under_for_each_is_refused_with_the_step(release):
    """One wait holds a key at a time, and there would be one for each item."""
    text = KEYED.replace("- name: review", "- name: review\n        forEach: { item: x, in: [1, 2] }")
    found = [each for each in problems(release, text) if each[0] == "wait_key_under_for_each"]
    ((_, message, _),) = found
    assert "`release/review`" in message
