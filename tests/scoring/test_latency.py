"""Latency summaries."""

from __future__ import annotations

from retrieval_gate.scoring.latency import latency
from tests.scoring.build import ABLATION

MS = 1_000_000


def test_every_figure_by_hand() -> None:
    summary = latency(ABLATION, [30 * MS, 10 * MS, 20 * MS, 100 * MS])
    assert (summary.count, summary.min, summary.max) == (4, 10, 100)
    assert (summary.median, summary.mean, summary.p95) == (25, 40, 100)


def test_the_middle_of_an_odd_count_is_its_median() -> None:
    assert latency(ABLATION, [3 * MS, 1 * MS, 2 * MS]).median == 2


def test_p95_is_the_nearest_rank() -> None:
    assert latency(ABLATION, [index * MS for index in range(1, 21)]).p95 == 19
    assert latency(ABLATION, [index * MS for index in range(1, 22)]).p95 == 20
    assert latency(ABLATION, [index * MS for index in range(1, 101)]).p95 == 95
    assert latency(ABLATION, [7 * MS]).p95 == 7


def test_no_times_have_no_figures() -> None:
    summary = latency(ABLATION, [])
    assert summary.count == 0
    assert (summary.min, summary.median, summary.p95, summary.max, summary.mean) == (None,) * 5
