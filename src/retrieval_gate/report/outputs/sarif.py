"""The failures as SARIF 2.1.0 (OASIS): a result each; what kept a run from being judged is a notification."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from retrieval_gate.report.issues import CAUSES, Issue, Level, fallback_path, issues
from retrieval_gate.report.outputs.machine import safe_json
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.report import Report, exit_code
from retrieval_gate.verdict.kind import Kind
from retrieval_gate.verdict.kinds import KINDS

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# The second is the one by which GitHub tells an alert that it knows from a new one.
FINGERPRINTS = ("retrievalGate/v1", "primaryLocationLineHash")
_LEVELS = {Level.ERROR: "error", Level.FAILURE: "error", Level.WARNING: "warning"}
_PLACES = {kind.id: place for kinds in (CAUSES, KINDS) for place, kind in enumerate(kinds)}


def render(report: Report, style: Style) -> str:
    """One run, without results where nothing failed. A result without a place names the fixture's first line."""
    found = issues(report, prefix=style.prefix)
    fallback = fallback_path(report, style.prefix)
    run = {
        "tool": {"driver": _driver(report)},
        "automationDetails": {"id": "retrieval-gate/" + ("" if report.label is None else f"{report.label}/")},
        "invocations": [_invocation(report, found)],
        "results": [_result(issue, fallback) for issue in found if issue.level is not Level.ERROR],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return safe_json(json.dumps(log, ensure_ascii=False, indent=1)) + "\n"


def _driver(report: Report) -> dict[str, Any]:
    return {
        "name": "Retrieval Gate",
        "version": report.environment.tool,
        "rules": [_described(kind) for kind in KINDS],
        "notifications": [_described(kind) for kind in CAUSES],
    }


def _described(kind: Kind) -> dict[str, Any]:
    return {
        "id": kind.id,
        "shortDescription": {"text": kind.title},
        "fullDescription": {"text": kind.explanation},
        "help": {"text": f"First action: {kind.action}."},
    }


def _invocation(report: Report, found: tuple[Issue, ...]) -> dict[str, Any]:
    """Successful where the run could be judged, whatever its gates say."""
    errors = [issue for issue in found if issue.level is Level.ERROR]
    return {
        "executionSuccessful": not errors,
        "exitCode": int(exit_code(report)),
        "toolExecutionNotifications": [
            {
                "level": "error",
                "descriptor": {"id": issue.kind.id, "index": _PLACES[issue.kind.id]},
                "message": {"text": _text(issue)},
            }
            for issue in errors
        ],
    }


def _result(issue: Issue, fallback: str) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": quote(issue.path or fallback), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": issue.line or 1},
    }
    return {
        "ruleId": issue.kind.id,
        "ruleIndex": _PLACES[issue.kind.id],
        "level": _LEVELS[issue.level],
        "message": {"text": _text(issue)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": dict.fromkeys(FINGERPRINTS, issue.fingerprint),
    }


def _text(issue: Issue) -> str:
    texts = (issue.headline, *issue.found, f"first: {issue.action}", f"reproduce: {issue.reproduce}")
    return "; ".join(texts)
