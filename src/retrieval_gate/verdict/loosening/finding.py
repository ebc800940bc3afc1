"""What a rule of loosening looks at, and what it finds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.verdict.accepted import Baseline, LabelledQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Loosening:
    """One thing that the base branch asks for and that is asked for no more, or not as much; ids only.

    `rule` is a row of the table, the names say what it is about. `before` and `now` are the bound, date, grade or
    value on both sides, None where there is none. `name` is what no other field holds: a document, a principal, an
    exemption, a state, a kind of gate. `content` is a short digest of what stands there now, where no other field
    says it: an approval is of this content and no other.
    """

    rule: str
    ablation: AblationId | None = None
    slice: SliceId | None = None
    metric: MetricId | None = None
    reference: AblationId | None = None
    query: QueryId | None = None
    units: tuple[UnitId, ...] = ()
    name: str | None = None
    before: float | date | None = None
    now: float | date | None = None
    content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The base branch's baseline, and what is in force now in the same form.

    `kept` are the development queries of both, `gone` those of `base` alone. `hidden` are the queries that are
    held out now, None where only their count is known. `not_run` are ablations that this run left out on purpose.
    `red` are the records, by ablation and query, that another gate fails already.
    """

    base: Baseline
    now: Baseline
    kept: tuple[tuple[LabelledQuery, LabelledQuery], ...]
    gone: tuple[LabelledQuery, ...]
    hidden: Collection[QueryId] | None
    not_run: Collection[AblationId]
    red: Collection[tuple[AblationId, QueryId]]


def sides(
    base: Baseline,
    now: Baseline,
    *,
    hidden: Collection[QueryId] | None = None,
    not_run: Collection[AblationId] = (),
    red: Collection[tuple[AblationId, QueryId]] = (),
) -> Sides:
    """Both sides, their queries joined by id."""
    own = {query.id: query for query in now.queries}
    return Sides(
        base=base,
        now=now,
        kept=tuple((query, own[query.id]) for query in base.queries if query.id in own),
        gone=tuple(query for query in base.queries if query.id not in own),
        hidden=hidden,
        not_run=not_run,
        red=red,
    )
