"""The questions that a fixture asks, one request per query."""

from __future__ import annotations

from datetime import datetime

from retrieval_gate.base.fixture import Fixture, Principal, Query
from retrieval_gate.base.retrieval import Request


def requests_of(fixture: Fixture, k: int) -> list[Request]:
    """One request per query, in fixture order. A query's own time wins over the fixture's.

    Raises KeyError for a principal that the fixture does not have: nobody becomes the public by mistake.
    """
    principals = {principal.id: principal for principal in fixture.principals}
    return [
        _request(
            query,
            None if query.principal is None else principals[query.principal],
            query.as_of or fixture.as_of,
            k,
        )
        for query in fixture.queries
    ]


def _request(query: Query, principal: Principal | None, as_of: datetime | None, k: int) -> Request:
    return Request(
        id=query.id, query=query.text, k=k, principal=principal, as_of=as_of, language=query.language, trace=True
    )
