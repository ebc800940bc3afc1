"""Less that is measured: ablations, metrics, slices and queries gone."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.verdict.accepted import HELD_OUT
from retrieval_gate.verdict.loosening.finding import Loosening, Sides


def ablation(sides: Sides) -> Iterator[Loosening]:
    """Ablations that were not run, apart from those that this run left out on purpose."""
    now = sides.now.ablations
    for name in sides.base.ablations:
        if name not in now and name not in sides.not_run:
            yield Loosening(rule="loosened-ablation-gone", ablation=name)


def metric(sides: Sides) -> Iterator[Loosening]:
    """Metrics that are not computed."""
    for name in sides.base.metrics:
        if name not in sides.now.metrics:
            yield Loosening(rule="loosened-metric-gone", metric=name)


def slice_gone(sides: Sides) -> Iterator[Loosening]:
    """Slices that hold no query."""
    now = sides.now.slices
    for name in sides.base.slices:
        if name not in now:
            yield Loosening(rule="loosened-slice-gone", slice=name)


def query_gone(sides: Sides) -> Iterator[Loosening]:
    """Queries that are gone altogether."""
    for query in sides.gone:
        if not _is_held_out(sides, query.id):
            yield Loosening(rule="loosened-query-gone", query=query.id)


def query_held_out(sides: Sides) -> Iterator[Loosening]:
    """Development queries that are held out now: nothing is held against their own values any more."""
    for query in sides.gone:
        if _is_held_out(sides, query.id):
            yield Loosening(rule="loosened-query-held-out", query=query.id)


def _is_held_out(sides: Sides, query: str) -> bool:
    """Whether it is held out now; without their names: whether there are more of them."""
    if sides.hidden is not None:
        return query in sides.hidden
    return sides.now.held_out.count > sides.base.held_out.count


def held_out(sides: Sides) -> Iterator[Loosening]:
    """Held-out queries that are gone or have other labels: which of both can not be told."""
    before, now = sides.base.held_out.labels, sides.now.held_out.labels
    kept = set(before) & set(now)
    if len(kept) < len(before):
        yield Loosening(
            rule="loosened-held-out",
            slice=HELD_OUT,
            before=float(len(before)),
            now=float(len(kept)),
            content=short_digest(now),
        )
