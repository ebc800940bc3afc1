"""A configuration as it is read: every value lands where it belongs, and every problem at its line."""

from __future__ import annotations

from datetime import date

import pytest

from retrieval_gate.base.config import (
    AblationSpec,
    AliasTable,
    Allowance,
    Channel,
    Concept,
    EngineSettings,
    EvidenceThreshold,
    GateKind,
    GateSpec,
    Waiver,
)
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.inputs.config import CONFIG_BYTE_LIMIT, default_config, load_config
from tests.config.reading import read, refusal, rules

ABLATION = '[[ablations]]\nid = "a"\nchannels = ["lexical"]\n'
GATE = '[[gates]]\nablation = "lexical"\nmetric = "mrr@10"\n'
ALLOWANCE = "[[allowances]]\nmax-drop = 0.1\n"
WAIVER = '[[waivers]]\nquery = "q-1"\nreason = "known"\nexpires = 2026-12-31\n'


def test_an_empty_file_is_the_default() -> None:
    assert read("") == default_config()


def test_paths_metrics_and_tolerances() -> None:
    config = read(
        'fixture = "a/b.json"\nbaseline = "b.json"\nmetrics = ["mrr@5"]\nmax-drop = 0.02\nslack = 0\ngates = []'
    )
    assert (config.fixture, config.baseline) == ("a/b.json", "b.json")
    assert (config.max_drop, config.slack) == (0.02, 0.0)
    assert config.metrics == (MetricId("mrr@5"),)


def test_engine_settings_and_thresholds_sorted_by_script() -> None:
    text = """
[engine]
candidates = 10
rrf-k = 30
rerank-depth = 5
context-characters = 2_000
neighbours = 1
abstention = false
[engine.thresholds]
latin = 0.3
han = 1
"""
    assert read(text).engine == EngineSettings(
        candidates=10,
        rrf_k=30,
        rerank_depth=5,
        context_characters=2_000,
        neighbours=1,
        abstention=False,
        thresholds=(EvidenceThreshold(script="han", value=1.0), EvidenceThreshold(script="latin", value=0.3)),
    )


def test_the_order_of_the_alias_table_means_nothing() -> None:
    one = read('[aliases]\nnote = "n"\n[aliases.concepts]\nb = ["y", "x"]\na = ["x"]')
    two = read('[aliases]\nconcepts = { a = ["x"], b = ["x", "y"] }\nnote = "n"')
    assert one == two
    assert one.aliases == AliasTable(
        note="n", concepts=(Concept(id="a", aliases=("x",)), Concept(id="b", aliases=("x", "y")))
    )


def test_a_channel_is_a_name_or_a_table_with_a_weight() -> None:
    config = read('[[ablations]]\nid = "a"\nrerank = true\nchannels = ["x", { name = "y", weight = 0.5 }]')
    assert config.ablations == (
        AblationSpec(
            id=AblationId("a"),
            retriever="builtin",
            channels=(Channel(name="x", weight=1.0), Channel(name="y", weight=0.5)),
            rerank=True,
        ),
    )


def test_another_retriever_takes_no_channels() -> None:
    config = read('[[ablations]]\nid = "a"\nretriever = "exec:node search.js"')
    assert config.ablations == (AblationSpec(id=AblationId("a"), retriever="exec:node search.js"),)


def test_the_three_kinds_of_gate() -> None:
    below = 'max-below = { ablation = "hybrid", by = 0.05 }'
    text = f'{GATE}min = 0.5\n{GATE}slice = "language=zh"\nmax = 1\n{GATE}{below}'
    lexical, mrr, whole = AblationId("lexical"), MetricId("mrr@10"), SliceId("all")
    assert read(text).gates == (
        GateSpec(kind=GateKind.FLOOR, ablation=lexical, metric=mrr, slice=whole, bound=0.5),
        GateSpec(kind=GateKind.CEILING, ablation=lexical, metric=mrr, slice=SliceId("language=zh"), bound=1.0),
        GateSpec(
            kind=GateKind.MAX_BELOW,
            ablation=lexical,
            metric=mrr,
            slice=whole,
            bound=0.05,
            reference=AblationId("hybrid"),
        ),
    )


