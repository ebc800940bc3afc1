"""Which part of a query's labels was edited: what the baseline holds of it beside its hash, and what it leaves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from retrieval_gate.base.fixture import Query
from retrieval_gate.base.ids import QueryId
from retrieval_gate.verdict.accepted import Baseline, Guard, LabelledQuery


class LabelPart(StrEnum):
    """In the order in which the first that differs is named.

    QUESTION is the text, language, noAnswer, principal or time that the query itself states; AS_OF the fixture's
    time, told by exclusion; OTHER is what the baseline holds no part of: reviews, and the offset of a span.
    """

    QUESTION = "question"
    JUDGMENTS = "judgments"
    FORBIDDEN = "forbidden"
    STALE = "stale"
    EXPECTED_STATE = "expectedState"
    TAGS = "tags"
    SPLIT = "split"
    PRINCIPAL = "principal"
    AS_OF = "asOf"
    OTHER = "reviews-or-span-offsets"


def label_parts(
    before: Baseline, now: Baseline, queries: Collection[Query], edited: Collection[QueryId]
) -> Mapping[QueryId, LabelPart]:
    """The part of each edited query, by id; `now` is the baseline of this run, `queries` are the fixture's.

    All at once and nothing else that is known moved: that is the fixture's time. A single query could as well have
    other reviews.
    """
    old, new = ({query.id: query for query in side.queries} for side in (before, now))
    holders = tuple(_principals(side) for side in (before, now))
    asked = {query.id: query for query in queries}
    undated = [query for query in old if query in asked and asked[query].as_of is None]
    all_at_once = len(undated) > 1 and all(query in edited for query in undated)
    parts: dict[QueryId, LabelPart] = {}
    for query in edited:
        known = _known(old.get(query), new.get(query))
        if known is None and _moved(holders, asked[query].principal):
            known = LabelPart.PRINCIPAL
        rest = LabelPart.AS_OF if all_at_once and query in undated else LabelPart.OTHER
        parts[query] = known or rest
    return parts


def _known(old: LabelledQuery | None, new: LabelledQuery | None) -> LabelPart | None:
    """The first part that both sides hold and that differs; a side that lacks the query has it held out."""
    if old is None or new is None:
        return LabelPart.SPLIT
    pairs = {
        LabelPart.QUESTION: (old.asked, new.asked),
        LabelPart.JUDGMENTS: (old.judgments, new.judgments),
        LabelPart.FORBIDDEN: (old.forbidden, new.forbidden),
        LabelPart.STALE: (old.stale, new.stale),
        LabelPart.EXPECTED_STATE: (old.expected_state, new.expected_state),
        LabelPart.TAGS: (_tags(old), _tags(new)),
    }
    return next((part for part, (was, is_now) in pairs.items() if was != is_now), None)


def _tags(query: LabelledQuery) -> list[str]:
    return [name for name in query.slices if name.startswith("tag=")]


def _principals(side: Baseline) -> Mapping[str, Guard]:
    return {guard.id: guard for guard in side.guards if guard.subject == "principal"}


def _moved(holders: tuple[Mapping[str, Guard], ...], principal: str | None) -> bool:
    """Whether the principal holds other attributes, or has another tenant."""
    if principal is None:
        return False
    before, now = (side.get(principal) for side in holders)
    return before != now
