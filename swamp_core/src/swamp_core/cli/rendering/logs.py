"""How what steps printed is told: line by line as it was, under a heading where there are several."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.seeing_views import LogsResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Gap, Part, Say


def logs_parts(result: LogsResult, workspace: Workspace) -> Iterator[Part]:
    """The logs; the names of steps and streams only where there is more than one to tell apart."""
    sections = [
        (f"{log.job}/{log.step}", stream, text)
        for log in result.logs
        for stream, text in (("stdout", log.stdout), ("stderr", log.stderr), ("traceback", log.traceback))
        if text
    ]
    if not sections and not result.nested:
        yield Say("Nothing was printed.")
    for number, (step, stream, text) in enumerate(sections):
        if number:
            yield Gap()
        if len(sections) > 1 or result.nested:
            yield Say(f"{step}, {stream}:", "dim")
        yield from (Say(line.expandtabs()) for line in text.removesuffix("\n").split("\n"))
    for number, each in enumerate(result.nested):
        if sections and not number:
            yield Gap()
        yield Say(f"{each.job}/{each.step} is a run of its own. See what that printed with:", "dim")
        yield Copy(workspace.command("workflow", "history", "logs", each.run_id))
