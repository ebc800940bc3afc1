"""A base branch with something of every kind to loosen, and a pull request that accepts whatever it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from retrieval_gate.base.config import Allowance, Config, GateKind, GateSpec, Waiver
from retrieval_gate.base.fixture import Access, Chunk, Fixture, Principal, Query, Split, State
from retrieval_gate.base.ids import AblationId, ChunkId, MetricId, PrincipalId, QueryId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.verdict.accepted import Baseline
from retrieval_gate.verdict.baseline import candidate
from retrieval_gate.verdict.case import make_case
from retrieval_gate.verdict.comparison import compare
from retrieval_gate.verdict.judge import judge
from retrieval_gate.verdict.loosening import Loosening, loosenings
from tests.verdict import factories
from tests.verdict.factories import document, gate, query, record

ONE = query(
    "q1",
    {"a": 3, "b": 2},
    forbidden=("x", "x2"),
    stale=("y", "y2"),
    expected=State.ANSWERED,
    tags=("short", "typo"),
)
TWO = query("q2", {"c": 3}, language="zh", tags=("short",))
NONE = query("q3")
HIDDEN = query("q9", {"a": 3}, split=Split.HELDOUT)
GUARDED = Access(tenant="acme", allow=(("campus", ("east", "west")), ("role", ("boss", "clerk"))))
PRINCIPAL = Principal(id=PrincipalId("p1"), tenant="acme", attributes=(("role", ("boss", "clerk")),))
GATES = (
    gate(GateKind.FLOOR, "mrr@10", 0.7),
    gate(GateKind.CEILING, "no-answer-fpr", 0.3),
    gate(GateKind.MAX_BELOW, "mrr@10", 0.05, reference="lexical"),
)
ALLOWANCE = Allowance(metric=MetricId("mrr@10"), ablation=None, slice=None, max_drop=0.1)
WAIVER = Waiver(query=QueryId("q2"), reason="known", expires=date(2026, 6, 30))


def chunk(name: str, text: str = "alpha beta gamma delta") -> Chunk:
    return Chunk(id=ChunkId(name), content=text, start=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """What one side says and measures; `records` None: every judged unit at its place, in both ablations."""

    fixture: Fixture
    records: tuple[QueryRecord, ...] | None = None
    ablations: tuple[str, ...] = ("hybrid", "lexical")
    metrics: tuple[str, ...] = ("recall@10", "mrr@10", "ndcg@10", "context-recall", "no-answer-fpr")
    gates: tuple[GateSpec, ...] = GATES
    max_drop: float = 0.01
    slack: float = 1e-9
    allowances: tuple[Allowance, ...] = (ALLOWANCE,)
    waivers: tuple[Waiver, ...] = (WAIVER,)
    not_run: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        return factories.plan(of=self.fixture, ablations=self.ablations, metrics=self.metrics)

    @property
    def config(self) -> Config:
        made = factories.config(
            self.plan,
            gates=self.gates,
            max_drop=self.max_drop,
            allowances=self.allowances,
            waivers=self.waivers,
            more_ablations=self.not_run,
        )
        return replace(made, slack=self.slack)

    @property
    def measured(self) -> tuple[QueryRecord, ...]:
        if self.records is not None:
            return self.records
        return tuple(good(asked, ablation) for ablation in self.ablations for asked in self.fixture.queries)

    @property
    def baseline(self) -> Baseline:
        return _accepted(self)


@cache
def _accepted(side: Branch) -> Baseline:
    """Written, read and checked once for each of the few branches that all examples share."""
    return factories.baseline(side.plan, side.measured, side.config)


def good(asked: Query, ablation: str = "hybrid") -> QueryRecord:
    ranks: dict[str, int | None] = {
        judgment.unit: place for place, judgment in enumerate(asked.judgments, start=1)
    }
    return record(asked, ranks, ablation=ablation, returned=len(ranks), state=State.ANSWERED if ranks else None)


FIXTURE = replace(
    factories.fixture(ONE, TWO, NONE, HIDDEN),
    documents=(
        replace(document("open"), chunks=tuple(map(chunk, ("a", "b", "c")))),
        replace(document("plan"), access=GUARDED),
    ),
    principals=(PRINCIPAL,),
    exempt=("url",),
)
BASE = Branch(fixture=FIXTURE)


def branch(**changes: object) -> Branch:
    """The base branch with fields changed."""
    return replace(BASE, **changes)  # type: ignore[arg-type]  # the names and types are those of the fields


def with_query(old: Query, *new: Query) -> Branch:
    """The base branch with `new` in the place of one query; nothing: without it."""
    queries: list[Query] = []
    for asked in FIXTURE.queries:
        queries += new if asked == old else (asked,)
    return replace(BASE, fixture=replace(FIXTURE, queries=tuple(queries)))


def with_record(changed: QueryRecord, of: Branch = BASE) -> Branch:
    """The branch with another record of one query and ablation."""
    name = (changed.ablation, changed.query)
    return replace(
        of, records=tuple(changed if (item.ablation, item.query) == name else item for item in of.measured)
    )


def loosened(now: Branch, base: Branch = BASE) -> tuple[Loosening, ...]:
    """What is found when `now` is asked of, with what the gate itself hands over."""
    hidden = frozenset(asked.id for asked in now.fixture.queries if asked.split is Split.HELDOUT)
    made = candidate(
        now.plan,
        factories.evaluation(now.plan, now.measured),
        now.config,
        reason=None,
        environment=(),
    )
    return loosenings(base.baseline, made, hidden=hidden, not_run=tuple(map(AblationId, now.not_run)))


def verdicts(
    now: Branch,
    *,
    base: Baseline | None = None,
    committed: Baseline | None = None,
    approve: str | None = None,
) -> tuple[Verdict, ...]:
    """All verdicts on a pull request; without `committed` it has accepted itself."""
    evaluation = factories.evaluation(now.plan, now.measured)
    comparison = compare(now.plan, evaluation, committed or now.baseline)
    return judge(
        make_case(
            now.plan,
            now.config,
            evaluation,
            comparison,
            base=base or BASE.baseline,
            approve=approve,
        )
    )


def red(found: Sequence[Verdict]) -> list[Verdict]:
    """The failures of the loosening gate."""
    return [item for item in found if item.status is Status.FAILED and item.kind.startswith("loosened-")]


def rules(found: Sequence[Loosening]) -> list[str]:
    return [item.rule for item in found]
