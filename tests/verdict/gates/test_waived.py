"""What a waiver takes is left out of a configured gate too; one of no query is told of."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from retrieval_gate.base.config import GateKind, Waiver
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.verdict import Status, Verdict
from tests.verdict.factories import config, failed, gate, judged, kinds, of_kind, plan, query, record

EN = query("q1", expected=State.ABSTAINED)
ZH = query("q2", language="zh", expected=State.ABSTAINED)
PLAN = plan(EN, ZH)
WAIVER = Waiver(query=QueryId("q1"), reason="known", expires=date(2026, 1, 31))
NONE_WRONG = gate(GateKind.CEILING, "wrong-state", 0.0)


def judge(*waivers: Waiver, wrong: tuple[str, ...], today: date | None = None) -> tuple[Verdict, ...]:
    """`wrong` queries are answered; all are to be withheld."""
    state = {True: State.ANSWERED, False: State.ABSTAINED}
    seen = [record(asked, returned=0, state=state[asked.id in wrong]) for asked in (EN, ZH)]
    gates = (NONE_WRONG, gate(GateKind.CEILING, "wrong-state", 0.0, group="language=en"))
    return judged(PLAN, seen, settings=config(PLAN, gates=gates, waivers=waivers), today=today)


def test_a_waived_state_does_not_break_a_ceiling_on_wrong_states() -> None:
    verdicts = judge(WAIVER, wrong=("q1",))
    assert failed(verdicts) == []
    assert [(item.slice, item.value, item.n) for item in of_kind(verdicts, "ceiling")] == [
        ("all", 0.0, 2),
        ("language=en", 0.0, 1),
    ]


def test_one_that_is_not_waived_does() -> None:
    assert kinds(failed(judge(wrong=("q1",)))) == ["unsupported-answer", "ceiling", "ceiling"]
    both = failed(judge(WAIVER, wrong=("q1", "q2")))
    assert [(item.kind, item.query or item.slice, item.value) for item in both] == [
        ("unsupported-answer", "q2", 1.0),
        ("ceiling", "all", 1.0),
    ]


def test_an_expired_waiver_does_not_mend_the_ceiling() -> None:
    verdicts = judge(WAIVER, wrong=("q1",), today=date(2026, 2, 1))
    assert kinds(failed(verdicts)) == ["unsupported-answer", "ceiling", "ceiling"]


def test_a_waiver_of_a_right_state_takes_nothing_from_the_others() -> None:
    assert [item.value for item in failed(judge(WAIVER, wrong=("q2",)))] == [1.0, 1.0]


def test_a_waiver_of_a_query_that_is_not_there_is_a_note_that_names_it() -> None:
    typo = replace(WAIVER, query=QueryId("q-1"))
    (note,) = of_kind(judge(typo, wrong=()), "waiver-unknown")
    assert (note.status, note.query) == (Status.NOTE, "q-1")
    assert of_kind(judge(WAIVER, wrong=()), "waiver-unknown") == []
