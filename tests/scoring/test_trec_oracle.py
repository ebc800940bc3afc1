"""trec_eval's own test files: recall, P, reciprocal rank and ndcg_cut, at full precision."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from retrieval_gate.base.record import QueryRecord
from tests.scoring.build import judgment, query, ranked, value
from tests.shared import shared

pytestmark = pytest.mark.shared

NAMES = {
    "recall_5": "recall@5",
    "recall_10": "recall@10",
    "P_10": "precision-fixed@10",
    "rr10": "mrr@10",
    "ndcg_cut_10": "ndcg-linear@10",
}
GROUPS = ["qrels.test+results.test", "qrels.rel_level+results.test", "qrels.test+results.trunc"]


def fields(path: Path) -> list[list[str]]:
    """The columns of each line; only blanks and tabs part them."""
    return [re.split(r"[ \t]+", line.strip(" \t")) for line in path.read_text(encoding="utf-8").splitlines()]


def qrels(path: Path) -> dict[str, dict[str, int]]:
    labels: dict[str, dict[str, int]] = {}
    for name, _, item, grade in fields(path):
        labels.setdefault(name, {})[item] = int(grade)
    return labels


def rankings(path: Path) -> dict[str, list[str]]:
    """Score descending, then id descending: trec_eval's order. The truncated run has more columns than six."""
    scored: dict[str, list[tuple[float, str]]] = {}
    for name, _, item, _, score, *_ in fields(path):
        scored.setdefault(name, []).append((float(score), item))
    return {name: [item for _, item in sorted(items, reverse=True)] for name, items in scored.items()}


def records(group: str) -> dict[str, QueryRecord]:
    """One per labelled query; the truncated run lacks one, which is scored as empty as by trec_eval's -c."""
    labels_name, run_name = group.split("+")
    labels = qrels(shared(f"oracle/trec_eval/{labels_name}"))
    runs = rankings(shared(f"oracle/trec_eval/{run_name}"))
    return {
        name: ranked(query(name, *(judgment(item, grade) for item, grade in own.items())), *runs.get(name, ()))
        for name, own in labels.items()
    }


@pytest.mark.parametrize("group", GROUPS)
def test_every_query_is_what_trec_eval_says(group: str) -> None:
    oracle = json.loads(shared("oracle/trec_eval/oracle_full_precision.json").read_text(encoding="utf-8"))
    scored = records(group)
    assert sorted(scored) == sorted(oracle[group])
    for name, expected in oracle[group].items():
        for theirs, ours in NAMES.items():
            assert value(ours, scored[name]) == pytest.approx(expected[theirs], abs=1e-12), (name, ours)
