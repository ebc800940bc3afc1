"""Where a configuration's names meet the tables: unknown, left out, put in its place, or nothing at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval_gate.base.config import (
    AblationSpec,
    AliasTable,
    Channel,
    Concept,
    Config,
    EngineSettings,
    EvidenceThreshold,
)
from retrieval_gate.base.errors import ConfigError, NothingComparableError
from retrieval_gate.base.ids import AblationId, MetricId
from retrieval_gate.evaluation.plan import make_plan
from retrieval_gate.inputs.config import default_config
from tests.scoring.build import document, fixture, graded

FIXTURE = fixture([document("d", c1="text")], [graded("q1", c1=3)])
TABLE = AliasTable(note="n", concepts=(Concept(id="key", aliases=("key", "钥匙")),))
DEFAULT = default_config()


def _spec(name: str, *channels: str, retriever: str = "builtin") -> AblationSpec:
    weighted = tuple(Channel(name=channel, weight=float(at)) for at, channel in enumerate(channels, start=1))
    return AblationSpec(id=AblationId(name), retriever=retriever, channels=weighted)


def _config(*specs: AblationSpec, aliases: AliasTable | None = None) -> Config:
    return replace(DEFAULT, ablations=specs, aliases=aliases)


def _thresholds(*scripts: str) -> EngineSettings:
    return EngineSettings(thresholds=tuple(EvidenceThreshold(script=script, value=0.5) for script in scripts))


def test_every_script_of_the_engine_may_have_a_threshold() -> None:
    engine = _thresholds("han", "latin", "devanagari", "other")

    assert make_plan(FIXTURE, replace(DEFAULT, engine=engine)).engine is engine


def test_the_default_plan_runs_all_five_ablations_with_an_alias_table() -> None:
    plan = make_plan(FIXTURE, replace(DEFAULT, aliases=TABLE))

    assert plan.ablations == DEFAULT.ablations
    assert (plan.left_out, plan.substituted) == ((), ())
    assert plan.aliases is TABLE


def test_without_an_alias_table_its_ablation_is_left_out_and_the_hybrids_use_token_hash() -> None:
    plan = make_plan(FIXTURE, DEFAULT)

    assert [spec.id for spec in plan.ablations] == ["lexical", "token-hash-vector", "hybrid", "hybrid-rerank"]
    assert plan.left_out == ("regression-alias-vector",)
    assert plan.substituted == ("hybrid", "hybrid-rerank")
    hybrid = plan.ablations[2]
    assert [channel.name for channel in hybrid.channels] == ["lexical", "token-hash-vector"]


def test_a_substituted_channel_keeps_its_place_and_weight() -> None:
    plan = make_plan(FIXTURE, _config(_spec("mine", "lexical", "regression-alias-vector")))

    assert plan.ablations == (_spec("mine", "lexical", "token-hash-vector"),)
    assert plan.ablations[0].channels[1].weight == 2.0


def test_an_ablation_with_both_kinds_of_vectors_is_left_out_without_a_table() -> None:
    """Token-hash can not stand in where it stands already: the engine takes each channel once."""
    both = _spec("both", "lexical", "token-hash-vector", "regression-alias-vector")

    plan = make_plan(FIXTURE, _config(_spec("lexical", "lexical"), both))

    assert [spec.id for spec in plan.ablations] == ["lexical"]
    assert (plan.left_out, plan.substituted) == (("both",), ())
    assert make_plan(FIXTURE, _config(both, aliases=TABLE)).ablations == (both,)


def test_only_the_named_ablations_are_run_in_the_order_of_the_configuration() -> None:
    plan = make_plan(FIXTURE, DEFAULT, only=("hybrid", "lexical", "hybrid"))

    assert [spec.id for spec in plan.ablations] == ["lexical", "hybrid"]
    assert (plan.left_out, plan.substituted) == ((), ("hybrid",))


def test_a_misspelt_ablation_is_named_the_nearest() -> None:
    with pytest.raises(ConfigError, match="the nearest is lexical") as caught:
        make_plan(FIXTURE, DEFAULT, only=("lexicla",))

    assert caught.value.code == "unknown-ablation"
    assert "lexical, token-hash-vector" in caught.value.fix


def test_an_ablation_like_no_other_has_no_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        make_plan(FIXTURE, DEFAULT, only=("☃",))

    assert "nearest" not in caught.value.what


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (_config(_spec("a", "lexicla")), "unknown-channel"),
        (_config(_spec("a")), "no-channels"),
        (_config(_spec("a", "lexical"), _spec("b", retriever="bulitin")), "unknown-retriever"),
        (replace(DEFAULT, metrics=(MetricId("mmr@10"),)), "unknown-metric"),
        (replace(DEFAULT, engine=_thresholds("roman")), "unknown-script"),
    ],
)
def test_a_name_that_no_table_has_is_refused_before_anything_runs(config: Config, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_plan(FIXTURE, config)

    assert caught.value.code == code


def test_an_unknown_name_is_refused_in_an_ablation_that_is_not_chosen_too() -> None:
    config = _config(_spec("a", "lexical"), _spec("b", "lexicla"))

    with pytest.raises(ConfigError):
        make_plan(FIXTURE, config, only=("a",))


def test_what_an_ablation_that_is_not_chosen_needs_may_be_absent() -> None:
    config = _config(_spec("a", "lexical"), _spec("b", retriever="replay:no-such-file.jsonl"))

    assert [spec.id for spec in make_plan(FIXTURE, config, only=("a",)).ablations] == ["a"]
    with pytest.raises(ConfigError) as caught:
        make_plan(FIXTURE, config)
    assert caught.value.code == "not-found"


@pytest.mark.parametrize(
    ("config", "queries", "only"),
    [
        (DEFAULT, (), ()),
        (_config(), FIXTURE.queries, ()),
        (DEFAULT, FIXTURE.queries, ("regression-alias-vector",)),
    ],
    ids=["no query", "no ablation", "all that was asked for is left out"],
)
def test_nothing_to_run_is_nothing_comparable(config: Config, queries: tuple[()], only: tuple[str, ...]) -> None:
    with pytest.raises(NothingComparableError) as caught:
        make_plan(replace(FIXTURE, queries=queries), config, only=only)

    assert caught.value.code == "nothing-to-run"


@pytest.mark.parametrize(
    ("metrics", "k"),
    [(("mrr@3",), 10), (("no-answer-fpr",), 10), (("mrr@3", "recall@50", "hit@20"), 50), ((), 10)],
)
def test_enough_hits_are_asked_for_to_measure_all_metrics_and_ten_contexts(
    metrics: tuple[str, ...], k: int
) -> None:
    plan = make_plan(FIXTURE, replace(DEFAULT, metrics=tuple(map(MetricId, metrics))))

    assert plan.k == k
    assert [metric.id for metric in plan.metrics] == list(metrics)
