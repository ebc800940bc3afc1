"""The metrics, in the order of every table and report, and how their names are read."""

from __future__ import annotations

import re

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.ids import MetricId
from retrieval_gate.base.names import nearest
from retrieval_gate.base.scores import Direction
from retrieval_gate.scoring.metrics.context_share import context_precision, context_recall
from retrieval_gate.scoring.metrics.family import Applies, Metric, MetricFamily
from retrieval_gate.scoring.metrics.hit import hit
from retrieval_gate.scoring.metrics.mrr import reciprocal_rank
from retrieval_gate.scoring.metrics.ndcg import ndcg, ndcg_linear
from retrieval_gate.scoring.metrics.no_answer_fpr import no_answer_false_positive
from retrieval_gate.scoring.metrics.permission_leaks import permission_leaks
from retrieval_gate.scoring.metrics.pool import MEAN, RATIO, TOTAL
from retrieval_gate.scoring.metrics.precision import precision, precision_fixed
from retrieval_gate.scoring.metrics.recall import recall
from retrieval_gate.scoring.metrics.stale_evidence import stale_evidence
from retrieval_gate.scoring.metrics.wrong_state import wrong_state

__all__ = ["FAMILIES", "MAX_CUTOFF", "METRIC_VERSION", "Metric", "MetricFamily", "parse_metric"]

# Moves with every change that can change a value; part of the labels hash.
METRIC_VERSION = "1"

MAX_CUTOFF = 1000

_MANNING = "Manning, Raghavan, Schuetze, Introduction to Information Retrieval (2008), chapter 8"

