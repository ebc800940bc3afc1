"""Weaker labels of a query that is still there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.ids import ChunkId, QueryId, UnitId
from retrieval_gate.verdict.accepted import LabelledQuery, LabelledUnit
from retrieval_gate.verdict.loosening.finding import Loosening, Sides


def exempt(sides: Sides) -> Iterator[Loosening]:
    """Lint exemptions that are new."""
    for name in sides.now.exempt:
        if name not in sides.base.exempt:
            yield Loosening(rule="loosened-exempt", name=name)


def edited(sides: Sides) -> Iterator[Loosening]:
    """Queries that ask something else, or as someone else."""
    for before, now in sides.kept:
        if before.asked != now.asked:
            content = short_digest((now.asked, now.judgments))
            yield Loosening(rule="loosened-query-edited", query=now.id, content=content)


def judgment(sides: Sides) -> Iterator[Loosening]:
    """Judgments that are gone."""
    for before, now in sides.kept:
        left = {unit.unit for unit in now.judgments}
        gone = tuple(unit.unit for unit in before.judgments if unit.unit not in left)
        if gone:
            yield Loosening(rule="loosened-judgment-gone", query=now.id, units=gone)


def grade(sides: Sides) -> Iterator[Loosening]:
    """Judgments with a lower grade."""
    for query, before, now in _shared(sides.kept):
        if now.grade < before.grade:
            yield Loosening(
                rule="loosened-grade",
                query=query,
                units=(now.unit,),
                before=float(before.grade),
                now=float(now.grade),
            )


def span(sides: Sides) -> Iterator[Loosening]:
    """Judgments with an answer span that is gone or has another text, of the same question: a digest of a span is
    one of the question too."""
    for query, before, now in _shared(pair for pair in sides.kept if pair[0].asked == pair[1].asked):
        if Counter(before.spans) - Counter(now.spans):
            yield Loosening(
                rule="loosened-span-gone", query=query, units=(now.unit,), content=short_digest(now.spans)
            )


def forbidden(sides: Sides) -> Iterator[Loosening]:
    """Chunks that are no longer forbidden to a query."""
    for before, now in sides.kept:
        gone = _gone(before.forbidden, now.forbidden)
        if gone:
            yield Loosening(rule="loosened-forbidden-gone", query=now.id, units=gone)


def stale(sides: Sides) -> Iterator[Loosening]:
    """Chunks that no longer count as out of date for a query."""
    for before, now in sides.kept:
        gone = _gone(before.stale, now.stale)
        if gone:
            yield Loosening(rule="loosened-stale-gone", query=now.id, units=gone)


def state(sides: Sides) -> Iterator[Loosening]:
    """Expected states that are gone, or the other one now."""
    for before, now in sides.kept:
        if before.expected_state is not None and now.expected_state is not before.expected_state:
            yield Loosening(
                rule="loosened-state",
                query=now.id,
                name=before.expected_state.value,
                content=short_digest(now.expected_state),
            )


def slice_left(sides: Sides) -> Iterator[Loosening]:
    """Queries that left a slice that still has others."""
    there = frozenset(sides.now.slices)
    for before, now in sides.kept:
        for group in before.slices:
            if group not in now.slices and group in there:
                yield Loosening(rule="loosened-slice-left", query=now.id, slice=group)


def _shared(
    kept: Iterable[tuple[LabelledQuery, LabelledQuery]],
) -> Iterator[tuple[QueryId, LabelledUnit, LabelledUnit]]:
    """Each query, and each of its judgments on both sides."""
    for before, now in kept:
        own = {unit.unit: unit for unit in now.judgments}
        yield from ((now.id, unit, own[unit.unit]) for unit in before.judgments if unit.unit in own)


def _gone(before: Sequence[ChunkId], now: Sequence[ChunkId]) -> tuple[UnitId, ...]:
    return tuple(UnitId(chunk) for chunk in before if chunk not in now)
