"""JSON for other tools that may also be printed to a runner's log: it reads back equal, and forges no command."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.canonical import json_line
from retrieval_gate.report.outputs.style import broken_marks


def safe_json(text: str) -> str:
    """The same JSON with the mark of a workflow command written as an escape: `#` stands in strings only."""
    return broken_marks(text, "\\u005b")


def json_list(items: Sequence[object]) -> str:
    """A list with one entry a line."""
    lines = ",\n ".join(json_line(item) for item in items)
    return safe_json(f"[\n {lines}\n]" if items else "[]")
