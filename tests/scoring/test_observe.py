"""One response reduced to one record."""

from __future__ import annotations

import pytest

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.fixture import JudgedLevel, State
from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.base.record import JudgedRank
from retrieval_gate.base.retrieval import Hit
from retrieval_gate.scoring.observe import Observer
from tests.scoring.build import (
    ABLATION,
    aggregate,
    document,
    fixture,
    graded,
    judgment,
    observed,
    passage,
    query,
    ranked,
    response,
    span,
    value,
)


def ranks(*judged: JudgedRank) -> list[int | None]:
    return [unit.rank for unit in judged]


def test_ranks_count_distinct_hits_of_the_whole_list() -> None:
    hits = ["a", "a", "x", "b", *[f"y{index}" for index in range(20)], "c"]
    scored = ranked(graded("q", a=3, b=2, c=1, d=1), *hits)
    assert ranks(*scored.judged) == [1, 3, 24, None]
    assert (scored.returned, scored.duplicates) == (24, 1)


def test_no_duplicates_are_counted_where_there_are_none() -> None:
    assert ranked(graded("q", a=3), "x", "a").duplicates == 0


def test_a_renamed_duplicate_does_not_become_relevant() -> None:
    """Case 27: no id is ever made up."""
    scored = ranked(query("q", judgment("d_x_2", 1)), "d", "d")
    assert value("recall@10", scored) == 0
    assert value("mrr@10", scored) == 0


def test_a_chunk_with_the_id_of_the_query_is_an_ordinary_hit() -> None:
    """Case 46: queries and chunks have names of their own."""
    assert value("mrr@10", ranked(query("7", judgment("7", 3)), "7")) == 1


def test_a_grade_below_one_is_judged_and_not_relevant() -> None:
    """Case 48."""
    scored = ranked(query("q", judgment("a", -1), judgment("b", 1), judgment("c", 0)), "a", "b", "c")
    assert [(unit.unit, unit.rank) for unit in scored.judged] == [("b", 2)]
    assert value("recall@1", scored) == 0
    assert value("ndcg@1", scored) == 0


def test_a_query_with_only_grades_below_one_is_kept_and_not_averaged() -> None:
    """Cases 15, 20 and 63: not applicable, and no harm to its neighbours."""
    empty = ranked(query("q2", judgment("a", 0)), "a")
    good, bad = ranked(graded("q1", a=1), "a"), ranked(graded("q3", b=1), "x", "b")
    assert empty.annotated_characters is None
    assert aggregate("ndcg@10", empty) == (None, 0)
    assert aggregate("mrr@10", good, empty, bad) == (0.75, 2)
    assert aggregate("no-answer-fpr", empty) == (None, 0)


def test_nothing_returned_is_zero_and_no_exception() -> None:
    """Case 18."""
    scored = ranked(graded("q", a=1))
    assert [value(f"{name}@10", scored) for name in ("hit", "recall", "mrr", "ndcg", "precision-fixed")] == [0] * 5


def test_the_labels_of_all_kinds_reach_the_record() -> None:
    asked = query("q", judgment("a", 2), expected_state=State.ABSTAINED, forbidden=("f",), stale=("s", "t"))
    scored = observed(asked, response(["a"], state=State.ANSWERED))
    assert (scored.checked_forbidden, scored.checked_stale) == (1, 2)
    assert (scored.expected_state, scored.state) == (State.ABSTAINED, State.ANSWERED)
    assert scored.judged[0].grade == 2


class TestDocuments:
    """Judgments that name documents."""

    DOCUMENTS = (document("d1", a="aaaa", b="bbbb"), document("d2", c="cccc"))
    ASKED = query(
        "q", judgment("d2", 3, span("c", 0, 2)), judgment("d1", 1, span("b", 1, 3)), level=JudgedLevel.DOCUMENT
    )

    def test_the_ranking_is_each_documents_first_hit(self) -> None:
        scored = observed(self.ASKED, response(["a", "b", "c"]), *self.DOCUMENTS)
        assert ranks(*scored.judged) == [2, 1]
        assert scored.returned == 2
        assert value("mrr@1", scored) == 1
        assert value("recall@2", scored) == 1

    def test_a_second_chunk_of_a_document_is_not_a_duplicate_hit(self) -> None:
        assert observed(self.ASKED, response(["a", "b", "c"]), *self.DOCUMENTS).duplicates == 0

    def test_a_hit_may_name_its_document_itself(self) -> None:
        hits = [Hit(chunk=ChunkId("foreign"), document=DocumentId("d2")), Hit(chunk=ChunkId("a"))]
        assert ranks(*observed(self.ASKED, response(hits), *self.DOCUMENTS).judged) == [1, 2]

    def test_hits_of_no_known_document_keep_their_places(self) -> None:
        """A chunk whose id is a document's is not that document."""
        scored = observed(self.ASKED, response(["x", "d2", "y", "x", "a"]), *self.DOCUMENTS)
        assert ranks(*scored.judged) == [None, 4]
        assert scored.returned == 4
        assert scored.duplicates == 1

    def test_spans_are_found_in_any_chunk_of_the_document(self) -> None:
        scored = observed(self.ASKED, response(["a", "b", "c"]), *self.DOCUMENTS)
        assert (scored.matched_characters, scored.returned_characters, scored.annotated_characters) == (4, 12, 4)
        assert [unit.spans for unit in scored.judged] == [(0,), (0,)]


