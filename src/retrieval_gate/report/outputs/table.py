"""The outputs, in the order of `--format`: a view of a Report each, as one text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval_gate.base.errors import UsageError
from retrieval_gate.report.outputs import annotations as github
from retrieval_gate.report.outputs import gitlab, json_view, junit, sarif, summary, text
from retrieval_gate.report.outputs.style import PLAIN, Style
from retrieval_gate.report.report import Report

__all__ = ["OUTPUTS", "Output", "Style", "output", "render_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """`id` is the word after `--format`; `extension` is of a file that holds this output."""

    id: str
    extension: str
    explanation: str
    render: Callable[[Report, Style], str]


OUTPUTS = (
    Output(
        id="text",
        extension=".txt",
        explanation="for a terminal: the verdict, failures worst first, metrics, what to do next",
        render=text.render,
    ),
    Output(
        id="json",
        extension=".json",
        explanation="report v1: everything, for machines; schemas/report-v1.schema.json describes it",
        render=json_view.render,
    ),
    Output(
        id="markdown",
        extension=".md",
        explanation="for a job summary: as text, with tables and collapsed details, at most 900 KiB",
        render=summary.render,
    ),
    Output(
        id="github",
        extension=".txt",
        explanation="for the log of a GitHub step: one annotation per failure at its place, ten at most",
        render=github.render,
    ),
    Output(
        id="junit",
        extension=".xml",
        explanation="JUnit XML: a failure for each failed gate, an error where the run could not be judged",
        render=junit.render,
    ),
    Output(
        id="sarif",
        extension=".json",
        explanation="SARIF 2.1.0: a result for each failed gate, with fingerprints that no line number moves",
        render=sarif.render,
    ),
    Output(
        id="gitlab",
        extension=".json",
        explanation="GitLab Code Quality: an entry for each failure, [] without any",
        render=gitlab.render,
    ),
)


def output(name: str) -> Output:
    """The output of this id; raises UsageError for any other."""
    for row in OUTPUTS:
        if row.id == name:
            return row
    raise UsageError(
        "unknown-format",
        "there is no output format of this name",
        fix=f"choose from {', '.join(row.id for row in OUTPUTS)}",
    )


def render_json(report: Report) -> str:
    """The JSON report, as `--report` writes it."""
    return json_view.render(report, PLAIN)
