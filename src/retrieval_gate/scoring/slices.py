"""Slices: the groups of queries that every metric is also computed over.

Where a fixture holds queries out, every slice is of development queries but `split=heldout`: what is tuned on, and
what is gated, is never mixed with what is kept to tell whether it was tuned too far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from retrieval_gate.base.fixture import Fixture, Principal, Query, Split
from retrieval_gate.base.ids import PrincipalId, QueryId, SliceId

Principals = Mapping[PrincipalId, Principal]

ALL = SliceId("all")
# The only family that held-out queries have a group of.
SPLIT = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A group of queries, in fixture order."""

    id: SliceId
    queries: tuple[QueryId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceFamily:
    """One way to group queries: `values` names the groups of a query, `present` whether a fixture has them.

    A group's slice is `<id>=<value>`; the family whose id is `all` has one group, without a value.
    """

    id: str
    explanation: str
    values: Callable[[Query, Principals], tuple[str, ...]]
    present: Callable[[Fixture], bool]


def _principal_class(query: Query, principals: Principals) -> tuple[str, ...]:
    """`public` without a principal, else its roles joined by `+`, or `no-role`."""
    if query.principal is None:
        return ("public",)
    roles = dict(principals[query.principal].attributes).get("role", ())
    return ("+".join(roles) or "no-role",)


SLICES: tuple[SliceFamily, ...] = (
    SliceFamily(
        id="all",
        explanation="every query; where the fixture holds some out, every development query",
        values=lambda _query, _principals: ("",),
        present=lambda _fixture: True,
    ),
    SliceFamily(
        id="language",
        explanation="queries in one language; the query's, not the evidence's",
        values=lambda query, _principals: (query.language,),
        present=lambda _fixture: True,
    ),
    SliceFamily(
        id=SPLIT,
        explanation="development and held-out queries, where the fixture holds some out",
        values=lambda query, _principals: (query.split.value,),
        present=lambda fixture: any(query.split is Split.HELDOUT for query in fixture.queries),
    ),
    SliceFamily(
        id="tag",
        explanation="queries with one tag",
        values=lambda query, _principals: query.tags,
        present=lambda _fixture: True,
    ),
    SliceFamily(
        id="principal-class",
        explanation="queries asked by principals of the same roles, where the fixture has principals",
        values=_principal_class,
        present=lambda fixture: bool(fixture.principals),
    ),
)


def slices_of(fixture: Fixture) -> tuple[Slice, ...]:
    """The slices of a fixture in the table's order, the groups of one family sorted by name."""
    principals = {principal.id: principal for principal in fixture.principals}
    slices: list[Slice] = []
    for family in SLICES:
        if family.present(fixture):
            slices.extend(_groups(family, fixture, principals))
    return tuple(slices)


def _groups(family: SliceFamily, fixture: Fixture, principals: Principals) -> list[Slice]:
    groups: dict[str, dict[QueryId, None]] = {}
    for query in fixture.queries:
        for value in family.values(query, principals) if family.id == SPLIT or query.split is Split.DEV else ():
            groups.setdefault(value, {})[query.id] = None
    return [
        Slice(id=SliceId(f"{family.id}={value}" if value else family.id), queries=tuple(queries))
        for value, queries in sorted(groups.items())
    ]
