from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from retrieval_gate.base.config import GateKind, Waiver
from retrieval_gate.base.fixture import Split, State
from retrieval_gate.base.ids import ChunkId, QueryId
from retrieval_gate.base.record import Shown, Where
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.judge import unacceptable
from tests.verdict.factories import (
    baseline,
    config,
    document,
    failed,
    fixture,
    gate,
    judged,
    kinds,
    of_kind,
    plan,
    query,
    record,
)

ANSWERED, ABSTAINED = State.ANSWERED, State.ABSTAINED
GUARDED = query("q1", {"a": 3}, forbidden=("x", "y"), stale=("z",), expected=ANSWERED)
UNSUPPORTED = query("q2", expected=ABSTAINED)
HIDDEN = query("q9", {"d": 3}, split=Split.HELDOUT, forbidden=("x",), expected=ANSWERED)
PLAN = plan(GUARDED, UNSUPPORTED)
GOOD = [record(GUARDED, {"a": 1}, state=ANSWERED), record(UNSUPPORTED, returned=0, state=ABSTAINED)]


def _only(verdicts: tuple[Verdict, ...]) -> Verdict:
    (verdict,) = failed(verdicts)
    return verdict


def test_a_leak_fails_and_names_the_chunk_however_good_the_ranking() -> None:
    verdict = _only(judged(PLAN, [record(GUARDED, {"a": 1}, state=ANSWERED, leaks=("y",)), GOOD[1]]))

    assert (verdict.kind, verdict.query, verdict.units) == ("permission-leak", "q1", ("y",))
    assert (verdict.value, verdict.bound, verdict.n) == (1.0, 0.0, 2)


def test_stale_evidence_fails_and_names_the_chunk() -> None:
    verdict = _only(judged(PLAN, [record(GUARDED, {"a": 1}, state=ANSWERED, stale=("z",)), GOOD[1]]))

    assert (verdict.kind, verdict.query, verdict.units, verdict.n) == ("stale-evidence", "q1", ("z",), 1)


def test_a_leak_says_where_one_line_for_each_place_the_deepest_first() -> None:
    leaks = (Shown(ChunkId("x"), Where.STAGES), Shown(ChunkId("y"), Where.CONTEXT))
    leaky = replace(record(GUARDED, {"a": 1}, state=ANSWERED), leaks=leaks)

    found = of_kind(judged(PLAN, [leaky, GOOD[1]]), "permission-leak")

    assert sorted((item.stage, item.units, item.value, item.n) for item in found) == [
        ("context", ("y",), 1.0, 2),
        ("stages", ("x",), 1.0, 2),
    ]


def test_stale_evidence_names_the_version_that_is_served_instead() -> None:
    versions = [
        replace(document(name), source="s", effective_from=datetime(2026, month, 1, tzinfo=UTC))
        for month, name in enumerate(("z", "z2"), start=1)
    ]
    of = replace(fixture(GUARDED), documents=tuple(versions), as_of=datetime(2026, 6, 1, tzinfo=UTC))
    chunk = versions[0].chunks[0].id
    outdated = replace(record(GUARDED, {"a": 1}, state=ANSWERED), stale=(Shown(chunk, Where.HITS),))

    (verdict,) = of_kind(judged(plan(of=of), [outdated]), "stale-evidence")

    assert (list(map(str, verdict.units)), verdict.stage, verdict.detail) == ([chunk], "hits", "z2")


def test_a_stale_chunk_without_a_successor_is_told_without_one() -> None:
    assert _only(judged(PLAN, [record(GUARDED, state=ANSWERED, stale=("z",)), GOOD[1]])).detail is None


def test_a_citation_of_what_was_not_retrieved_fails_and_an_unknown_id_is_only_counted() -> None:
    cited = replace(GOOD[0], bad_citations=(ChunkId("b"), None), checked_citations=3)

    verdict = _only(judged(PLAN, [cited, GOOD[1]]))

    assert (verdict.kind, verdict.units, verdict.value, verdict.n) == ("bad-citation", ("b",), 2.0, 3)
    good = judged(PLAN, [replace(GOOD[0], checked_citations=3), GOOD[1]])
    assert [(item.status, item.n) for item in of_kind(good, "bad-citation")] == [(Status.PASSED, 3)]


