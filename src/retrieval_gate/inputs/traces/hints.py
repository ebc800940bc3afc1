"""What mends a field that is refused, where that is not what the rule's own row says. A new hint is one row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from retrieval_gate.inputs.fixture.rule import Finding
from retrieval_gate.inputs.traces.model import JUDGMENTS, JUDGMENTS_DOOR, RUN_DOOR, TRACES, TRACES_DOOR

# The fields of a trace that are labels, and those that are the answer.
LABELS, ANSWER = ("relevant", "forbidden", "stale", "expected"), ("observed", "hits")


class Refused(NamedTuple):
    """A rule that refuses a field, at the door of this name; the field of the file itself is the empty text."""

    door: str
    rule: str
    field: str


_APART = "add the field; labels that stand in a file of their own are given by --judgments FILE"
_TWICE = "take the labels out of the run, or leave out --judgments"
_ONLY_LABELS = "remove it: a file of judgments holds labels, and the run what was returned"

HINTS: Mapping[Refused, str] = {
    Refused(TRACES_DOOR.name, "missing-field", "relevant"): _APART,
    Refused(TRACES_DOOR.name, "missing-field", TRACES): "list them under traces, in an array, or one a line",
    Refused(TRACES_DOOR.name, "missing-field", "hits"): "list what was returned, in order; nothing is []",
    Refused(TRACES_DOOR.name, "unknown-field", JUDGMENTS): "give a file of judgments by --judgments FILE",
    Refused(TRACES_DOOR.name, "too-many-problems", ""): (
        "check that these are traces; labels that stand in a file of their own are given by --judgments FILE"
    ),
    **{Refused(RUN_DOOR.name, "unknown-field", field): _TWICE for field in LABELS},
    Refused(RUN_DOOR.name, "too-many-problems", ""): f"check that these are traces; {_TWICE}",
    **{Refused(JUDGMENTS_DOOR.name, "unknown-field", field): _ONLY_LABELS for field in (*ANSWER, TRACES)},
    Refused(JUDGMENTS_DOOR.name, "missing-field", JUDGMENTS): (
        "list them under judgments, in an array, or one a line"
    ),
    Refused(JUDGMENTS_DOOR.name, "too-many-problems", ""): "check that this is a file of judgments",
}


def hinted(findings: Iterable[Finding], door: str) -> list[Finding]:
    """The findings of a schema, those that have a hint with it."""
    return [_hinted(finding, door) for finding in findings]


def _hinted(finding: Finding, door: str) -> Finding:
    hint = HINTS.get(Refused(door, finding.rule, finding.pointer.rpartition("/")[2]))
    return finding if hint is None else replace(finding, fix=hint)
