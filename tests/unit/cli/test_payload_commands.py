"""The command that signals a wait of which no example was found says where the payload is to be written."""

ASK = """
jobs:
  - name: j
    steps:
      - name: ask
        task:
          type: wait_for_signal
          timeout: 1h
          schema: { properties: { ticket: { type: string, pattern: "^OPS-[0-9]+$" } }, required: [ticket] }
"""


def test_a_payload_of_which_no_example_is_known_is_given_in_a_file(swamp):
    """Not the command that fails without a terminal: the refusal of that one names the options and the fields."""
    (swamp.directory / "workflows/ask.yaml").write_text(ASK)
    (wait,) = swamp("workflow", "run", "ask", "--json").json["waits"]
    bare = f"swamp workflow signal {wait['waitId']}"
    assert wait["nextCommand"] == f"{bare} --payload-file payload.json"
    refused = swamp("workflow", "signal", wait["waitId"])
    assert refused.code == 2
    assert "--payload or --payload-file" in refused.err
    assert "ticket" in refused.err
    assert refused.err.splitlines()[-1] == wait["nextCommand"]