FAMILIES: tuple[MetricFamily, ...] = (
    MetricFamily(
        id="recall",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula="relevant units among the first k distinct results, divided by all relevant units of the query",
        source=_MANNING,
        pool=MEAN,
        measure=recall,
    ),
    MetricFamily(
        id="hit",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula="1 if at least one relevant unit is among the first k distinct results, else 0",
        source="success@k of trec_eval",
        pool=MEAN,
        measure=hit,
    ),
    MetricFamily(
        id="precision",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula=(
            "relevant units among the first k distinct results, divided by the number of results returned there, "
            "which is at most k; none where nothing was returned; unjudged is not relevant"
        ),
        source=_MANNING,
        pool=MEAN,
        measure=precision,
    ),
    MetricFamily(
        id="precision-fixed",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula="relevant units among the first k distinct results, divided by k, however few were returned",
        source="P_k of trec_eval",
        pool=MEAN,
        measure=precision_fixed,
    ),
    MetricFamily(
        id="mrr",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula="1 divided by the rank of the first relevant unit, 0 where none is among the first k",
        source="Voorhees, The TREC-8 Question Answering Track Report (1999)",
        pool=MEAN,
        measure=reciprocal_rank,
    ),
    MetricFamily(
        id="ndcg",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula=(
            "sum over the first k ranks of (2^grade - 1) / log2(rank + 1), divided by the same sum for the best "
            "ordering of all relevant units; where all grades are equal it can only see which units were found"
        ),
        source="Burges et al., Learning to Rank using Gradient Descent (2005)",
        pool=MEAN,
        measure=ndcg,
    ),
    MetricFamily(
        id="ndcg-linear",
        direction=Direction.HIGHER,
        takes_cutoff=True,
        unit="share",
        applies=Applies.ANSWERABLE,
        formula=(
            "sum over the first k ranks of grade / log2(rank + 1), divided by the same sum for the best ordering "
            "of all relevant units"
        ),
        source="ndcg_cut_k of trec_eval; Jarvelin and Kekalainen, Cumulated Gain-Based Evaluation (2002)",
        pool=MEAN,
        measure=ndcg_linear,
    ),
    MetricFamily(
        id="context-precision",
        direction=Direction.HIGHER,
        takes_cutoff=False,
        unit="share of characters",
        applies=Applies.ANSWERABLE,
        formula=(
            "characters of annotated spans found in the context of the first 10 distinct hits, divided by all "
            "characters of that context, summed over queries; overlapping spans count once; not the rank-weighted "
            "average that other tools give this name"
        ),
        source="this project: the ratio of sums over characters",
        pool=RATIO,
        measure=context_precision,
    ),
    MetricFamily(
        id="context-recall",
        direction=Direction.HIGHER,
        takes_cutoff=False,
        unit="share of characters",
        applies=Applies.ANSWERABLE,
        formula=(
            "characters of annotated spans found in the context of the first 10 distinct hits, divided by all "
            "annotated characters, summed over queries; overlapping spans count once"
        ),
        source="this project: the ratio of sums over characters",
        pool=RATIO,
        measure=context_recall,
    ),
    MetricFamily(
        id="context-precision-macro",
        direction=Direction.HIGHER,
        takes_cutoff=False,
        unit="share of characters",
        applies=Applies.ANSWERABLE,
        formula="context-precision of each query on its own, averaged over the queries whose context is not empty",
        source="this project: every query weighs the same",
        pool=MEAN,
        measure=context_precision,
    ),
    MetricFamily(
        id="context-recall-macro",
        direction=Direction.HIGHER,
        takes_cutoff=False,
        unit="share of characters",
        applies=Applies.ANSWERABLE,
        formula="context-recall of each query on its own, averaged over queries",
        source="this project: every query weighs the same",
        pool=MEAN,
        measure=context_recall,
    ),
    MetricFamily(
        id="no-answer-fpr",
        direction=Direction.LOWER,
        takes_cutoff=False,
        unit="share",
        applies=Applies.NO_ANSWER,
        formula="no-answer queries that returned any result, divided by all no-answer queries",
        source="the false-positive rate of the decision to answer",
        pool=MEAN,
        measure=no_answer_false_positive,
    ),
    MetricFamily(
        id="permission-leaks",
        direction=Direction.LOWER,
        takes_cutoff=False,
        unit="count",
        applies=Applies.LABELLED,
        formula=(
            "forbidden chunks found in hits, context, citations or traced stages, at any depth; "
            "n counts the labels checked"
        ),
        source="zero tolerance: never averaged with relevance",
        pool=TOTAL,
        measure=permission_leaks,
    ),
    MetricFamily(
        id="stale-evidence",
        direction=Direction.LOWER,
        takes_cutoff=False,
        unit="count",
        applies=Applies.LABELLED,
        formula="stale chunks found in hits, context or citations, at any depth; n counts the labels checked",
        source="zero tolerance: never averaged with relevance",
        pool=TOTAL,
        measure=stale_evidence,
    ),
    MetricFamily(
        id="wrong-state",
        direction=Direction.LOWER,
        takes_cutoff=False,
        unit="count",
        applies=Applies.LABELLED,
        formula=(
            "queries whose state differs from the expected one; n counts the queries that have an expected state "
            "and whose retriever gave one"
        ),
        source="zero tolerance: never averaged with relevance",
        pool=TOTAL,
        measure=wrong_state,
    ),
)

_BY_ID = {family.id: family for family in FAMILIES}
# What an error may quote: nothing that could hide a control character or a text.
_QUOTABLE = re.compile(r"[A-Za-z0-9@_.-]{1,40}")
_CUTOFF = re.compile(r"[1-9][0-9]{0,3}")


def parse_metric(metric_id: str) -> Metric:
    """`ndcg@10` as a family and its cut-off (1 to 1000). Raises ConfigError for anything else."""
    name, at, cutoff = metric_id.partition("@")
    family = _BY_ID.get(name)
    if family is None:
        raise _unknown(name)
    if not family.takes_cutoff:
        if at:
            raise ConfigError("bad-cut-off", f"{name} takes no cut-off", fix=f"write {name}")
        return Metric(id=MetricId(metric_id), family=family, k=None)
    if not _CUTOFF.fullmatch(cutoff) or int(cutoff) > MAX_CUTOFF:
        raise ConfigError(
            "bad-cut-off", f"{name} needs a cut-off from 1 to {MAX_CUTOFF}", fix=f"write for example {name}@10"
        )
    return Metric(id=MetricId(metric_id), family=family, k=int(cutoff))


def _unknown(name: str) -> ConfigError:
    near = nearest(name, tuple(_BY_ID))
    quoted = f"no metric is called {name}" if _QUOTABLE.fullmatch(name) else "this is not the name of a metric"
    fix = f"did you mean {near}" if near else f"use one of {', '.join(_BY_ID)}"
    return ConfigError("unknown-metric", quoted, fix=fix)