def test_allowances_and_waivers() -> None:
    config = read(f'{ALLOWANCE}{ALLOWANCE}metric = "mrr@10"\nablation = "lexical"\nslice = "all"\n{WAIVER}')
    assert config.allowances == (
        Allowance(metric=None, ablation=None, slice=None, max_drop=0.1),
        Allowance(metric=MetricId("mrr@10"), ablation=AblationId("lexical"), slice=SliceId("all"), max_drop=0.1),
    )
    assert config.waivers == (Waiver(query=QueryId("q-1"), reason="known", expires=date(2026, 12, 31)),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_drop = 0.1", (1, "unknown-key")),
        ("[engine]\nthresholds.latin = 0.1\ncandidate = 1", (3, "unknown-key")),
        (f"{ABLATION}\ncolour = 1", (5, "unknown-key")),
        ('[[gates]]\nablation = "lexical"\nmin = 0.1', (1, "missing-key")),
        ("fixture = 1", (1, "wrong-type")),
        ("slack = true", (1, "wrong-type")),
        ('slack = "0"', (1, "wrong-type")),
        ("[engine]\ncandidates = 1.0", (2, "wrong-type")),
        ("[engine]\ncandidates = true", (2, "wrong-type")),
        ("[engine]\nabstention = 1", (2, "wrong-type")),
        ("engine = 1", (1, "wrong-type")),
        ("aliases.concepts = 1", (1, "wrong-type")),
        ('metrics = "mrr@10"', (1, "wrong-type")),
        ("gates = [\n  1,\n]", (2, "wrong-type")),
        ('[[waivers]]\nquery = "q"\nreason = "r"\nexpires = "2026-12-31"', (4, "wrong-type")),
        ('[[waivers]]\nquery = "q"\nreason = "r"\nexpires = 2026-12-31T00:00:00Z', (4, "wrong-type")),
        (f"{GATE}min = nan", (4, "not-finite")),
        (f"{GATE}max = inf", (4, "not-finite")),
        (f'{GATE}max-below = {{ ablation = "hybrid", by = nan }}', (4, "not-finite")),
        ("slack = inf", (1, "not-finite")),
        ("max-drop = nan", (1, "not-finite")),
        ("[[allowances]]\nmax-drop = -inf", (2, "not-finite")),
        ("[engine.thresholds]\nlatin = nan", (2, "not-finite")),
        (f"{GATE}min = -0.1", (4, "out-of-range")),
        (f"{GATE}max = 34", (4, "out-of-range")),
        ("slack = 0.01", (1, "out-of-range")),
        ("max-drop = 1.1", (1, "out-of-range")),
        ("[engine]\ncandidates = 0", (2, "out-of-range")),
        ("[engine]\ncandidates = 99999999999999999999999999", (2, "out-of-range")),
        ('[[ablations]]\nid = "a"\nchannels = [{ name = "x", weight = 0 }]', (3, "out-of-range")),
        ("metrics = []", (1, "too-short")),
        ("ablations = []", (1, "too-short")),
        ("[aliases.concepts]", (1, "too-short")),
        ("[aliases.concepts]\na = []", (2, "too-short")),
        ('[aliases.concepts]\na = ["x",\n"' + "y" * 101 + '"]', (3, "too-long")),
        ("[aliases.concepts]\na = [" + ", ".join(f'"{n}"' for n in range(65)) + "]", (2, "too-long")),
        ("[aliases.concepts]\n" + "\n".join(f'c{n} = ["x"]' for n in range(5_001)), (1, "too-long")),
        ('[aliases.concepts]\na = [" \\u3000"]', (2, "bad-text")),
        (WAIVER.replace("known", "a\\nb"), (3, "bad-text")),
        (WAIVER.replace("known", "a\\u202eb"), (3, "bad-text")),
        (WAIVER.replace("q-1", "q 1"), (2, "bad-id")),
        (WAIVER.replace("q-1", "q::1"), (2, "bad-id")),
        (ABLATION.replace('"a"', '"a\\n"'), (2, "bad-id")),
        ('[aliases.concepts]\n"a b" = ["x"]', (2, "bad-id")),
        ('metrics = ["mrr@0"]', (1, "bad-metric")),
        ('metrics = ["MRR@10"]', (1, "bad-metric")),
        (f'{GATE}min = 0.1\nslice = "en"', (5, "bad-slice")),
        ("[engine.thresholds]\nLatin = 0.1", (2, "bad-script")),
        ('fixture = "/a.json"', (1, "unsafe-path")),
        ('fixture = "C:/a.json"', (1, "unsafe-path")),
        ('fixture = "\\\\\\\\host\\\\a.json"', (1, "unsafe-path")),
        ('fixture = "~/a.json"', (1, "unsafe-path")),
        ('fixture = "a/../../b.json"', (1, "unsafe-path")),
        ('baseline = "a\\\\..\\\\b.json"', (1, "unsafe-path")),
        ('baseline = ""', (1, "unsafe-path")),
        ('baseline = "a\\u0000b"', (1, "unsafe-path")),
    ],
)
def test_one_mistake_is_one_problem_at_its_line(text: str, expected: tuple[int, str]) -> None:
    assert rules(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        f"{GATE}min = 0\n",
        f"{GATE}max = 1\n",
        "slack = 0.001",
        'fixture = "a..b/c.json"',
        'fixture = "资料/测试 集.json"',
        '[aliases.concepts]\na = ["किताब\\u200c", "全　角", "x"]\nb = ["x"]',
        "[aliases.concepts]\na = [" + ", ".join(f'"{n}"' for n in range(64)) + "]",
        '[aliases.concepts]\na = ["' + "y" * 100 + '"]',
        f'{GATE}min = 0.1\nslice = "principal-class=staff+nurse"',
        ABLATION.replace('"a"', '"_a.b:c#d@e+f/(g),-h"'),
    ],
)
def test_twins_that_are_accepted(text: str) -> None:
    assert read(text).slack <= 0.001


