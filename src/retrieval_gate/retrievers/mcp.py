"""`mcp:COMMAND`: a tool of an MCP server over its stdin and stdout."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.transport import McpSettings
from retrieval_gate.retrievers.command import check_command, start_command
from retrieval_gate.retrievers.port import Opening, Retriever


def check_mcp(spec: AblationSpec) -> None:
    """Raises ConfigError or OutputError: see `check_command` and `check_template`."""
    settings = _settings(spec)
    check_command(spec, settings.stderr)
    if settings.arguments is not None:
        from retrieval_gate.retrievers.template import check_template

        check_template(settings.arguments, f"the arguments of ablation {spec.id}")


def open_mcp(specs: Sequence[AblationSpec], opening: Opening) -> tuple[Retriever, ...]:
    """One server per spec."""
    # What speaks the contract needs pydantic and subprocess: only workers do, and the command line starts fast.
    from retrieval_gate.retrievers.foreign import open_foreign
    from retrieval_gate.retrievers.mcp_carrier import McpCarrier
    from retrieval_gate.retrievers.mcp_session import McpSession

    def begin(spec: AblationSpec, number: int) -> McpCarrier:
        settings = _settings(spec)
        process = start_command(spec, opening, number, settings.stderr)
        return McpCarrier(McpSession(process), settings, spec.transport)

    return open_foreign(specs, opening, begin)


def _settings(spec: AblationSpec) -> McpSettings:
    settings = spec.transport.settings
    return settings if isinstance(settings, McpSettings) else McpSettings()
