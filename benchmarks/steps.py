"""What a step costs: a run of many scripts that do nothing, against the scripts and one durable create for each."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bare import BareFiles, script
from benchmarks.measuring import Figure, against
from swamp_core import Swamp

STEPS = 50

MODEL = "type: command/shell\nmethods:\n  nothing: { run: 'true' }\n"
TASK = "{ type: model_method, modelIdOrName: bare, methodName: nothing }"


def figures(directory: Path, rounds: int) -> list[Figure]:
    """A chain of steps, each after the one before, and as many steps side by side."""
    for name, text in (
        ("models/bare.yaml", MODEL),
        ("workflows/chain.yaml", _workflow(chained=True)),
        ("workflows/wide.yaml", _workflow(chained=False)),
    ):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    (directory / "bare").mkdir()
    files = BareFiles(directory / "bare")
    swamp = Swamp.open(directory)

    def run(workflow: str) -> None:
        assert swamp.run(workflow).run.status == "succeeded"

    def floor() -> None:
        for _ in range(STEPS):
            script()
            files.create()

    return [
        against(
            f"a step of {STEPS} {how}",
            lambda workflow=workflow: run(workflow),  # type: ignore[misc]
            "a script, a create",
            floor,
            rounds=rounds,
            units=STEPS,
        )
        for workflow, how in (("chain", "in a chain"), ("wide", "side by side"))
    ]


def _workflow(*, chained: bool) -> str:
    lines = ["jobs:", "  - name: job", "    steps:"]
    for number in range(STEPS):
        after = f", dependsOn: [s{number - 1}]" if chained and number else ""
        lines.append(f"      - {{ name: s{number}, task: {TASK}{after} }}")
    return "\n".join([*lines, ""])
