"""`swamp workflow graph`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_run_ids, complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT

FORMATS = ("text", "mermaid")


@click.command("graph", cls=GlobalOptionsCommand)
@click.argument("name", type=TEXT, shell_complete=complete_workflows)
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    type=TEXT,
    shell_complete=complete_run_ids,
    help="Draw this run of the workflow: what it has pinned, and where each step stands.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="A tree for a terminal, or a flowchart for Mermaid.",
)
@click.pass_obj
def graph(invocation: Invocation, name: str, run_id: str | None, format_: str) -> ExitCode:
    r"""Draw a workflow, or a run of it.

    Shown are its jobs and steps, what each depends on, and on which condition. The steps stand in the order in which
    they can run. With --run, the file is not looked at: a run keeps the definition that it was started with. Runs that
    are nested in it are drawn within its steps, of many the first.

    \b
      swamp workflow graph release
      swamp workflow graph release --run 0192f0c1 --format mermaid
    """
    from swamp_core.app.graph import run_graph, workflow_graph
    from swamp_core.cli.parts import Say
    from swamp_core.cli.rendering.graph import graph_parts
    from swamp_core.cli.rendering.mermaid import mermaid

    workspace = invocation.workspace
    drawn = run_graph(workspace, name, run_id) if run_id is not None else workflow_graph(workspace, name)
    if format_ == "mermaid":
        text = mermaid(drawn)
        drawn = drawn.model_copy(update={"mermaid": text})
        invocation.output.answer(drawn.to_json(), [Say(line) for line in text.splitlines()])
    else:
        invocation.output.answer(drawn.to_json(), graph_parts(drawn, workspace))
    return ExitCode.DONE
