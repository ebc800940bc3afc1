"""The outputs of `score` and `compare`, in the order of `--format`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval_gate.report.outputs import json_view
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.traces import compare_text, text
from retrieval_gate.report.traces.report import TraceComparison, TraceReport
from retrieval_gate.report.traces.view import comparison_view, report_view


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOutput:
    """`id` is the word after `--format`."""

    id: str
    score: Callable[[TraceReport, Style], str]
    compare: Callable[[TraceComparison, Style], str]


TRACE_OUTPUTS = (
    TraceOutput(id="text", score=text.render, compare=compare_text.render),
    TraceOutput(
        id="json",
        score=lambda report, _style: json_view.written(report_view(report)),
        compare=lambda comparison, _style: json_view.written(comparison_view(comparison)),
    ),
)


def trace_output(name: str) -> TraceOutput:
    """The output of this id, which is one of the table's."""
    return next(row for row in TRACE_OUTPUTS if row.id == name)
