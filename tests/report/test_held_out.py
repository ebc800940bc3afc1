"""Held-out queries have a row of their own in the tables of metrics."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.ids import SliceId
from retrieval_gate.report.outputs import summary, text
from retrieval_gate.report.outputs.style import PLAIN
from tests.report.samples import a_report, rows


def test_the_held_out_value_stands_in_both_tables_of_metrics_with_its_n() -> None:
    hidden = tuple(
        replace(row, slice=SliceId("split=heldout"), value=None if row.value is None else 0.5, n=7)
        for row in rows()
        if row.slice == "all"
    )
    report = a_report(measured=(*rows(), *hidden))
    shown = text.render(report, PLAIN).splitlines()
    assert next(line.split()[1] for line in shown if line.strip().startswith("split=heldout")) == "0.5000"
    assert [line.split()[2] for line in shown if line.startswith("n, split=heldout")] == ["7"]
    assert "`split=heldout` |" in summary.render(report, PLAIN)


def test_without_held_out_queries_there_is_no_such_row() -> None:
    report = a_report()
    assert "split=heldout  " not in text.render(replace(report, states=()), PLAIN)
    assert "`split=heldout` |" not in summary.render(replace(report, states=()), PLAIN)
