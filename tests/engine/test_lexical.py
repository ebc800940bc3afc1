from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.fixture import Access
from retrieval_gate.engine.lexical import postings
from retrieval_gate.engine.ragged import Ragged, bounds
from tests.engine.factories import (
    ALIAS,
    HYBRID,
    HYBRID_ALIAS,
    LEXICAL,
    TOKEN_HASH,
    alias_table,
    answer,
    answers,
    document,
    fingerprint,
    ids,
    principal,
    request,
)

# Lengths 2, 3 and 4, mean 3.
ANIMALS = (document("a", "red fox"), document("b", "red red dog"), document("c", "blue sky cat hat"))


def test_scores_are_bm25(tmp_path: Path) -> None:
    # idf(red) = ln(1 + 1.5 / 2.5) = 0.470003629; norms 1.2 * 0.75 = 0.9 and 1.2 * 1.0 = 1.2.
    response = answer(tmp_path, ANIMALS, "red")
    assert ids(response) == ["b#0", "a#0"]
    assert response.hits[0].score == pytest.approx(0.470003629 * 2 * 2.2 / 3.2, abs=1e-9)
    assert response.hits[1].score == pytest.approx(0.470003629 * 1 * 2.2 / 1.9, abs=1e-9)


def test_scores_of_several_terms_add_up_and_repeats_count_once(tmp_path: Path) -> None:
    # idf(fox) = ln(1 + 2.5 / 1.5) = 0.980829253.
    once, twice = answers(tmp_path, ANIMALS, [request("red fox"), request("fox red fox")])
    assert once.hits[0].score == pytest.approx((0.470003629 + 0.980829253) * 2.2 / 1.9, abs=1e-8)
    assert [hit.score for hit in twice.hits] == [hit.score for hit in once.hits]


def test_a_query_without_a_known_term_finds_nothing(tmp_path: Path) -> None:
    responses = answers(tmp_path, ANIMALS, [request("zebra"), request("?!")])
    assert [ids(response) for response in responses] == [[], []]


@pytest.mark.parametrize("channels", [LEXICAL, TOKEN_HASH, ALIAS, HYBRID, HYBRID_ALIAS])
def test_documents_that_a_principal_may_not_see_change_nothing_for_him(
    tmp_path: Path, channels: tuple[str, ...]
) -> None:
    foreign = [
        document(f"x{number:02}", "red fox red fox owl", "fox sky dog", access=Access(tenant="other", allow=()))
        for number in range(20)
    ]
    asked = [
        request(text, principal=principal("mine"), trace=True)
        for text in ("red fox", "dog", "cat sky", "red owl fox", "owl")
    ]
    table = alias_table(fox=("fox", "owl"))
    alone, beside = (
        answers(tmp_path, documents, asked, channels=channels, rerank=True, aliases=table)
        for documents in (ANIMALS, [*foreign, *ANIMALS])
    )
    assert fingerprint(beside) == fingerprint(alone)
    assert all(response.hits for response in alone[:4])


def test_the_same_documents_made_visible_do_change_the_scores(tmp_path: Path) -> None:
    public = [document(f"x{number:02}", "red fox red fox red") for number in range(20)]
    alone, beside = answer(tmp_path, ANIMALS, "dog"), answer(tmp_path, [*ANIMALS, *public], "dog")
    assert ids(alone) == ids(beside)
    assert alone.hits[0].score != beside.hits[0].score


@given(
    st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=7),
    st.sets(st.integers(0, 6)),
)
def test_the_postings_of_a_part_are_those_of_the_part_alone(chunks: list[list[int]], kept: set[int]) -> None:
    positions = np.array([number for number in sorted(kept) if number < len(chunks)], dtype=np.int64)
    lengths = np.array([len(chunk) for chunk in chunks], dtype=np.int64)
    terms = np.array([term for chunk in chunks for term in chunk], dtype=np.int32)
    stream = Ragged(values=terms, offsets=bounds(lengths))
    part, alone = postings(stream, 7).part(positions, len(chunks)), postings(stream.take(positions), 7)
    for name in ("offsets", "chunks", "counts", "idf", "idf_unknown"):
        assert np.array_equal(getattr(part, name), getattr(alone, name)), name


def test_idf_stays_positive_for_a_term_in_every_chunk(tmp_path: Path) -> None:
    response = answer(tmp_path, [document("a", "red"), document("b", "red")], "red")
    # ln(1 + 0.5 / 2.5), lengths equal to the mean: tf part is 1.
    assert response.hits[0].score == pytest.approx(math.log(1.2), abs=1e-9)
