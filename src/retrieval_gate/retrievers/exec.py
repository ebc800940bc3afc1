"""`exec:COMMAND`: a retriever in any language that answers JSON Lines over its stdin and stdout."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.transport import ExecSettings
from retrieval_gate.retrievers.command import check_command, start_command
from retrieval_gate.retrievers.port import Opening, Retriever


def check_exec(spec: AblationSpec) -> None:
    """Raises ConfigError or OutputError (see `check_command`)."""
    check_command(spec, _settings(spec).stderr)


def open_exec(specs: Sequence[AblationSpec], opening: Opening) -> tuple[Retriever, ...]:
    """One process per spec."""
    # What speaks the contract needs pydantic and subprocess: only workers do, and the command line starts fast.
    from retrieval_gate.retrievers.foreign import open_foreign
    from retrieval_gate.retrievers.json_lines import JsonLines

    def begin(spec: AblationSpec, number: int) -> JsonLines:
        settings = _settings(spec)
        process = start_command(spec, opening, number, settings.stderr)
        return JsonLines(process, spec.transport, settings.start_timeout)

    return open_foreign(specs, opening, begin)


def _settings(spec: AblationSpec) -> ExecSettings:
    settings = spec.transport.settings
    return settings if isinstance(settings, ExecSettings) else ExecSettings()
