"""The kinds of verdict, worst first: what each means and the first corrective action."""

from __future__ import annotations

from retrieval_gate.verdict.kind import Kind
from retrieval_gate.verdict.loosening import LOOSENINGS
from retrieval_gate.verdict.note_kinds import NOTE_KINDS
from retrieval_gate.verdict.scenario_kinds import CHECKS, FINDINGS
from retrieval_gate.verdict.trace_kinds import TRACE_KINDS

# One kind per rule of loosening; what is done about it is always the same.
_LOOSENED = tuple(
    Kind(
        id=rule.id,
        title=rule.title,
        explanation=rule.explanation,
        action="undo it, or have a maintainer approve it: --approve-loosening with the hash of this report",
        violation=True,
    )
    for rule in LOOSENINGS
)

_FOUND_BY_SCENARIOS = tuple(
    Kind(
        id=row.id,
        title=row.title,
        explanation=row.explanation,
        action=row.action,
        violation=True,
        acceptable=False,
    )
    for row in FINDINGS
)
_SCENARIOS = tuple(
    Kind(
        id=row.id,
        title=row.title,
        explanation=row.explanation,
        action=row.action,
        blocking=False,
        failures=row.failures,
    )
    for row in CHECKS
)
_OF_TRACES = tuple(
    Kind(id=row.id, title=row.title, explanation=row.explanation, action=row.action, acceptable=False)
    for row in TRACE_KINDS
)

