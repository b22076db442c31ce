"""`resume --from` of a run that has not failed: what it waits for is said, and no run that waits is called over."""


def test_a_step_of_a_suspended_run_is_not_run_again(swamp, open_wait):
    """Who asks for it is told what the run waits for, and that only a run that failed is run again from a step."""
    (run,) = swamp("workflow", "history", "list", "--json").json["runs"]
    words = ("workflow", "resume", run["id"], "--from", "review")
    error = swamp(*words, "--json").json["error"]
    assert error["code"] == "wait_open"
    assert "waits for a signal: step `review`" in error["message"]
    assert error["message"].endswith(" Only a run that failed is run again from a step.")
    assert "is over" not in error["message"]
    (wait,) = swamp("workflow", "waits", "--json").json["waits"]
    assert error["hint"].splitlines()[-1] == wait["nextCommand"]


def test_a_suspended_run_that_nothing_holds_up_is_resumed_without_from(swamp, open_wait):
    """Once its wait is settled the command is named that goes on with it, and that works."""
    (run,) = swamp("workflow", "history", "list", "--json").json["runs"]
    swamp("workflow", "signal", open_wait, "--payload", '{"verdict":"ship"}')
    refused = swamp("workflow", "resume", run["id"], "--from", "review")
    assert refused.code == 3
    assert refused.err.splitlines()[-1] == f"swamp workflow resume {run['id']}"
    error = swamp("workflow", "resume", run["id"], "--from", "review", "--json").json["error"]
    assert (error["code"], error["details"]["status"]) == ("not_resumable", "suspended")
    assert swamp("workflow", "resume", run["id"]).code == 0
