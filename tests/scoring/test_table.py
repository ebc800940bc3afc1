"""The table of metrics and how their names are read."""

from __future__ import annotations

import pytest

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.scores import Direction
from retrieval_gate.inputs.config.defaults import DEFAULT_METRICS
from retrieval_gate.scoring.metrics.table import FAMILIES, parse_metric


def test_every_default_metric_is_in_the_table() -> None:
    assert [parse_metric(name).id for name in DEFAULT_METRICS] == list(DEFAULT_METRICS)


def test_every_row_explains_itself() -> None:
    assert len({family.id for family in FAMILIES}) == len(FAMILIES) == 15
    assert all(family.formula and family.source and family.unit for family in FAMILIES)


def test_lower_is_better_only_for_faults() -> None:
    lower = [family.id for family in FAMILIES if family.direction is Direction.LOWER]
    assert lower == ["no-answer-fpr", "permission-leaks", "stale-evidence", "wrong-state"]


def test_the_names_that_other_tools_use_differently_say_which_meaning_is_ours() -> None:
    """Cases 32, 36 and 43."""
    formulas = {family.id: family.formula for family in FAMILIES}
    assert "2^grade - 1" in formulas["ndcg"]
    assert "all grades are equal" in formulas["ndcg"]
    assert "grade / log2" in formulas["ndcg-linear"]
    assert "not the rank-weighted average" in formulas["context-precision"]


@pytest.mark.parametrize(("name", "k"), [("recall@1", 1), ("ndcg-linear@1000", 1000), ("wrong-state", None)])
def test_a_name_is_read_with_its_cut_off(name: str, k: int | None) -> None:
    metric = parse_metric(name)
    assert metric.id == name
    assert metric.family.id == name.partition("@")[0]
    assert metric.k == k


@pytest.mark.parametrize(
    "name",
    [
        "recall",
        "recall@",
        "recall@0",
        "recall@-1",
        "recall@1001",
        "recall@010",
        "recall@5.0",
        "recall@٥",
        "recall@5@5",
    ],
)
def test_a_cut_off_must_be_a_whole_number_from_1_to_1000(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_metric(name)
    assert caught.value.code == "bad-cut-off"
    assert "recall@10" in caught.value.fix


@pytest.mark.parametrize("name", ["context-recall@5", "no-answer-fpr@"])
def test_a_metric_without_cut_off_refuses_one(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_metric(name)
    assert caught.value.code == "bad-cut-off"
    assert caught.value.fix == f"write {name.partition('@')[0]}"


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_metric("recal@5")
    assert (caught.value.code, caught.value.fix) == ("unknown-metric", "did you mean recall")


@pytest.mark.parametrize("name", ["", "@5", "\x1b[31mred", "x" * 400])
def test_a_name_that_is_like_none_is_answered_with_the_list_and_not_quoted_where_unsafe(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_metric(name)
    assert "recall, hit, precision" in caught.value.fix
    assert caught.value.what == "this is not the name of a metric"
