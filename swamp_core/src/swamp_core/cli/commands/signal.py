"""`swamp workflow signal`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from swamp_core.cli.completion import complete_keys, complete_workflows
from swamp_core.cli.completion_standing import complete_wait_ids
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Gap, Say
from swamp_core.cli.usage import LENGTH, TEXT, Misuse
from swamp_core.cli.verbose import verbose_option

if TYPE_CHECKING:
    from datetime import timedelta

    from swamp_core.app.signal import Payload
    from swamp_core.app.views import SignalResult
    from swamp_core.cli.signal_targets import SignalTarget


@click.command("signal", cls=GlobalOptionsCommand, context_settings={"allow_extra_args": True})
@click.argument("wait_id", required=False, shell_complete=complete_wait_ids)
@click.option(
    "--workflow",
    metavar="NAME",
    type=TEXT,
    shell_complete=complete_workflows,
    help="The workflow of --key, instead of a wait ID.",
)
@click.option(
    "--key",
    metavar="KEY",
    type=TEXT,
    shell_complete=complete_keys,
    help="Signal the wait that holds this key, or the next one.",
)
@click.option("--payload", metavar="JSON", help="The payload: a JSON object.")
@click.option("--payload-file", metavar="FILE", help="A file with the payload; - is stdin.")
@click.option(
    "--resume", "and_resume", is_flag=True, help="Then resume the run, if nothing else is waited for."
)
@click.option(
    "--idempotency-key",
    metavar="TEXT",
    type=TEXT,
    help="Names this signal, so that repeating it gives the same receipt. One is made up and shown otherwise.",
)
@click.option(
    "--ttl",
    metavar="SECONDS",
    type=LENGTH,
    help="How long it is held for the next wait under the key, if none is open; an hour, if the step says nothing.",
)
@click.option("--dry-run", is_flag=True, help="Only say whether it would be accepted; send nothing.")
@verbose_option
@click.pass_obj
def signal(
    invocation: Invocation,
    wait_id: str | None,
    workflow: str | None,
    key: str | None,
    payload: str | None,
    payload_file: str | None,
    and_resume: bool,
    idempotency_key: str | None,
    ttl: timedelta | None,
    dry_run: bool,
) -> ExitCode:
    r"""Give a payload to an open wait, and get the receipt.

    With --workflow and --key it goes to the wait that holds the key; while none does, it is held for the next one.

    It may be done from any host that reaches the store. It never touches the run, which goes on when it is resumed.
    On a terminal, without a payload, the fields are asked for.

    The payload is kept in plain text and shown to whoever can read the store: it must carry no secret.

    \b
      swamp workflow signal 5d0f4c6a --payload '{"verdict":"ship"}' --resume
      swamp workflow signal --workflow release --key verdict --payload '{"verdict":"ship"}'
    """
    from swamp_core.cli.payloads import read_payload
    from swamp_core.cli.rendering.signals import check_parts, signal_parts
    from swamp_core.cli.signal_targets import target_of

    if words := click.get_current_context().args:
        raise _misplaced(invocation, wait_id, words)
    if payload is not None and payload_file is not None:
        raise Misuse("The payload is given twice.", hint="Give either --payload or --payload-file.")
    if dry_run and and_resume:
        raise Misuse(
            "With --dry-run nothing is sent that a resume could take up.", hint="Leave out one of them."
        )
    target = target_of(invocation.workspace, wait_id, workflow, key, ttl)
    given = read_payload(invocation, target, payload, payload_file)
    if dry_run:
        check = target.check(given, idempotency_key)
        _warn_of_held(invocation, target, given, check.status)
        invocation.output.answer(check.to_json(), check_parts(check))
        return ExitCode.DONE
    result = target.send(given, idempotency_key)
    _warn_of_held(invocation, target, given, result.status)
    if not and_resume or result.run_id is None:
        if and_resume:
            invocation.output.warn(Say("No wait has it yet, so no run was resumed.", "warn"))
        invocation.output.answer(result.to_json(), signal_parts(result))
        return ExitCode.DONE
    return _and_resume(invocation, result, result.run_id)


def _misplaced(invocation: Invocation, wait_id: str | None, words: list[str]) -> click.UsageError:
    message = f"Got unexpected extra arguments ({' '.join(words)})."
    if len(words) > 1 or not words[0].lstrip().startswith("{"):
        return click.UsageError(message, click.get_current_context())
    command = ("swamp", "workflow", "signal", wait_id or "", "--payload", words[0], *invocation.flags)
    return Misuse(message, hint=f"If that is the payload, give it with --payload:\n{shlex.join(command)}")


def _warn_of_held(invocation: Invocation, target: SignalTarget, payload: Payload, status: str) -> None:
    """Tell the sender at once that the step, as its file is now, would not accept what is held for it."""
    if status in ("held", "would_hold") and (why := target.why_not_accepted(payload)):
        invocation.output.warn(Say(f"No wait will take it unless the workflow changes. {why}", "warn"))


def _and_resume(invocation: Invocation, result: SignalResult, run_id: str) -> ExitCode:
    from swamp_core.cli.rendering.runs import run_parts
    from swamp_core.cli.rendering.signals import receipt_parts
    from swamp_core.cli.resuming import resume_after

    output = invocation.output
    if not output.as_json:
        output.say(*receipt_parts(result))
    resumption = resume_after(invocation, run_id)
    after = result.model_copy(update={"awaiting_resume": resumption.awaited})
    if (resumed := resumption.run) is None:
        output.answer(after.to_json(), ())
    else:
        after = after.model_copy(update={"run": resumed.run, "parent": resumed.parent})
        output.answer(after.to_json(), (Gap(), *run_parts(resumed, invocation.workspace)))
    return resumption.exit_code
