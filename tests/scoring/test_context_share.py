"""context-precision and context-recall, micro and macro."""

from __future__ import annotations

from tests.scoring.build import aggregate, document, judgment, observed, query, record, response, span, value

# Ten characters, of which the span holds four.
TEXT = "0123456789"
DOCUMENTS = (document("d1", a=TEXT), document("d2", b=TEXT * 3))
ASKED = query("q", judgment("a", 3, span("a", 2, 6)))


def test_both_are_shares_of_characters() -> None:
    scored = observed(ASKED, response(["a", "b"]), *DOCUMENTS)
    assert value("context-precision", scored) == 4 / 40
    assert value("context-recall", scored) == 1


def test_the_order_of_hits_does_not_matter() -> None:
    """Case 43: it is a share, not the rank-weighted average that others give this name."""
    for hits in (["a", "b"], ["b", "a"]):
        assert value("context-precision", observed(ASKED, response(hits), *DOCUMENTS)) == 4 / 40


def test_nothing_returned_and_something_annotated_is_recall_zero_and_no_precision() -> None:
    """Case 22."""
    scored = observed(ASKED, response([]), *DOCUMENTS)
    assert value("context-recall", scored) == 0
    assert value("context-precision", scored) is None


def test_what_was_retrieved_is_scored_and_not_what_was_labelled() -> None:
    """Case 44: the canary; an empty or a wrong retrieval must lower the score."""
    assert value("context-recall", observed(ASKED, response(["a"]), *DOCUMENTS)) == 1
    assert value("context-recall", observed(ASKED, response(["b"]), *DOCUMENTS)) == 0


def test_micro_weighs_characters_and_macro_weighs_queries() -> None:
    long, short = (
        record("q1", characters=(10, 100, 40), judged={"a": (1, 1)}),
        record("q2", characters=(5, 10, 5), judged={"a": (1, 1)}),
    )
    assert aggregate("context-precision", long, short) == (15 / 110, 2)
    assert aggregate("context-recall", long, short) == (15 / 45, 2)
    assert aggregate("context-precision-macro", long, short) == (0.3, 2)
    assert aggregate("context-recall-macro", long, short) == (0.625, 2)


def test_a_query_that_returned_nothing_counts_in_recall_and_has_no_precision_of_its_own() -> None:
    found, empty = (
        record("q1", characters=(10, 100, 40), judged={"a": (1, 1)}),
        record("q2", characters=(0, 0, 10), judged={"a": (1, None)}),
    )
    assert aggregate("context-recall", found, empty) == (10 / 50, 2)
    assert aggregate("context-precision", found, empty) == (10 / 100, 2)
    assert aggregate("context-precision-macro", found, empty) == (0.1, 1)
    assert aggregate("context-precision", empty) == (None, 1)
    assert aggregate("context-precision-macro", empty) == (None, 0)


def test_no_answer_queries_and_traces_without_text_are_not_measured() -> None:
    nothing = observed(query("q", no_answer=True), response(["a"]), *DOCUMENTS)
    assert (nothing.matched_characters, nothing.returned_characters, nothing.annotated_characters) == (None,) * 3
    trace = record(judged={"a": (1, 1)})
    for metric in ("context-precision", "context-recall", "context-precision-macro", "context-recall-macro"):
        assert value(metric, nothing) is None
        assert aggregate(metric, nothing, trace) == (None, 0)
