"""What holds without a file, and what a file replaces."""

from __future__ import annotations

from retrieval_gate.base.config import AblationSpec, EngineSettings, GateSpec
from retrieval_gate.inputs.config import default_config
from retrieval_gate.scoring.metrics import table
from tests.config.reading import read

DEFAULT_ABLATIONS = """
[[ablations]]
id = "hybrid"
channels = ["lexical", "regression-alias-vector"]
[[ablations]]
id = "hybrid-rerank"
channels = ["lexical", { name = "regression-alias-vector", weight = 1 }]
rerank = true
"""


def shown(gate: GateSpec) -> tuple[str, ...]:
    return (gate.ablation, gate.metric, gate.slice, gate.kind, str(gate.bound), gate.reference or "")


def paths(spec: AblationSpec) -> tuple[str, ...]:
    return (spec.id, *(f"{channel.name}*{channel.weight}" for channel in spec.channels), str(spec.rerank))


def test_the_five_ablations() -> None:
    assert [paths(spec) for spec in default_config().ablations] == [
        ("lexical", "lexical*1.0", "False"),
        ("token-hash-vector", "token-hash-vector*1.0", "False"),
        ("regression-alias-vector", "regression-alias-vector*1.0", "False"),
        ("hybrid", "lexical*1.0", "regression-alias-vector*1.0", "False"),
        ("hybrid-rerank", "lexical*1.0", "regression-alias-vector*1.0", "True"),
    ]
    assert {spec.retriever for spec in default_config().ablations} == {"builtin"}


def test_the_quality_gates() -> None:
    assert [shown(gate) for gate in default_config().gates] == [
        ("hybrid-rerank", "mrr@10", "all", "floor", "0.78", ""),
        ("hybrid-rerank", "ndcg@10", "all", "floor", "0.75", ""),
        ("hybrid-rerank", "no-answer-fpr", "all", "ceiling", "0.34", ""),
        ("hybrid-rerank", "ndcg@10", "all", "max-below", "0.05", "hybrid"),
    ]


def test_tolerances_and_the_rest() -> None:
    config = default_config()
    assert (config.max_drop, config.slack, config.defaults) == (0.0, 1e-9, True)
    assert config.engine == EngineSettings()
    assert (config.fixture, config.baseline, config.aliases) == (None, None, None)
    assert (config.allowances, config.waivers) == ((), ())


def test_the_default_metrics_are_metrics() -> None:
    for metric in default_config().metrics:
        assert table.parse_metric(metric).id == metric


def test_ablations_in_a_file_replace_the_default_ones_and_their_gates() -> None:
    config = read('[[ablations]]\nid = "mine"\nchannels = ["lexical"]')
    assert [spec.id for spec in config.ablations] == ["mine"]
    assert config.gates == ()
    assert not config.defaults


def test_default_gates_stay_on_default_ablations_that_are_still_there() -> None:
    config = read(DEFAULT_ABLATIONS)
    assert config.gates == default_config().gates
    assert not config.defaults


def test_a_default_gate_goes_with_its_reference() -> None:
    only_reranked = DEFAULT_ABLATIONS.partition('[[ablations]]\nid = "hybrid-rerank"')
    kept = read("".join(only_reranked[1:])).gates
    assert [gate.kind for gate in kept] == ["floor", "floor", "ceiling"]


def test_another_system_under_a_default_id_is_not_held_to_the_default_bounds() -> None:
    assert read('[[ablations]]\nid = "hybrid-rerank"\nretriever = "exec:mine"').gates == ()


def test_gates_in_a_file_replace_the_default_ones_and_leave_the_ablations() -> None:
    config = read('[[gates]]\nablation = "lexical"\nmetric = "mrr@10"\nmin = 0.5')
    assert [shown(gate) for gate in config.gates] == [("lexical", "mrr@10", "all", "floor", "0.5", "")]
    assert config.ablations == default_config().ablations
    assert not config.defaults


def test_an_empty_list_of_gates_leaves_none() -> None:
    config = read("gates = []")
    assert (config.gates, config.defaults) == ((), False)


def test_a_metric_that_only_a_gate_names_is_measured_after_the_others() -> None:
    config = read('metrics = ["hit@10", "ndcg@10"]')
    assert list(config.metrics) == ["hit@10", "ndcg@10", "mrr@10", "no-answer-fpr"]
