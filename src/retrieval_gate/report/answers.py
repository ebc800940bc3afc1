"""Answer states: how often which was expected and which was observed, and which wrong ones are waived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from retrieval_gate.base.config import Waiver
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, QueryId, SliceId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.slices import Slice
from retrieval_gate.verdict.accepted import HELD_OUT
from retrieval_gate.verdict.gates.states import is_wrong

_LANGUAGE = "language="


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCount:
    """One cell of a confusion table: `n` queries of a slice; `observed` None: the retriever gave no state."""

    ablation: AblationId
    slice: SliceId
    expected: State
    observed: State | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverSummary:
    """One waiver of the configuration; `query` None for a held-out query that is not named.

    `expired` is None where no date was given to hold it against. `waived` counts the wrong states that it covers.
    """

    query: QueryId | None
    expires: date
    expired: bool | None
    waived: int


def state_counts(records: Iterable[QueryRecord], slices: Sequence[Slice]) -> tuple[StateCount, ...]:
    """The confusion table of each ablation and language, and of the held-out queries.

    Only where queries with an expected state were answered; then with every cell, also those that hold none.
    """
    groups: dict[QueryId, list[SliceId]] = {}
    for group in slices:
        for query in group.queries if group.id.startswith(_LANGUAGE) or group.id == HELD_OUT else ():
            groups.setdefault(query, []).append(group.id)
    cells: dict[tuple[AblationId, SliceId], Counter[tuple[State, State | None]]] = {}
    for record in records:
        if record.expected_state is not None and not record.missing:
            for part in groups.get(record.query, ()):
                cells.setdefault((record.ablation, part), Counter())[record.expected_state, record.state] += 1
    return tuple(
        count
        for ablation in first_occurrences(ablation for ablation, _ in cells)
        for group in slices
        if (ablation, group.id) in cells
        for count in _cells(ablation, group.id, cells[ablation, group.id])
    )


def _cells(
    ablation: AblationId, part: SliceId, found: Counter[tuple[State, State | None]]
) -> Iterator[StateCount]:
    for expected in State:
        for observed in (*State, None):
            n = found[expected, observed]
            if n or observed is not None:
                yield StateCount(ablation=ablation, slice=part, expected=expected, observed=observed, n=n)


def summarise_waivers(
    waivers: Iterable[Waiver], records: Iterable[QueryRecord], today: date | None, unnamed: Collection[QueryId]
) -> tuple[WaiverSummary, ...]:
    """The waivers in their order; what an expired one would have covered is a failure, and not counted."""
    wrong = Counter(record.query for record in records if is_wrong(record))
    return tuple(
        WaiverSummary(
            query=None if waiver.query in unnamed else waiver.query,
            expires=waiver.expires,
            expired=(expired := None if today is None else today > waiver.expires),
            waived=0 if expired else wrong[waiver.query],
        )
        for waiver in waivers
    )