KINDS: tuple[Kind, ...] = (
    Kind(
        id="permission-leak",
        title="permission leak",
        explanation=(
            "A chunk that the principal may not see, by a label or by the policy, reached hits, context, "
            "citations or a traced stage. The deepest place is named: citations, context, hits, stages."
        ),
        action="enforce permissions before retrieval, context and logging",
        violation=True,
        acceptable=False,
    ),
    Kind(
        id="stale-evidence",
        title="stale evidence",
        explanation=(
            "A chunk that is out of date for this query, by a label or by the dates of its versions, was "
            "returned, quoted or cited. The deepest place is named, and the version that is served in its stead."
        ),
        action="exclude the expired source and verify that the active index is ready",
        violation=True,
        acceptable=False,
    ),
    Kind(
        id="bad-citation",
        title="citation of what was not retrieved",
        explanation=(
            "The answer cites a chunk that is neither among its hits nor in its context. A citation that is "
            "forbidden or stale is a permission leak or stale evidence, found in citations."
        ),
        action="cite only what the context of this answer holds",
        violation=True,
    ),
    Kind(
        id="unsupported-answer",
        title="answered without support",
        explanation="The retriever answered a question that the fixture expects it to abstain from.",
        action="repair the gate for unsupported questions",
        violation=True,
        waivable=True,
    ),
    Kind(
        id="over-abstention",
        title="abstained over good evidence",
        explanation="The retriever abstained from a question that the fixture expects it to answer.",
        action="inspect the language mapping and the answer gate, before raising recall",
        violation=True,
        waivable=True,
    ),
    Kind(
        id="incomplete-evidence",
        title="incomplete evidence",
        explanation="A question that is to be answered got some of its relevant chunks, and not the others.",
        action="keep the exception beside its rule: retrieve every relevant chunk",
        acceptable=False,
    ),
    Kind(
        id="no-evidence",
        title="no evidence",
        explanation="A question that is to be answered got none of its relevant chunks, nor a stale one instead.",
        action="find what loses the relevant chunk: the filters, the candidates, the ranking or the cut-off",
        acceptable=False,
    ),
    *_FOUND_BY_SCENARIOS,
    *_LOOSENED,
    Kind(
        id="wrong-state",
        title="answer state",
        explanation="The observed answer state is held against the expected one, in both directions.",
        action="add expectedState to queries, and have the retriever give its state",
        blocking=False,
        failures=("unsupported-answer", "over-abstention"),
    ),
    *_SCENARIOS,
    Kind(
        id="query-missing",
        title="query without an answer",
        explanation="The run has no answer for a query of the fixture. It is scored as empty.",
        action="make the retriever answer every query, with an empty list where it finds nothing",
        acceptable=False,
    ),
    *_OF_TRACES,
    Kind(
        id="n-dropped",
        title="measured over less",
        explanation="A value is measured over fewer queries or labels than in the baseline, for the same queries.",
        action="find the queries that are no longer measured: their lists or states are empty now",
    ),
    Kind(
        id="not-measured",
        title="gate not measured",
        explanation="The configuration names a gate whose value this run does not have. That is never a pass.",
        action="run the ablation and label queries for the slice, or remove the gate from the configuration",
    ),
    Kind(
        id="ablation-gone",
        title="ablation gone",
        explanation="The baseline holds an ablation that was not run.",
        action="restore the ablation, or accept its removal with a reason",
    ),
    Kind(
        id="metric-gone",
        title="metric gone",
        explanation="The baseline holds a metric that was not computed.",
        action="restore the metric in the configuration, or accept its removal with a reason",
    ),
    Kind(
        id="slice-gone",
        title="slice gone",
        explanation="The baseline holds a slice that no query of the fixture belongs to any more.",
        action="restore its queries, or accept its removal with a reason",
    ),
    Kind(
        id="query-removed",
        title="query removed",
        explanation="A query of the baseline is no longer in the fixture.",
        action="restore the query, or accept its removal with a reason",
    ),
    Kind(
        id="label-edited",
        title="label edited",
        explanation=(
            "A query's hash differs from that in the baseline. It covers text, language, judgments with their "
            "spans, forbidden and stale labels, expectedState, tags, reviews and split, the principal with its "
            "tenant and attributes, and the time, which is the fixture's asOf where the query has none. The first "
            "part that differs is named; an edit of a document that moves a span in its chunk is one too."
        ),
        action="have the labels reviewed, then accept them with a reason",
    ),
    Kind(
        id="floor",
        title="absolute floor",
        explanation="A value is held against the least that the configuration allows.",
        action="repair the queries lowest in the JSON report; a default bound yields to your own [[gates]]",
    ),
    Kind(
        id="ceiling",
        title="absolute ceiling",
        explanation="A value is held against the most that the configuration allows.",
        action="repair the queries counted in the JSON report; a default bound yields to your own [[gates]]",
    ),
    Kind(
        id="max-below",
        title="distance to another ablation",
        explanation="One ablation's value may be worse than another's by no more than the bound.",
        action="compare both ablations query by query in the report: the later stage loses what the earlier found",
    ),
    Kind(
        id="relevant-left-cut-off",
        title="relevant evidence left the cut-off",
        explanation="A judged unit was within the largest cut-off before and is beyond it, or not returned, now.",
        action="start at the stage named: it is where the unit was lost",
    ),
    Kind(
        id="span-lost",
        title="answer span lost",
        explanation="An annotated span was in the context before and is not now, though its unit is returned.",
        action="inspect how the context is cut and assembled: budget, neighbours, chunk bounds",
    ),
    Kind(
        id="false-positive",
        title="false positive",
        explanation="A query without an answer returned nothing before and returns something now.",
        action="repair the gate for unsupported questions: compare the evidence with its threshold",
    ),
    Kind(
        id="rank-worsened",
        title="judged rank worsened",
        explanation="A judged unit is ranked lower than before and a metric of its query fell.",
        action="look at what is ranked above it now, in fusion and reranking",
    ),
    Kind(
        id="query-value-fell",
        title="query's value fell",
        explanation="A metric of one query fell, and no judged unit or span of it was lost or moved down.",
        action="look at what is returned besides the judged units: more hits, or a longer context",
    ),
    Kind(
        id="no-drop",
        title="no drop against the baseline",
        explanation="Each metric, ablation and slice, over the shared queries, is held against the baseline.",
        action="start with the queries that other failures name, else notes; accept the drop only with a reason",
    ),
    Kind(
        id="completeness",
        title="completeness",
        explanation="Every query of the fixture has an answer from this ablation.",
        action="nothing to do",
        blocking=False,
        failures=("query-missing", "n-dropped"),
    ),
    Kind(
        id="labels",
        title="labels as accepted",
        explanation="No query of the baseline was edited or removed.",
        action="nothing to do",
        blocking=False,
        failures=("query-removed", "label-edited"),
    ),
    Kind(
        id="loosening",
        title="nothing loosened",
        explanation="Nothing that the base branch's baseline asks for is asked for less.",
        action="nothing to do",
        blocking=False,
        failures=tuple(rule.id for rule in LOOSENINGS),
    ),
    *NOTE_KINDS,
)

_BY_ID = {kind.id: kind for kind in KINDS}
_SEVERITY = {kind.id: place for place, kind in enumerate(KINDS)}


def kind_of(kind_id: str) -> Kind:
    """The row of a kind; raises KeyError for a kind that no rule gives."""
    return _BY_ID[kind_id]


def severity(kind_id: str) -> int:
    """The place of a kind from the worst, which is 0."""
    return _SEVERITY[kind_id]
