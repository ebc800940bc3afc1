from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import Allowance, GateKind, Waiver
from retrieval_gate.base.fixture import Access, Principal, Query, Split
from retrieval_gate.base.ids import MetricId, PrincipalId, QueryId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.verdict.baseline import Baseline, candidate, read_baseline, render_baseline
from tests.verdict.factories import (
    baseline,
    config,
    document,
    evaluation,
    fixture,
    gate,
    plan,
    query,
    record,
)

ONE = query("q1", {"a": 3, "b": 1})
TWO = query("q2", {"c": 2}, language="zh", forbidden=("x",), stale=("y",))
NONE = query("q3")
HIDDEN = query("q9", {"d": 3}, split=Split.HELDOUT)


def _records(order: str = "0") -> list[QueryRecord]:
    return [
        record(asked, ranks, ablation=ablation, order=order)
        for ablation in ("lexical", "hybrid")
        for asked, ranks in ((ONE, {"a": 1, "b": 4}), (TWO, {"c": 2}), (NONE, {}))
    ]


PLAN = plan(ONE, TWO, NONE, ablations=("lexical", "hybrid"))


def _text(*, reason: str | None = "first") -> str:
    made = candidate(PLAN, evaluation(PLAN, _records()), config(PLAN), reason=reason, environment=())
    return render_baseline(made)


def test_the_file_is_read_back_as_it_was_written() -> None:
    settings = config(
        PLAN,
        gates=(gate(GateKind.FLOOR, "mrr@10", 0.7), gate(GateKind.MAX_BELOW, "mrr@10", 0.05, reference="lexical")),
        allowances=(Allowance(metric=MetricId("mrr@10"), ablation=None, slice=None, max_drop=0.1),),
        waivers=(Waiver(query=QueryId("q1"), reason="known", expires=date(2026, 1, 31)),),
    )
    made = candidate(
        PLAN, evaluation(PLAN, _records()), settings, reason='because "it" moved', environment=(("tool", "0.1.0"),)
    )

    assert read_baseline(render_baseline(made).encode(), file="b") == made


@given(st.permutations(_records()), st.sampled_from((None, "x", "原因\n二")))
def test_the_order_of_records_and_queries_moves_no_byte(records: list[QueryRecord], reason: str | None) -> None:
    turned = plan(NONE, TWO, ONE, ablations=("lexical", "hybrid"))

    text = render_baseline(
        candidate(turned, evaluation(turned, records), config(turned), reason=reason, environment=())
    )

    assert text == _text(reason=reason)


def test_every_line_is_one_json_array_and_the_last_ends_with_a_line_feed() -> None:
    text = _text()

    assert text.endswith("]\n")
    assert "\r" not in text
    assert all(isinstance(json.loads(line), list) for line in text.splitlines())
    assert text.splitlines()[0] == '["retrieval-gate/baseline/v1"]'


def test_the_records_of_a_query_follow_it_and_are_short() -> None:
    lines = _text().splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith('["query","q2"'))

    assert lines[start + 1].startswith('["record",["hybrid","q2",')
    assert lines[start + 2].startswith('["record",["lexical","q2",')
    assert all(len(line) < 200 for line in lines if line.startswith('["record"'))


def test_no_time_latency_line_number_or_text_is_in_the_file() -> None:
    text = _text()

    assert "latency" not in text
    assert "text of" not in text
    assert "some text" not in text
    assert "a title" not in text


def test_lines_in_another_order_are_the_same_baseline() -> None:
    head, *rest = _text().splitlines()

    turned = "\n".join([head, *reversed(rest)])

    assert read_baseline(turned.encode(), file="b") == read_baseline(_text().encode(), file="b")


def test_a_checkout_with_windows_line_ends_is_the_same_baseline() -> None:
    assert read_baseline(_text().replace("\n", "\r\n").encode(), file="b") == read_baseline(
        _text().encode(), file="b"
    )


def test_a_byte_order_mark_is_skipped() -> None:
    assert read_baseline(b"\xef\xbb\xbf" + _text().encode(), file="b") == read_baseline(_text().encode(), file="b")


def test_rows_and_ablations_are_those_measured() -> None:
    read = baseline(PLAN, _records())
    row = next(row for row in read.rows if (row.ablation, row.slice, row.metric) == ("lexical", "all", "mrr@10"))

    assert read.ablations == ("hybrid", "lexical")
    assert read.slices == ("all", "language=en", "language=zh")
    assert (row.value, row.n) == (0.75, 2)


def test_policy_labels_stand_with_their_query() -> None:
    labelled = baseline(PLAN, _records()).queries[1]

    assert (labelled.id, labelled.forbidden, labelled.stale) == ("q2", ("x",), ("y",))
    assert labelled.slices == ("all", "language=zh")


def _with_held_out(*extra: Query) -> Baseline:
    of = plan(ONE, NONE, HIDDEN, *extra)
    records = [record(ONE, {"a": 1, "b": 4}), record(NONE), record(HIDDEN, {"d": 2})]
    return baseline(of, [*records, *(record(asked, {"d": 1}) for asked in extra)])


def test_held_out_queries_are_in_the_rows_and_never_named() -> None:
    read = _with_held_out()
    row = next(row for row in read.rows if (row.slice, row.metric) == ("split=heldout", "mrr@10"))

    assert "q9" not in render_baseline(read)
    assert (row.value, row.n) == (0.5, 1)
    assert read.held_out.count == 1
    assert read.held_out.slices == ("split=heldout",)
    assert [item.id for item in read.queries] == ["q1", "q3"]


def test_another_held_out_query_moves_their_digest() -> None:
    assert (
        _with_held_out(query("q8", {"d": 1}, split=Split.HELDOUT)).held_out.labels
        != _with_held_out().held_out.labels
    )


def test_who_may_see_a_document_is_kept_without_its_words() -> None:
    secret = replace(document("plan"), access=Access(tenant="acme", allow=(("role", ("boss", "clerk")),)))
    principal = Principal(id=PrincipalId("p1"), tenant="acme", attributes=(("role", ("clerk",)),))
    of = plan(of=replace(fixture(ONE), documents=(document("open"), secret), principals=(principal,)))
    read = baseline(of, [record(ONE, {"a": 1})])
    guarded, holder = read.guards

    assert (guarded.subject, guarded.id, holder.subject, holder.id) == ("document", "plan", "principal", "p1")
    assert guarded.tenant == holder.tenant
    assert set(holder.attributes[0][1]) < set(guarded.attributes[0][1])
    assert not any(word in render_baseline(read) for word in ("acme", "boss", "clerk", "role"))


def test_rows_of_another_metric_version_are_read_and_not_recomputed() -> None:
    old = (
        _text()
        .replace('["metric-version","1"]', '["metric-version","0"]')
        .replace('"mrr@10",0.75,', '"mrr@10",0.5,')
    )

    assert read_baseline(old.encode(), file="b").metric_version == "0"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7098097413968655])
def test_a_bound_keeps_every_digit(value: float) -> None:
    settings = config(PLAN, gates=(gate(GateKind.CEILING, "no-answer-fpr", value),))

    assert baseline(PLAN, _records(), settings).bounds.gates[0].bound == value
