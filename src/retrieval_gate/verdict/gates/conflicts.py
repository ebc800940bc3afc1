"""Versions that conflict, as the fixture declares: who asks is served none of them, and the report says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from retrieval_gate.base.access import visible
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import DocumentId, UnitId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.scoring.policy import Policy
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule


def _judge(case: Case) -> Iterator[Verdict]:
    """One note for each group of versions, with the number of queries whose asker meets it."""
    fixture = case.plan.fixture
    sources: dict[str, list[Document]] = {source: [] for source in fixture.conflicts}
    for document in fixture.documents:
        if document.source in sources:
            sources[document.source].append(document)
    if not sources:
        return
    policy = Policy(fixture)
    audiences = Counter(policy.audience(query) for query in fixture.queries)
    for versions in sources.values():
        met: Counter[tuple[DocumentId, ...]] = Counter()
        for audience, queries in audiences.items():
            for group in visible(versions, *audience).conflicts:
                met[group] += queries
        for group, queries in met.items():
            yield _note(group, queries)


def _note(group: tuple[DocumentId, ...], queries: int) -> Verdict:
    units = tuple(UnitId(document) for document in group)
    return Verdict(kind="declared-conflict", status=Status.NOTE, units=units, n=queries)


CONFLICTS = GateRule(
    id="conflicts",
    explanation=(
        "The declared conflicts that queries meet: versions of one source that are current together for who asks, "
        "at its time. None of them is served; each group is noted with its documents. Never blocks: a conflict "
        "that is not declared is an error of the fixture."
    ),
    kinds=("declared-conflict",),
    judge=_judge,
)
