"""permission-leaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.record import Where
from retrieval_gate.base.retrieval import Response
from tests.scoring.build import aggregate, judgment, observed, passage, query, response, value

ASKED = query("q", judgment("a", 3), forbidden=("secret", "other"))
HITS = [f"x{index}" for index in range(20)]


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (response([*HITS, "secret"]), Where.HITS),
        (response(["a"], context=[passage("a"), passage("secret", 0, 1)]), Where.CONTEXT),
        (response(["a"], context=[passage("secret", text="t")]), Where.CONTEXT),
        (response(["a"], citations=["secret"]), Where.CITATIONS),
        (response(["a"], stages={"candidates:lexical": ["a", "secret"], "access": ["a"]}), Where.STAGES),
    ],
    ids=["below the cut-offs", "neighbour in the context", "text in the context", "citation", "stage"],
)
def test_a_forbidden_chunk_is_a_leak_wherever_it_comes_out(answer: Response, where: Where) -> None:
    scored = observed(ASKED, answer)
    assert scored.leaks == (("secret", where),)
    assert value("permission-leaks", scored) == 1


def test_a_chunk_that_leaks_in_several_places_is_one_leak() -> None:
    everywhere = response(["secret", "secret"], context=[passage("secret")], stages={"fusion": ["secret"]})
    assert observed(ASKED, everywhere).leaks == (("secret", Where.CONTEXT),)
    scored = observed(ASKED, replace(everywhere, citations=(ChunkId("secret"),)))
    assert scored.leaks == (("secret", Where.CITATIONS),)
    assert value("permission-leaks", scored) == 1


def test_leaks_are_listed_in_label_order() -> None:
    leaks = observed(ASKED, response(["other", "secret"])).leaks
    assert [chunk for chunk, _ in leaks] == ["secret", "other"]


def test_permitted_hits_are_no_leak_and_the_labels_are_counted_as_checked() -> None:
    scored = observed(ASKED, response(["a", "secretive"], citations=["a"]))
    assert scored.leaks == ()
    assert scored.checked_forbidden == 2
    assert aggregate("permission-leaks", scored) == (0, 2)


def test_without_labels_nothing_was_checked() -> None:
    scored = observed(query("q", judgment("a", 3)), response(["a"]))
    assert value("permission-leaks", scored) is None
    assert aggregate("permission-leaks", scored) == (None, 0)


def test_leaks_are_summed_over_every_kind_of_query() -> None:
    leaking = observed(ASKED, response(["secret", "other"]))
    unanswerable = observed(query("q2", no_answer=True, forbidden=("secret",)), response(["secret"]))
    clean = observed(query("q3", no_answer=True, forbidden=("secret",)), response([]))
    assert aggregate("permission-leaks", leaking, unanswerable, clean) == (3, 4)