def test_hits_with_an_abstention_are_no_wrong_state() -> None:
    held = replace(GOOD[1], returned=3)

    assert failed(judged(PLAN, [GOOD[0], held])) == []


def test_without_a_state_only_a_configured_gate_on_it_fails() -> None:
    silent = [replace(item, state=None) for item in GOOD]
    settings = config(PLAN, gates=(gate(GateKind.CEILING, "wrong-state", 0.0),))

    assert [item.status for item in of_kind(judged(PLAN, silent), "wrong-state")] == [Status.NOT_CHECKED]
    assert failed(judged(PLAN, silent)) == []
    assert kinds(failed(judged(PLAN, silent, settings=settings))) == ["not-measured"]
    assert failed(judged(PLAN, GOOD, settings=settings)) == []


def test_both_directions_of_a_wrong_state_are_kinds_of_their_own() -> None:
    verdicts = judged(
        PLAN, [record(GUARDED, {"a": 1}, state=ABSTAINED), record(UNSUPPORTED, returned=0, state=ANSWERED)]
    )

    assert [(item.kind, item.query, item.detail) for item in failed(verdicts)] == [
        ("unsupported-answer", "q2", "ANSWERED"),
        ("over-abstention", "q1", "ABSTAINED"),
    ]


def test_right_answers_pass_with_the_number_of_checks() -> None:
    verdicts = judged(PLAN, GOOD)
    checked = {
        item.kind: (item.status, item.n)
        for item in verdicts
        if item.kind in ("permission-leak", "stale-evidence", "wrong-state")
    }

    assert checked == {
        "permission-leak": (Status.PASSED, 2),
        "stale-evidence": (Status.PASSED, 1),
        "wrong-state": (Status.PASSED, 2),
    }


def test_without_labels_it_says_not_checked_once_and_is_neither_green_nor_red() -> None:
    plain = query("q1", {"a": 3})
    of = plan(plain, ablations=("hybrid", "lexical"))

    verdicts = judged(of, [record(plain, {"a": 1}, ablation=name) for name in ("hybrid", "lexical")])

    assert [(item.kind, item.ablation, item.n) for item in verdicts if item.status is Status.NOT_CHECKED] == [
        ("permission-leak", None, 0),
        ("stale-evidence", None, 0),
        ("bad-citation", None, 0),
        ("wrong-state", None, 0),
        ("scenarios", None, 0),
    ]


def test_a_retriever_that_gives_no_state_is_not_checked_for_its_own_ablation() -> None:
    of = plan(UNSUPPORTED, ablations=("hybrid", "lexical"))

    verdicts = judged(of, [record(UNSUPPORTED, state=ABSTAINED), record(UNSUPPORTED, ablation="lexical")])

    assert [(item.status, item.ablation) for item in of_kind(verdicts, "wrong-state")] == [
        (Status.NOT_CHECKED, "lexical"),
        (Status.PASSED, "hybrid"),
    ]


def test_a_held_out_failure_is_one_line_without_ids() -> None:
    of = plan(GUARDED, UNSUPPORTED, HIDDEN)
    verdict = _only(judged(of, [*GOOD, record(HIDDEN, {"d": 1}, state=ANSWERED, leaks=("x",))]))

    assert (verdict.kind, verdict.slice, verdict.query, verdict.units) == (
        "permission-leak",
        "split=heldout",
        None,
        (),
    )
    assert (verdict.value, verdict.n) == (1.0, 1)


def test_a_held_out_failure_is_named_where_that_is_asked_for() -> None:
    of = plan(GUARDED, UNSUPPORTED, HIDDEN)
    records = [*GOOD, record(HIDDEN, {"d": 1}, state=ANSWERED, leaks=("x",))]

    verdict = _only(judged(of, records, reveal=True))

    assert (verdict.slice, verdict.query, verdict.units) == (None, "q9", ("x",))


WRONG = [GOOD[0], record(UNSUPPORTED, returned=0, state=ANSWERED)]
WAIVER = Waiver(query=QueryId("q2"), reason="known", expires=date(2026, 1, 31))


