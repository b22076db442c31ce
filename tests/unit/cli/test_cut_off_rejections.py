"""A rejection whose process was killed before it ended the run: a resume sees it through, and everything says so."""

import pytest
from swamp_core.app.workspace import open_workspace
from swamp_core.waits.deciding import decide_gate

GATE = 'task: { type: manual_approval, prompt: "Ship?" }'
GATED = f"""
jobs:
  - name: ship
    steps:
      - {{ name: sign, {GATE} }}
      - {{ name: ask, task: {{ type: wait_for_signal, timeout: 1h }} }}
"""
NESTING = """
jobs:
  - name: train
    steps: [{ name: gated, task: { type: workflow, workflowIdOrName: gated } }]
"""


@pytest.mark.parametrize("workflow", ["gated", "train"])
def test_a_run_whose_rejection_was_cut_off_is_ready_to_be_resumed(swamp, workflow):
    """Though it waits for more: the history names the resume, which ends it as failed, in a nested run too."""
    (swamp.directory / "workflows/gated.yaml").write_text(GATED)
    (swamp.directory / "workflows/train.yaml").write_text(NESTING)
    run = swamp("workflow", "run", workflow, "--json").json
    (gate,) = (wait for wait in run["waits"] if wait["kind"] == "approval")
    workspace = open_workspace(swamp.directory, environ={})
    words = {"approve": False, "by": "ada", "reason": None, "decision_id": "d"}
    workspace.execute(decide_gate(gate["waitId"], now=swamp.ambient.clock.now, **words))
    runs = swamp("workflow", "history", "list", "--json").json["runs"]
    assert {each["awaitingResume"] for each in runs} == {True}
    resume = f"swamp workflow resume {run['run']['id']}"
    assert resume in swamp("workflow", "history", "list").out.splitlines()
    assert swamp("workflow", "resume", run["run"]["id"]).code == 1
    runs = swamp("workflow", "history", "list", "--json").json["runs"]
    assert {each["status"] for each in runs} == {"failed"}