def test_all_problems_of_a_file_are_told_at_once_in_file_order() -> None:
    text = f'max_drop = 1\nslack = nan\n{GATE}{GATE}min = 2\n[[allowances]]\nablation = "x"\nmax-drop = 0\n'
    assert rules(text) == [
        (1, "unknown-key"),
        (2, "not-finite"),
        (3, "one-bound"),
        (9, "out-of-range"),
        (11, "unknown-ablation"),
    ]


def test_a_problem_names_the_key_the_place_and_the_fix() -> None:
    error = refusal("[engine]\nrrf_k = 1\n")
    assert error.exit_code is ExitCode.BAD_INPUT
    assert str(error) == (
        "retrieval-gate.toml: [invalid-config] the configuration has one problem. Fix: correct each place named."
    )
    assert str(error.problems[0]) == (
        "retrieval-gate.toml:2: error [unknown-key] /engine/rrf_k rrf_k is not a key here. Fix: write rrf-k."
    )


def test_a_key_that_is_like_no_other_has_no_suggestion() -> None:
    assert refusal("zzz = 1").problems[0].fix == "remove it"


def test_bounds_are_said_without_a_needless_fraction() -> None:
    problems = refusal(f"[engine]\ncandidates = 0\n{GATE}min = 1.5").problems
    assert [problem.message for problem in problems] == ["candidates is below 1", "min is above 1"]


def test_no_value_and_no_private_key_is_quoted() -> None:
    secret = "gh" + "p_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    text = f"""
fixture = "/canary"
metrics = ["canary canary"]
"canary canary" = 1
{secret} = 2
[aliases.concepts]
"canary\\u0007" = ["canary canary", " "]
[[waivers]]
query = "canary canary"
reason = "canary\\ncanary"
expires = "canary"
"""
    told = "\n".join(map(str, refusal(text).problems))
    assert told.count("\n") >= 7
    assert "canary" not in told
    assert secret not in told


def test_in_pyproject_the_lines_are_those_of_the_whole_file() -> None:
    text = '[project]\nname = "x"\n[tool.retrieval-gate]\nslack = 0\n[[tool.retrieval-gate.gates]]\nmin = 0.1\n'
    problems = refusal(text, file="sub/pyproject.toml").problems
    assert [(p.place.line, p.place.pointer) for p in problems] == [
        (5, "/tool/retrieval-gate/gates/0/ablation"),
        (5, "/tool/retrieval-gate/gates/0/metric"),
    ]


def test_in_pyproject_only_the_tools_own_table_is_read() -> None:
    config = load_config(
        b"[tool.other]\nslack = 9\n[tool.retrieval-gate]\nmax-drop = 0.5\n", file="pyproject.toml"
    )
    assert config.max_drop == 0.5


@pytest.mark.parametrize("text", ["", "tool = 1", "[tool]\nretrieval-gate = 1", "[tool.other]"])
def test_a_pyproject_without_the_table_is_an_error_when_it_is_asked_for(text: str) -> None:
    assert refusal(text, file="pyproject.toml").code == "no-table"


def test_a_file_over_the_limit_is_refused() -> None:
    assert refusal("#" * (CONFIG_BYTE_LIMIT + 1)).code == "too-large"
    assert read("#" * CONFIG_BYTE_LIMIT) == default_config()
