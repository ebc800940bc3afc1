"""What fails a supplied trace besides its checks: it or its labels are lost, or its values fell; worst first."""

from __future__ import annotations

from retrieval_gate.verdict.scenario_kinds import Words

MISSING = "trace-missing"
UNLABELLED = "trace-unlabelled"
REMOVED = "trace-removed"
RELABELLED = "trace-relabelled"
FELL = "trace-value-fell"

# None can be accepted: `score` and `compare` know no baseline.
TRACE_KINDS: tuple[Words, ...] = (
    Words(
        id=MISSING,
        title="labelled trace that the run does not hold",
        explanation="The judgments label a trace that the run does not hold. It is scored as empty.",
        action="record a trace of every labelled query, with empty hits where nothing was found",
    ),
    Words(
        id=UNLABELLED,
        title="trace without labels",
        explanation="The run holds a trace that the judgments do not label: nothing of it is checked.",
        action="label it in the judgments, or take it out of the run",
    ),
    Words(
        id=REMOVED,
        title="trace that AFTER does not hold",
        explanation="A trace of BEFORE is not in AFTER: no failure is repaired by forgetting it.",
        action="record the trace in AFTER too, with the same labels",
    ),
    Words(
        id=RELABELLED,
        title="trace with other labels",
        explanation="The relevant, forbidden or stale chunks of a trace, or its expected state, differ in AFTER.",
        action="have the labels reviewed, then give both files the same ones, or give them once: --judgments",
    ),
    Words(
        id=FELL,
        title="trace's value fell",
        explanation="Recall, hit, precision or reciprocal rank of a trace is lower in AFTER than in BEFORE.",
        action="compare the two lists of hits: which relevant chunk left or moved down, and what came in",
    ),
)