class TestMissing:
    """A query that the run has no answer for."""

    def test_it_is_scored_as_empty_and_marked(self) -> None:
        """Case 10: the fixture defines the set of queries."""
        asked = query("q2", judgment("a", 3, span("a", 0, 2)), forbidden=("f",), stale=("s",))
        observer = Observer(fixture([document("d", a="aaaa")], [graded("q1", a=1), asked]))
        lacking = observer.missing(ABLATION, asked)
        assert lacking.missing
        assert (lacking.returned, lacking.matched_characters, lacking.annotated_characters) == (0, 0, 2)
        assert aggregate("recall@5", ranked(graded("q1", a=1), "a"), lacking) == (0.5, 2)
        assert value("context-recall", lacking) == 0
        assert value("context-precision", lacking) is None

    def test_a_query_that_the_fixture_does_not_have_is_never_scored(self) -> None:
        """Case 11: only the fixture's own queries can enter an average."""
        observer = Observer(fixture((), [graded("q1", a=1)]))
        with pytest.raises(KeyError):
            observer.observe(ABLATION, graded("extra", a=1), response(["a"]))

    def test_it_checks_no_policy_label(self) -> None:
        asked = query("q", judgment("a", 3), forbidden=("f",), stale=("s",), expected_state=State.ANSWERED)
        lacking = Observer(fixture((), [asked])).missing(ABLATION, asked)
        for metric in ("permission-leaks", "stale-evidence", "wrong-state"):
            assert aggregate(metric, lacking) == (None, 0)

    def test_a_missing_no_answer_query_returned_nothing(self) -> None:
        asked = query("q", no_answer=True)
        lacking = Observer(fixture((), [asked])).missing(ABLATION, asked)
        assert lacking.annotated_characters is None
        assert aggregate("no-answer-fpr", lacking) == (0, 1)

    def test_it_is_the_record_of_an_empty_answer_but_for_what_it_could_not_check(self) -> None:
        asked = query("q", judgment("a", 3, span("a", 0, 2)))
        corpus = document("d", a="aaaa")
        lacking = Observer(fixture([corpus], [asked])).missing(ABLATION, asked)
        empty = observed(asked, response([]), corpus)
        assert not empty.missing
        assert lacking.judged == empty.judged
        assert lacking.ranking_digest == empty.ranking_digest


class TestObservation:
    """What determinism is judged by."""

    ASKED = graded("q", a=3)

    def test_hits_keep_duplicates_and_scores(self) -> None:
        hits = [Hit(chunk=ChunkId("a"), score=1.5), Hit(chunk=ChunkId("b")), Hit(chunk=ChunkId("a"), score=0.5)]
        seen = Observer(fixture((), [self.ASKED])).observe(ABLATION, self.ASKED, response(hits, elapsed_ns=7))
        assert seen.hits == (("a", 1.5), ("b", None), ("a", 0.5))
        assert seen.record.ranking_digest == short_digest(("a", "b", "a"))
        assert seen.latency_ns == 7
        assert seen.context_digest is None

    def test_the_context_digest_moves_with_anything_in_the_context(self) -> None:
        observer = Observer(fixture((), [self.ASKED]))
        contexts = [
            [],
            [passage("a")],
            [passage("b")],
            [passage("a", 0, 4)],
            [passage("a", 0, 5)],
            [passage("a", text="t")],
            [passage("a", text="u")],
            [passage("a"), passage("b")],
            [passage("b"), passage("a")],
        ]
        digests = [
            observer.observe(ABLATION, self.ASKED, response(["a"], context=context)).context_digest
            for context in contexts
        ]
        assert len({*digests, None}) == len(contexts) + 1

    def test_the_same_response_is_observed_the_same_way_twice(self) -> None:
        """Case 50: an observer holds no state between responses."""
        observer = Observer(fixture([document("d", a="aaaa")], [self.ASKED]))
        first = observer.observe(ABLATION, self.ASKED, response(["b", "a"]))
        observer.observe(ABLATION, self.ASKED, response(["a"]))
        assert observer.observe(ABLATION, self.ASKED, response(["b", "a"])) == first