@pytest.mark.parametrize("today", [None, date(2026, 1, 1), date(2026, 1, 31)])
def test_a_waived_wrong_state_is_a_note_until_its_last_day(today: date | None) -> None:
    verdicts = judged(PLAN, WRONG, settings=config(PLAN, waivers=(WAIVER,)), today=today)

    assert failed(verdicts) == []
    assert [(item.status, item.query) for item in of_kind(verdicts, "waived")] == [(Status.NOTE, "q2")]


def test_a_waiver_ends_after_its_date() -> None:
    verdicts = judged(PLAN, WRONG, settings=config(PLAN, waivers=(WAIVER,)), today=date(2026, 2, 1))

    assert kinds(failed(verdicts)) == ["unsupported-answer"]


def test_without_a_date_the_report_says_that_waivers_were_not_held_against_one() -> None:
    settings = config(PLAN, waivers=(WAIVER,))

    assert [item.status for item in of_kind(judged(PLAN, WRONG, settings=settings), "waiver-dates")] == [
        Status.NOT_CHECKED
    ]
    assert of_kind(judged(PLAN, WRONG, settings=settings, today=date(2026, 1, 31)), "waiver-dates") == []
    assert of_kind(judged(PLAN, GOOD), "waiver-dates") == []


def test_an_expired_waiver_is_named_and_one_on_its_last_day_is_not() -> None:
    settings = config(PLAN, waivers=(WAIVER,))
    over = judged(PLAN, WRONG, settings=settings, today=date(2026, 2, 1))

    assert [(item.status, item.query) for item in of_kind(over, "waiver-expired")] == [(Status.NOTE, "q2")]
    assert of_kind(judged(PLAN, WRONG, settings=settings, today=date(2026, 1, 31)), "waiver-expired") == []


def test_an_expired_waiver_of_a_held_out_query_does_not_name_it() -> None:
    of = plan(GUARDED, UNSUPPORTED, HIDDEN)
    waiver = Waiver(query=HIDDEN.id, reason="known", expires=date(2026, 1, 31))
    verdicts = judged(of, GOOD, settings=config(of, waivers=(waiver,)), today=date(2026, 2, 1))

    assert [(item.query, item.slice) for item in of_kind(verdicts, "waiver-expired")] == [(None, "split=heldout")]


def test_a_waiver_of_another_query_changes_nothing() -> None:
    other = Waiver(query=QueryId("q1"), reason="known", expires=date(2026, 1, 31))

    assert kinds(failed(judged(PLAN, WRONG, settings=config(PLAN, waivers=(other,))))) == ["unsupported-answer"]


def test_a_waived_state_is_no_drop_against_the_baseline_either() -> None:
    verdicts = judged(PLAN, WRONG, baseline(PLAN, GOOD), config(PLAN, waivers=(WAIVER,)), date(2026, 1, 1))

    assert failed(verdicts) == []


def test_a_waiver_never_covers_a_leak() -> None:
    waiver = Waiver(query=QueryId("q1"), reason="no", expires=date(2030, 1, 1))
    leaky = [record(GUARDED, {"a": 1}, state=ANSWERED, leaks=("x",)), GOOD[1]]

    assert kinds(failed(judged(PLAN, leaky, settings=config(PLAN, waivers=(waiver,))))) == ["permission-leak"]


def test_leaks_and_stale_evidence_can_never_be_accepted_and_a_wrong_state_can() -> None:
    bad = record(GUARDED, {"a": 1}, state=ABSTAINED, leaks=("x",), stale=("z",))

    assert kinds(unacceptable(judged(PLAN, [bad, GOOD[1]]))) == ["permission-leak", "stale-evidence"]
    assert unacceptable(judged(PLAN, WRONG)) == ()


def test_a_leak_that_the_baseline_already_has_is_still_a_failure() -> None:
    leaky = [record(GUARDED, {"a": 1}, state=ANSWERED, leaks=("x",)), GOOD[1]]

    assert kinds(failed(judged(PLAN, leaky, baseline(PLAN, leaky)))) == ["permission-leak"]
