"""The failures as GitLab Code Quality: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format."""

from __future__ import annotations

from typing import Any

from retrieval_gate.report.issues import Issue, Level, fallback_path, issues
from retrieval_gate.report.outputs.machine import json_list
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.report import Report


def render(report: Report, style: Style) -> str:
    """A JSON list, `[]` for a run without failures. Every entry needs a path: the fixture's where it has none."""
    found = issues(report, prefix=style.prefix)
    fallback = fallback_path(report, style.prefix)
    return json_list([_entry(issue, fallback) for issue in found]) + "\n"


def _entry(issue: Issue, fallback: str) -> dict[str, Any]:
    about = [issue.headline, *issue.found, f"first: {issue.action}"]
    return {
        "description": "; ".join(about),
        "check_name": issue.kind.id,
        "fingerprint": issue.fingerprint,
        "severity": _severity(issue),
        "location": {"path": issue.path or fallback, "lines": {"begin": issue.line or 1}},
    }


def _severity(issue: Issue) -> str:
    """A run that could not be judged and a violation stand above a regression, and that above a warning."""
    if issue.level is Level.WARNING:
        return "minor"
    if issue.level is Level.ERROR:
        return "blocker"
    return "critical" if issue.kind.violation else "major"
