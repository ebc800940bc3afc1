"""One loosening of every kind, and beside it the change in the same place that asks for more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from retrieval_gate.base.config import Allowance, GateKind, GateSpec
from retrieval_gate.base.fixture import Access, JudgedLevel, Principal, Query, Span, Split, State
from retrieval_gate.base.ids import AblationId, ChunkId, MetricId, PrincipalId, SliceId
from tests.verdict.factories import gate, query, record
from tests.verdict.loosening.world import (
    ALLOWANCE,
    BASE,
    FIXTURE,
    GATES,
    GUARDED,
    HIDDEN,
    NONE,
    ONE,
    PRINCIPAL,
    TWO,
    WAIVER,
    Branch,
    branch,
    good,
    with_query,
    with_record,
)

FLOOR, CEILING, BELOW = GATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """`found` is what is expected of each loosening, in order; `twin` loosens nothing."""

    name: str
    rule: str
    now: Branch
    found: tuple[dict[str, Any], ...]
    twin: Branch


def _gates(*gates: GateSpec) -> Branch:
    return branch(gates=gates)


def _of(asked: Query, **changes: Any) -> Branch:
    return with_query(asked, replace(asked, **changes))


def _fixture(**changes: Any) -> Branch:
    return branch(fixture=replace(FIXTURE, **changes))


def _guarded(access: Access | None) -> Branch:
    return _fixture(documents=(FIXTURE.documents[0], replace(FIXTURE.documents[1], access=access)))


def _principal(**changes: Any) -> Branch:
    return _fixture(principals=(replace(PRINCIPAL, **changes),))


def _allowed(*allowances: Allowance) -> Branch:
    return branch(allowances=allowances)


def _spans(*spans: tuple[int, int]) -> Branch:
    first, second = ONE.judgments
    made = tuple(Span(chunk=ChunkId("a"), start=start, end=end, declared=True) for start, end in spans)
    return _of(ONE, judgments=(replace(first, spans=made), second))


def _grades(**grades: int) -> Branch:
    judgments = tuple(replace(item, relevance=grades.get(item.unit, item.relevance)) for item in ONE.judgments)
    return _of(ONE, judgments=judgments)


def _reranked(a: int | None, b: int | None, **more: Any) -> Branch:
    return with_record(record(ONE, {"a": a, "b": b}, returned=2, state=State.ANSWERED, **more))


_NDCG = Allowance(metric=MetricId("ndcg@10"), ablation=AblationId("hybrid"), slice=None, max_drop=0.02)
_JUDGED_TOO = query("q1", {"a": 3, "b": 2, "c": 1}).judgments

EXAMPLES = (
    Example(
        name="a forbidden label removed, one added",
        rule="loosened-forbidden-gone",
        now=_of(ONE, forbidden=("x2", "x3")),
        found=({"query": "q1", "units": ("x",)},),
        twin=_of(ONE, forbidden=("x", "x2", "x3")),
    ),
    Example(
        name="all stale labels removed",
        rule="loosened-stale-gone",
        now=_of(ONE, stale=()),
        found=({"query": "q1", "units": ("y", "y2")},),
        twin=_of(ONE, stale=("y", "y2", "y3")),
    ),
    Example(
        name="the policy keeps fewer chunks from a question, in one ablation",
        rule="loosened-checks",
        now=with_record(replace(good(ONE), checked_forbidden=1)),
        found=({"metric": "permission-leaks", "before": 2.0, "now": 1.0},),
        twin=with_record(replace(good(ONE), checked_forbidden=7)),
    ),
    Example(
        name="a guarded document made public",
        rule="loosened-access",
        now=_guarded(None),
        found=({"name": "plan"},),
        twin=_fixture(documents=(replace(FIXTURE.documents[0], access=GUARDED), FIXTURE.documents[1])),
    ),
    Example(
        name="a document for any tenant",
        rule="loosened-access",
        now=_guarded(replace(GUARDED, tenant=None)),
        found=({"name": "plan"},),
        twin=_guarded(replace(GUARDED, allow=(*GUARDED.allow, ("staff", ("yes",))))),
    ),
    Example(
        name="a document for another tenant",
        rule="loosened-access",
        now=_guarded(replace(GUARDED, tenant="other")),
        found=({"name": "plan"},),
        twin=_guarded(GUARDED),
    ),
    Example(
        name="a document without one of its conditions",
        rule="loosened-access",
        now=_guarded(replace(GUARDED, allow=(("role", ("boss", "clerk")),))),
        found=({"name": "plan"},),
        twin=_guarded(replace(GUARDED, allow=(("campus", ("east", "west")), ("role", ("boss",))))),
    ),
    Example(
        name="a document for one more role",
        rule="loosened-access",
        now=_guarded(replace(GUARDED, allow=(GUARDED.allow[0], ("role", ("boss", "clerk", "guest"))))),
        found=({"name": "plan"},),
        twin=_guarded(replace(GUARDED, allow=(("campus", ("west",)), ("role", ("clerk",))))),
    ),
    Example(
        name="a principal with one more role",
        rule="loosened-principal",
        now=_principal(attributes=(("role", ("boss", "clerk", "root")),)),
        found=({"name": "p1"},),
        twin=_principal(attributes=(("role", ("boss",)),)),
    ),
    Example(
        name="a principal with one more attribute",
        rule="loosened-principal",
        now=_principal(attributes=(("campus", ("east",)), *PRINCIPAL.attributes)),
        found=({"name": "p1"},),
        twin=_principal(attributes=()),
    ),
    Example(
        name="a principal of another tenant",
        rule="loosened-principal",
        now=_principal(tenant="other"),
        found=({"name": "p1"},),
        twin=_principal(tenant=None),
    ),
    Example(
        name="an expected state removed",
        rule="loosened-state",
        now=_of(ONE, expected_state=None),
        found=({"query": "q1", "name": "ANSWERED"},),
        twin=_of(NONE, expected_state=State.ABSTAINED),
    ),
    Example(
        name="an expected state turned",
        rule="loosened-state",
        now=_of(ONE, expected_state=State.ABSTAINED),
        found=({"query": "q1", "name": "ANSWERED"},),
        twin=BASE,
    ),
    Example(
        name="a state that is not given any more",
        rule="loosened-state-not-given",
        now=with_record(record(ONE, {"a": 1, "b": 2}, returned=2, state=None)),
        found=({"query": "q1", "ablation": "hybrid", "name": "ANSWERED"},),
        twin=with_record(replace(good(TWO), state=State.ANSWERED)),
    ),
    Example(
        name="a waiver added",
        rule="loosened-waiver-added",
        now=branch(waivers=(WAIVER, replace(WAIVER, query=ONE.id))),
        found=({"query": "q1", "before": None, "now": date(2026, 6, 30)},),
        twin=branch(waivers=()),
    ),
    Example(
        name="a waiver extended by a day",
        rule="loosened-waiver-extended",
        now=branch(waivers=(replace(WAIVER, expires=date(2026, 7, 1)),)),
        found=({"query": "q2", "before": date(2026, 6, 30), "now": date(2026, 7, 1)},),
        twin=branch(waivers=(replace(WAIVER, expires=date(2026, 6, 29)),)),
    ),
    Example(
        name="a gate removed",
        rule="loosened-gate-gone",
        now=_gates(CEILING, BELOW),
        found=({"ablation": "hybrid", "metric": "mrr@10", "slice": "all", "name": "floor", "before": 0.7},),
        twin=_gates(*GATES, gate(GateKind.FLOOR, "recall@10", 0.5)),
    ),
    Example(
        name="a gate moved to a slice",
        rule="loosened-gate-gone",
        now=_gates(replace(FLOOR, slice=SliceId("language=en")), CEILING, BELOW),
        found=({"slice": "all", "name": "floor"},),
        twin=_gates(*GATES, replace(FLOOR, slice=SliceId("language=en"))),
    ),
    Example(
        name="a distance to another reference",
        rule="loosened-gate-gone",
        now=branch(
            gates=(FLOOR, CEILING, replace(BELOW, reference=AblationId("third"))),
            ablations=("hybrid", "lexical", "third"),
        ),
        found=({"name": "max-below", "reference": "lexical", "before": 0.05},),
        twin=branch(ablations=("hybrid", "lexical", "third")),
    ),
    Example(
        name="a floor lowered",
        rule="loosened-floor",
        now=_gates(replace(FLOOR, bound=0.69), CEILING, BELOW),
        found=({"ablation": "hybrid", "metric": "mrr@10", "slice": "all", "before": 0.7, "now": 0.69},),
        twin=_gates(replace(FLOOR, bound=0.71), CEILING, BELOW),
    ),
    Example(
        name="a ceiling raised",
        rule="loosened-ceiling",
        now=_gates(FLOOR, replace(CEILING, bound=0.31), BELOW),
        found=({"metric": "no-answer-fpr", "before": 0.3, "now": 0.31},),
        twin=_gates(FLOOR, replace(CEILING, bound=0.29), BELOW),
    ),
    Example(
        name="a max-below raised",
        rule="loosened-max-below",
        now=_gates(FLOOR, CEILING, replace(BELOW, bound=0.06)),
        found=({"metric": "mrr@10", "reference": "lexical", "before": 0.05, "now": 0.06},),
        twin=_gates(FLOOR, CEILING, replace(BELOW, bound=0.04)),
    ),
    Example(
        name="the default drop raised",
        rule="loosened-max-drop",
        now=branch(max_drop=0.02),
        found=({"before": 0.01, "now": 0.02},),
        twin=branch(max_drop=0.0),
    ),
    Example(
        name="an allowance raised",
        rule="loosened-allowance",
        now=_allowed(replace(ALLOWANCE, max_drop=0.11)),
        found=({"metric": "mrr@10", "ablation": None, "slice": None, "before": 0.1, "now": 0.11},),
        twin=_allowed(replace(ALLOWANCE, max_drop=0.09)),
    ),
    Example(
        name="an allowance added",
        rule="loosened-allowance",
        now=_allowed(ALLOWANCE, _NDCG),
        found=({"metric": "ndcg@10", "ablation": "hybrid", "before": 0.01, "now": 0.02},),
        twin=_allowed(ALLOWANCE, replace(_NDCG, max_drop=0.005)),
    ),
    Example(
        name="slack raised",
        rule="loosened-slack",
        now=branch(slack=2e-9),
        found=({"before": 1e-9, "now": 2e-9},),
        twin=branch(slack=0.0),
    ),
    Example(
        name="an ablation that no gate names removed",
        rule="loosened-ablation-gone",
        now=branch(ablations=("hybrid",), gates=GATES),
        found=({"ablation": "lexical"},),
        twin=branch(ablations=("hybrid",), not_run=("lexical",)),
    ),
    Example(
        name="a metric removed",
        rule="loosened-metric-gone",
        now=branch(metrics=("recall@10", "mrr@10", "context-recall", "no-answer-fpr")),
        found=({"metric": "ndcg@10"},),
        twin=branch(metrics=(*BASE.metrics, "hit@1")),
    ),
    Example(
        name="the last query of a tag without it",
        rule="loosened-slice-gone",
        now=_of(ONE, tags=("short",)),
        found=({"slice": "tag=typo"},),
        twin=_of(ONE, tags=("short", "typo", "new")),
    ),
    Example(
        name="a query removed",
        rule="loosened-query-gone",
        now=with_query(NONE),
        found=({"query": "q3"},),
        twin=with_query(NONE, NONE, query("q4")),
    ),
    Example(
        name="a query under another name",
        rule="loosened-query-gone",
        now=with_query(NONE, query("q3-new")),
        found=({"query": "q3"},),
        twin=BASE,
    ),
    Example(
        name="a query held out",
        rule="loosened-query-held-out",
        now=_of(NONE, split=Split.HELDOUT),
        found=({"query": "q3"},),
        twin=with_query(HIDDEN, HIDDEN, query("q10", split=Split.HELDOUT)),
    ),
    Example(
        name="a held-out label edited",
        rule="loosened-held-out",
        now=_of(HIDDEN, forbidden=("x",)),
        found=({"query": None, "slice": "split=heldout", "before": 1.0, "now": 0.0},),
        twin=with_query(HIDDEN, query("q10", {"b": 1}, split=Split.HELDOUT), HIDDEN),
    ),
    Example(
        name="a query with an easier text",
        rule="loosened-query-edited",
        now=_of(NONE, text="another text"),
        found=({"query": "q3"},),
        twin=_of(NONE, forbidden=("x",)),
    ),
    Example(
        name="a query judged by documents",
        rule="loosened-query-edited",
        now=_of(NONE, level=JudgedLevel.DOCUMENT),
        found=({"query": "q3"},),
        twin=_fixture(principals=(PRINCIPAL, Principal(id=PrincipalId("p2"), tenant=None, attributes=()))),
    ),
    Example(
        name="a judgment removed",
        rule="loosened-judgment-gone",
        now=_of(ONE, judgments=ONE.judgments[:1]),
        found=({"query": "q1", "units": ("b",)},),
        twin=_of(ONE, judgments=_JUDGED_TOO),
    ),
    Example(
        name="a grade lowered",
        rule="loosened-grade",
        now=_grades(a=2),
        found=({"query": "q1", "units": ("a",), "before": 3.0, "now": 2.0},),
        twin=_grades(b=3),
    ),
    Example(
        name="an annotated span of another text",
        rule="loosened-span-gone",
        now=_spans((0, 4)),
        found=({"query": "q1", "units": ("a",)},),
        twin=_spans((0, 5), (6, 10)),
    ),
    Example(
        name="a query that left a slice which others stay in",
        rule="loosened-slice-left",
        now=_of(TWO, tags=()),
        found=({"query": "q2", "slice": "tag=short"},),
        twin=_of(TWO, tags=("short", "typo")),
    ),
    Example(
        name="a lint exemption added",
        rule="loosened-exempt",
        now=_fixture(exempt=("path", "url")),
        found=({"name": "path"},),
        twin=_fixture(exempt=()),
    ),
    Example(
        name="a judged unit that is not returned",
        rule="loosened-query-worse",
        now=_reranked(1, None),
        found=({"query": "q1", "ablation": "hybrid", "units": ("b",), "metric": "context-recall"},),
        twin=BASE,
    ),
    Example(
        name="a judged unit beyond the cut-off",
        rule="loosened-query-worse",
        now=_reranked(1, 11),
        found=({"query": "q1", "units": ("b",), "before": 1.0, "now": 0.5},),
        twin=branch(records=tuple(replace(item, ranking_digest="1" * 16) for item in BASE.measured)),
    ),
    Example(
        name="a span that is not in the context",
        rule="loosened-query-worse",
        now=_reranked(1, 2, spans={"a": ()}),
        found=({"units": ("a",), "metric": "context-recall", "before": 1.0, "now": 0.5},),
        twin=BASE,
    ),
    Example(
        name="two judged units swapped",
        rule="loosened-query-worse",
        now=_reranked(2, 1),
        found=({"units": ("a",), "metric": "ndcg@10"},),
        twin=BASE,
    ),
    Example(
        name="a query without an answer that returns something",
        rule="loosened-query-worse",
        now=with_record(record(NONE, returned=1)),
        found=({"query": "q3", "metric": "no-answer-fpr", "before": 0.0, "now": 1.0},),
        twin=BASE,
    ),
)
