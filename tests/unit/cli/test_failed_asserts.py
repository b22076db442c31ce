"""A run that an assert failed: the command that is printed runs again what the assert read, not the assert alone."""

import pytest

COUNT = "task: { type: model_method, modelIdOrName: release, methodName: build }"
ASK = "task: { type: wait_for_signal, timeout: 1h }"


def checking(expression):
    """The task of an assert."""
    return f"task: {{ type: assert, expr: '${{{{ {expression} }}}}', message: No. }}"


def of_one_job(*steps):
    return "jobs:\n  - name: j\n    steps:\n" + "".join(f"      - {{ {step} }}\n" for step in steps)


OF_A_PAYLOAD = of_one_job(
    f"name: ask, {ASK}",
    f"name: build, dependsOn: [ask], {COUNT}",
    f"name: check, dependsOn: [build, ask], {checking('steps.ask.outputs.payload.ok')}",
    f"name: after, dependsOn: [check], {COUNT}",
)


@pytest.fixture
def failed(swamp):
    """Runs a workflow until it has failed, signalling what it waits for; its ID, and what was printed at last."""

    def run(text, name="gate"):
        (swamp.directory / f"workflows/{name}.yaml").write_text(text)
        ran = swamp("workflow", "run", name)
        for wait in swamp("workflow", "waits", "--json").json["waits"]:
            words = ("workflow", "signal", wait["waitId"], "--payload", '{"ok":false}', "--resume")
            ran = swamp(*words)
        newest = swamp("workflow", "history", "list", "--json").json["runs"][0]
        assert newest["status"] == "failed"
        return newest["id"], ran.out

    return run


def retry(run_id, *words):
    return " ".join(("swamp workflow resume gate --run", run_id, *words))


def test_a_retry_asks_again_for_the_payload_that_an_assert_refused(swamp, failed):
    """Not the assert alone, nor the step before it that it does not read: the wait, and what depends on it."""
    run_id, told = failed(OF_A_PAYLOAD)
    assert told.splitlines()[-1] == retry(run_id, "--from", "ask")
    assert retry(run_id, "--from", "ask") in swamp("workflow", "recover", run_id).err.splitlines()
    assert swamp("workflow", "resume", "gate", "--run", run_id, "--from", "ask").code == 0
    (wait,) = swamp("workflow", "waits", "--json").json["waits"]
    words = ("workflow", "signal", wait["waitId"], "--payload", '{"ok":true}', "--resume", "--json")
    assert swamp(*words).json["run"]["status"] == "succeeded"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (of_one_job(f"name: check, {checking('false')}"), ()),
        (
            of_one_job(f"name: b, {COUNT}", f"name: c, dependsOn: [b], {checking('steps.b.status == 1')}"),
            ("b",),
        ),
        # Two asserts, of which no step that is read has both run again.
        (
            of_one_job(
                f"name: a, {COUNT}",
                f"name: b, {COUNT}",
                f"name: c, dependsOn: [a], {checking('steps.a.outputs.exitCode == 1')}",
                f"name: d, dependsOn: [b], {checking('steps.b.outputs.exitCode == 1')}",
            ),
            (),
        ),
        # The same name in two jobs.
        (
            of_one_job(f"name: b, {COUNT}")
            + "  - name: k\n    dependsOn: [j]\n    steps:\n"
            + f"      - {{ name: b, {checking('jobs.j.steps.b.outputs.exitCode == 1')} }}\n",
            ("j/b",),
        ),
    ],
)
def test_a_retry_names_a_step_only_where_that_helps(failed, text, words):
    """Of asserts that read no step, or not the same, what failed is run again as ever."""
    run_id, told = failed(text)
    assert told.splitlines()[-1] == retry(run_id, *(("--from", *words) if words else ()))
