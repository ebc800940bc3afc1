"""Which spans the context holds, and how much text it is."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.retrieval import Passage
from tests.scoring.build import document, judgment, observed, passage, query, response, span

ALPHABET = "abcdefghijklmnopqrst"
DIGITS = "0123456789"
DOCUMENTS = (document("d", a=ALPHABET, n="neighbour!"), document("e", b=DIGITS), document("f", c=DIGITS * 2))


def characters(scored: QueryRecord) -> tuple[int | None, int | None, int | None]:
    return scored.matched_characters, scored.returned_characters, scored.annotated_characters


def spans(scored: QueryRecord) -> tuple[tuple[int, ...], ...]:
    return tuple(judged.spans for judged in scored.judged)


def asked(*judgments: tuple[str, tuple[tuple[int, int], ...]]) -> QueryRecord:
    """Everything returned as ids."""
    return read(judgments, ["a", "b"], None)


def read(
    judgments: Iterable[tuple[str, tuple[tuple[int, int], ...]]],
    hits: Iterable[str],
    context: Iterable[Passage] | None,
) -> QueryRecord:
    labelled = [
        judgment(chunk, 3, *(span(chunk, start, end) for start, end in places)) for chunk, places in judgments
    ]
    return observed(query("q", *labelled), response(hits, context=context), *DOCUMENTS)


def test_nested_spans_count_once() -> None:
    scored = asked(("a", ((2, 8), (4, 6))))
    assert characters(scored) == (6, 30, 6)
    assert spans(scored) == ((0, 1),)


def test_overlapping_and_repeated_spans_count_once() -> None:
    assert characters(asked(("a", ((2, 8), (6, 10), (2, 8))))) == (8, 30, 8)


def test_spans_of_every_judged_chunk_are_summed() -> None:
    scored = asked(("a", ((0, 5),)), ("b", ((5, 10),)), ("c", ((0, 3),)))
    assert characters(scored) == (10, 30, 13)
    assert spans(scored) == ((0,), (0,), ())


class TestIdsOnly:
    """Without a context the hits' own chunks are what a model would read."""

    def test_a_repeated_hit_is_read_once(self) -> None:
        assert characters(read([("b", ((0, 4),))], ["b", "b", "b"], None)) == (4, 10, 4)

    def test_the_eleventh_distinct_hit_is_not_read(self) -> None:
        hits = [f"x{index}" for index in range(10)]
        assert characters(read([("b", ((0, 4),))], [*hits[:9], "x0", "b"], None)) == (4, 10, 4)
        assert characters(read([("b", ((0, 4),))], [*hits, "b"], None)) == (0, 0, 4)

    def test_an_empty_context_is_not_a_missing_one(self) -> None:
        assert characters(read([("b", ((0, 4),))], ["b"], [])) == (0, 0, 4)

    def test_a_hit_that_the_fixture_does_not_know_has_no_text(self) -> None:
        scored = read([("b", ((0, 4),))], ["unknown", "b"], None)
        assert characters(scored) == (4, 10, 4)
        assert scored.unlocatable == 0


