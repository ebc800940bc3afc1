"""Words that several probes use."""

from __future__ import annotations

import re

from retrieval_gate.doctor.wire import Fault

# Why what a recording lacks is no advice: nothing that is recorded can be changed or asked otherwise.
NO_SCENARIOS = "recorded: scenarios are not run"
# What a retriever says of itself is shown where it can be nothing but a name.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")


def shown_name(said: str) -> str | None:
    """The name or version where it may be shown; None where it has none, or one that may be a text."""
    return said if _NAME.fullmatch(said) else None


def of(part: int, whole: int, name: str) -> str:
    """E.g. `3 of 20 questions`; `name` is the plural."""
    return f"{part or 'none'} of {whole} {name}"


def told(fault: Fault) -> str:
    return f"[{fault.code}] {fault.what}"


def listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"
