"""stale-evidence."""

from __future__ import annotations

import pytest

from retrieval_gate.base.record import Where
from retrieval_gate.base.retrieval import Response
from tests.scoring.build import aggregate, judgment, observed, passage, query, response, value

ASKED = query("q", judgment("new", 3), stale=("old", "older"))


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (response([*[f"x{index}" for index in range(20)], "old"]), Where.HITS),
        (response(["new"], context=[passage("new"), passage("old")]), Where.CONTEXT),
        (response(["new"], citations=["old"]), Where.CITATIONS),
    ],
    ids=["below the cut-offs", "context", "citation"],
)
def test_a_superseded_chunk_is_stale_wherever_it_is_served(answer: Response, where: Where) -> None:
    scored = observed(ASKED, answer)
    assert scored.stale == (("old", where),)
    assert aggregate("stale-evidence", scored) == (1, 2)


def test_a_superseded_chunk_that_a_stage_dropped_was_not_served() -> None:
    scored = observed(ASKED, response(["new"], stages={"candidates:lexical": ["old", "new"], "fusion": ["new"]}))
    assert scored.stale == ()
    assert value("stale-evidence", scored) == 0


def test_without_labels_nothing_was_checked() -> None:
    assert aggregate("stale-evidence", observed(query("q", judgment("new", 3)), response(["old"]))) == (None, 0)