class TestProvenance:
    """Passages with their place in the chunk."""

    def test_a_span_counts_whole_or_not_at_all(self) -> None:
        judgments = [("a", ((2, 6), (8, 12)))]
        scored = read(judgments, ["a"], [passage("a", 0, 10)])
        assert characters(scored) == (4, 10, 8)
        assert spans(scored) == ((0,),)

    def test_two_passages_that_touch_hold_the_span_between_them(self) -> None:
        scored = read([("a", ((3, 7),))], ["a"], [passage("a", 0, 5), passage("a", 5, 10)])
        assert characters(scored) == (4, 10, 4)

    def test_two_passages_with_a_gap_do_not(self) -> None:
        scored = read([("a", ((3, 7),))], ["a"], [passage("a", 0, 5), passage("a", 6, 10)])
        assert characters(scored) == (0, 9, 4)
        assert spans(scored) == ((),)

    def test_the_same_passage_twice_is_read_once(self) -> None:
        assert characters(read([("a", ((0, 4),))], ["a"], [passage("a", 0, 8)] * 2)) == (4, 8, 4)

    def test_overlapping_passages_are_both_read_and_match_once(self) -> None:
        assert characters(read([("a", ((2, 4),))], ["a"], [passage("a", 0, 6), passage("a", 1, 7)])) == (2, 12, 2)

    def test_a_neighbour_that_is_not_a_hit_is_read(self) -> None:
        scored = read([("a", ((0, 4),)), ("n", ((0, 9),))], ["a"], [passage("a"), passage("n")])
        assert characters(scored) == (13, 30, 13)
        assert [judged.rank for judged in scored.judged] == [1, None]

    def test_a_hit_after_the_tenth_is_not_read(self) -> None:
        hits = [*[f"x{index}" for index in range(10)], "a"]
        assert characters(read([("a", ((0, 4),))], hits, [passage("a"), passage("b")])) == (0, 10, 4)

    def test_a_place_outside_the_chunk_is_cut_to_it(self) -> None:
        assert characters(read([("b", ((8, 10),))], ["b"], [passage("b", 5, 999)])) == (2, 5, 2)
        assert characters(read([("b", ((0, 2),))], ["b"], [passage("b", 7, 3)])) == (0, 0, 2)

    def test_a_start_without_an_end_is_as_long_as_its_text(self) -> None:
        assert characters(read([("b", ((2, 6),))], ["b"], [passage("b", 2, text="2345")])) == (4, 4, 4)
        assert characters(read([("b", ((2, 6),))], ["b"], [passage("b", 2, text="234")])) == (0, 3, 4)
        assert characters(read([("b", ((2, 6),))], ["b"], [passage("b", 2)])) == (4, 8, 4)

    def test_a_chunk_that_the_fixture_does_not_know_is_text_without_evidence(self) -> None:
        assert characters(read([("b", ((0, 2),))], ["b"], [passage("zz", 3, 9), passage("zz")])) == (0, 6, 2)


class TestText:
    """Passages of which only the text is known."""

    def test_a_span_is_found_by_its_text(self) -> None:
        scored = read([("a", ((2, 6), (8, 12)))], ["a"], [passage("a", text=ALPHABET[:10])])
        assert characters(scored) == (4, 10, 8)
        assert spans(scored) == ((0,),)
        assert scored.unlocatable == 0

    def test_nested_spans_are_unioned_in_the_text(self) -> None:
        assert characters(read([("a", ((2, 8), (4, 6)))], ["a"], [passage("a", text=ALPHABET)])) == (6, 20, 6)

    def test_only_the_first_occurrence_counts(self) -> None:
        assert characters(read([("c", ((0, 4),))], ["c"], [passage("c", text=DIGITS * 2)])) == (4, 20, 4)

    def test_another_chunks_span_is_not_searched(self) -> None:
        """The text of `c` holds the words of `b`'s span, and is not evidence for `b`."""
        assert characters(read([("b", ((0, 4),))], ["c"], [passage("c", text=DIGITS * 2)])) == (0, 20, 4)

    def test_the_first_text_of_a_chunk_is_the_one_that_counts(self) -> None:
        context = [passage("b", text="01"), passage("b", text=DIGITS)]
        assert characters(read([("b", ((0, 4),))], ["b"], context)) == (0, 2, 4)

    def test_text_of_a_chunk_that_is_no_hit_is_not_read(self) -> None:
        assert characters(read([("b", ((0, 4),))], ["a"], [passage("b", text=DIGITS)])) == (0, 0, 4)

    def test_text_joined_with_a_neighbour_is_locatable(self) -> None:
        scored = read([("b", ((0, 4),))], ["b"], [passage("b", text=f"before {DIGITS} after")])
        assert characters(scored) == (4, 23, 4)
        assert scored.unlocatable == 0

    @pytest.mark.parametrize("chunk", ["b", "unknown"])
    def test_text_that_is_not_its_chunks_is_a_finding_and_counts_as_read(self, chunk: str) -> None:
        scored = read([("b", ((0, 4),))], [chunk], [passage(chunk, text="rewritten")])
        assert characters(scored) == (0, 9, 4)
        assert scored.unlocatable == 1

    def test_characters_are_code_points(self) -> None:
        """A sign outside the basic plane is one character, where UTF-16 counts two."""
        astral = document("g", g="\U0001f4a5 found")
        scored = observed(
            query("q", judgment("g", 3, span("g", 0, 3))),
            response(["g"], context=[passage("g", text="\U0001f4a5 fo")]),
            astral,
        )
        assert characters(scored) == (3, 4, 3)

    def test_a_chunk_with_provenance_is_judged_by_it_alone(self) -> None:
        context = [passage("b", 0, 4), passage("b", text=DIGITS)]
        scored = read([("b", ((0, 4), (6, 8)))], ["b"], context)
        assert characters(scored) == (4, 14, 6)
        assert spans(scored) == ((0,),)
