"""Where a signal's payload comes from: the command line, a file, stdin, or a person at a terminal."""

from __future__ import annotations

from swamp_core.app.signal import Payload
from swamp_core.app.wait_views import wait_view
from swamp_core.cli.asking import can_ask
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.reading import read_bytes
from swamp_core.cli.rendering.waits import schema_text
from swamp_core.cli.signal_targets import SignalTarget
from swamp_core.cli.usage import Misuse
from swamp_core.payload.strict_json import RAW_BYTES_MAX


def read_payload(invocation: Invocation, target: SignalTarget, text: str | None, file: str | None) -> Payload:
    """The payload that is given or, on a terminal, asked for. Raises `Misuse` where there is none."""
    if text is not None:
        return text
    if file is not None:
        return read_bytes(file, bytes_max=RAW_BYTES_MAX)
    registration = target.registration()
    if registration is None:
        raise Misuse(
            "A signal needs a payload, and no open wait says what it must be.",
            hint="Give it with --payload or --payload-file.",
        )
    if can_ask(invocation.output):
        from swamp_core.cli.asking import ask_for_payload

        return ask_for_payload(registration, invocation)
    view = wait_view(registration, invocation.workspace)
    raise Misuse(
        "A signal needs a payload, and there is no terminal to ask for one.",
        hint=f"Give it with --payload or --payload-file. It must be: {schema_text(view)}\n{view.next_command}",
    )
