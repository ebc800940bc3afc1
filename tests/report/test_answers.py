"""Answer states, waivers and held-out queries in a report."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from retrieval_gate.base.config import Waiver
from retrieval_gate.base.difference import Cause, Difference
from retrieval_gate.base.evaluation import Margin
from retrieval_gate.base.fixture import Split, State
from retrieval_gate.base.ids import AblationId, QueryId
from retrieval_gate.report.answers import state_counts, summarise_waivers
from retrieval_gate.report.build import build
from retrieval_gate.report.outputs.style import PLAIN
from retrieval_gate.report.outputs.sweep import NOTHING, sweep
from retrieval_gate.report.outputs.table import OUTPUTS
from retrieval_gate.report.report import Invocation, Report
from retrieval_gate.report.summary import count_lines
from retrieval_gate.report.view import to_json
from tests.report.samples import ENVIRONMENT, a_report
from tests.verdict.factories import config, evaluation, judged, missing, plan, query, record

# The only chunk of the factories' fixture.
CHUNK = "doc-0"
ANSWERED, ABSTAINED = State.ANSWERED, State.ABSTAINED
EN = query("q1", {CHUNK: 3}, expected=ANSWERED)
EN_NONE = query("q2", expected=ABSTAINED)
ZH = query("q3", {CHUNK: 3}, language="zh", expected=ANSWERED)
HIDDEN = query("q9-hidden", {CHUNK: 3}, split=Split.HELDOUT, expected=ABSTAINED)
PLAN = plan(EN, EN_NONE, ZH, HIDDEN)
RECORDS = (
    record(EN, {CHUNK: 1}, state=ABSTAINED),
    record(EN_NONE, state=ANSWERED),
    record(ZH, {CHUNK: 1}, state=ANSWERED),
    record(HIDDEN, {CHUNK: 1}, state=ANSWERED),
)
WAIVERS = tuple(
    Waiver(query=QueryId(name), reason="a private reason", expires=date(2026, 1, 31))
    for name in ("q1", "q3", "q9-hidden")
)


def reported(*, reveal: bool = False) -> Report:
    seen = replace(
        evaluation(PLAN, RECORDS),
        differences=(
            Difference(ablation=AblationId("hybrid"), query=HIDDEN.id, rank=1, cause=Cause.HITS, tolerated=False),
        ),
        margins=(margin("q1", 0.4, 0.36), margin("q2", 0.4, 0.36), margin("q9-hidden", 0.1, 0.36)),
    )
    settings = config(PLAN, waivers=WAIVERS)
    return build(
        plan=PLAN,
        config=settings,
        evaluation=seen,
        verdicts=judged(PLAN, RECORDS, settings=settings, today=date(2026, 1, 1), reveal=reveal),
        environment=ENVIRONMENT,
        invocation=Invocation(today=date(2026, 1, 1)),
        reveal=reveal,
    )


def margin(name: str, evidence: float, threshold: float | None) -> Margin:
    return Margin(ablation=AblationId("hybrid"), query=QueryId(name), evidence=evidence, threshold=threshold)


def test_each_language_has_its_confusion_table_and_held_out_queries_one_together() -> None:
    counts = {
        (count.slice, count.expected, count.observed): count.n
        for count in state_counts(RECORDS, PLAN.slices)
        if count.n
    }
    assert counts == {
        ("language=en", ANSWERED, ABSTAINED): 1,
        ("language=en", ABSTAINED, ANSWERED): 1,
        ("language=zh", ANSWERED, ANSWERED): 1,
        ("split=heldout", ABSTAINED, ANSWERED): 1,
    }


def test_a_state_that_is_not_given_is_a_cell_of_its_own_and_a_missing_answer_none() -> None:
    counts = state_counts((record(EN, {CHUNK: 1}), missing(ZH)), PLAN.slices)
    assert [(count.observed, count.n) for count in counts if count.n] == [(None, 1)]
    assert {count.slice for count in counts} == {"language=en"}


def test_without_expected_states_there_is_no_table() -> None:
    plain = query("q1", {CHUNK: 3})
    assert state_counts((record(plain, state=ANSWERED),), plan(plain).slices) == ()
    quiet = replace(a_report(), states=())
    assert "ANSWER STATES" not in output_of("text", quiet)
    assert "Answer states" not in output_of("markdown", quiet)


def output_of(name: str, report: Report) -> str:
    return next(row for row in OUTPUTS if row.id == name).render(report, PLAIN)


def test_the_tables_are_in_text_markdown_and_json() -> None:
    report = reported()
    assert "hybrid, language=en" in output_of("text", report)
    assert "| `hybrid` | `language=en` | 0 | 1 | 1 | 0 | 0 |" in output_of("markdown", report)
    cells = [cell for cell in to_json(report)["answerStates"] if cell["slice"] == "language=zh"]
    assert [cell["n"] for cell in cells] == [1, 0, 0, 0]


def test_the_margin_of_each_query_is_in_the_json_and_in_no_baseline() -> None:
    records = {entry["query"]: entry for entry in to_json(reported())["queries"]}
    assert (records["q1"]["evidence"], records["q1"]["threshold"], records["q1"]["margin"]) == (0.4, 0.36, 0.04)
    assert (records["q3"]["evidence"], records["q3"]["margin"]) == (None, None)


def test_held_out_queries_are_named_nowhere() -> None:
    report = reported()
    for row in OUTPUTS:
        assert "q9-hidden" not in row.render(report, PLAIN), row.id
    assert report.fixture.held_out == 1
    assert any("1 held out" in line for line in count_lines(report, str))
    assert [difference.query for difference in report.differences] == [None]
    assert "a held-out query, hybrid, rank 1" in output_of("text", report)


def test_held_out_queries_are_named_where_that_is_asked_for() -> None:
    report = reported(reveal=True)
    assert "q9-hidden" in output_of("text", report)
    assert "q9-hidden" in [entry["query"] for entry in to_json(report)["queries"]]


def test_every_waiver_is_told_with_its_date_and_never_with_its_reason() -> None:
    report = reported()
    told = next(line for line in count_lines(report, str) if "waivers of wrong states" in line)
    assert told == (
        "3 waivers of wrong states: q1 until 2026-01-31, 1 waived; q3 until 2026-01-31, 0 waived; "
        "a held-out query until 2026-01-31, 1 waived"
    )
    for row in OUTPUTS:
        assert "private reason" not in row.render(report, PLAIN), row.id
    assert to_json(report)["waivers"][2] == {"query": None, "expires": "2026-01-31", "expired": False, "waived": 1}


def test_a_waiver_covers_nothing_once_it_is_over() -> None:
    over, *_ = summarise_waivers(WAIVERS, RECORDS, date(2026, 2, 1), frozenset())
    assert (over.expired, over.waived) == (True, 0)
    unknown, *_ = summarise_waivers(WAIVERS, RECORDS, None, frozenset())
    assert (unknown.expired, unknown.waived) == (None, 1)


def test_the_sweep_counts_what_each_threshold_decides_wrongly() -> None:
    report = replace(
        reported(),
        margins=(margin("q1", 0.4, 0.36), margin("q2", 0.2, 0.36), margin("q3", 0.3, 0.36)),
    )
    lines = {line.split()[0]: line for line in sweep(report).splitlines() if "withheld" in line}
    assert "threshold 0.36: 2 to answer, 1 to abstain from" in sweep(report)
    assert lines["0.20"].split()[1:5] == ["0", "withheld", "1", "unsupported"]
    assert lines["0.25"].split()[1:5] == ["0", "withheld", "0", "unsupported"]
    assert lines["*"].split()[1:6] == ["0.36", "1", "withheld", "0", "unsupported"]
    assert lines["1.00"].split()[1:5] == ["2", "withheld", "0", "unsupported"]
    assert lines["1.00"].endswith("-" * 30)


def test_without_evidence_there_is_nothing_to_sweep() -> None:
    assert sweep(replace(reported(), margins=())) == NOTHING


def test_without_evidence_of_a_query_no_threshold_answers_it() -> None:
    report = replace(reported(), margins=(margin("q1", 0.0, None), margin("q3", 0.0, None)))
    assert "hybrid, no threshold in force" in sweep(report)
    assert "   0.00    2 withheld    0 unsupported" in sweep(report)


def test_a_plot_names_its_script_and_the_key_that_sets_it() -> None:
    latin = replace(margin("q1", 0.4, 0.36), script="latin")
    han = replace(margin("q3", 0.4, 0.22), script="han")
    told = " ".join(sweep(replace(reported(), margins=(latin, han))).split())
    assert "hybrid, threshold 0.36: 1 to answer, 0 to abstain from; [engine.thresholds] latin" in told
    assert "hybrid, threshold 0.22: 1 to answer, 0 to abstain from; [engine.thresholds] han" in told
    assert "Development queries only." in told


def test_ablations_with_the_same_evidence_share_one_plot_and_others_do_not() -> None:
    report = reported()
    second = tuple(replace(row, ablation=AblationId("second")) for row in report.records)
    both = replace(report, records=(*report.records, *second))
    same = (margin("q1", 0.4, 0.36), replace(margin("q1", 0.4, 0.36), ablation=AblationId("second")))
    assert sweep(replace(both, margins=same)).count("threshold 0.36") == 1
    assert "hybrid, second, threshold 0.36: 1 to answer" in sweep(replace(both, margins=same))
    other = (same[0], replace(same[1], evidence=0.5))
    assert sweep(replace(both, margins=other)).count("threshold 0.36") == 2


def test_the_sweep_is_as_wide_as_everything_else() -> None:
    assert max(map(len, sweep(reported()).splitlines())) <= PLAIN.width


def test_the_sweep_says_so_where_held_out_queries_are_in_it() -> None:
    revealed = replace(reported(reveal=True), invocation=Invocation(reveal_held_out=True))
    assert "Held-out queries are among them" in " ".join(sweep(revealed).split())
