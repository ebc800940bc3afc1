"""Rules across tables: each fires on its case and not on its twin."""

from __future__ import annotations

import pytest

from retrieval_gate.inputs.config.rules import CONFIG_RULES
from tests.config.reading import read, refusal, rules

ABLATION = '[[ablations]]\nid = "a"\nchannels = ["lexical"]\n'
OURS = '[[ablations]]\nid = "a"\nretriever = "exec:x"\n'
SERVER = OURS.replace("exec:x", "http://localhost/")
GATE = '[[gates]]\nablation = "lexical"\nmetric = "mrr@10"\nmin = 0.5\n'
ALLOWANCE = "[[allowances]]\nmax-drop = 0.1\n"
WAIVER = '[[waivers]]\nquery = "q-1"\nreason = "known"\nexpires = 2026-12-31\n'
BELOW = GATE.replace("min = 0.5", 'max-below = { ablation = "hybrid", by = 0.1 }')

# Rule, a text that breaks it on the given line only, and a twin that does not.
CASES = (
    ("duplicate-metric", 'metrics = [\n"mrr@10",\n"mrr@10"]', 3, 'metrics = ["mrr@10", "mrr@5"]'),
    ("duplicate-ablation", ABLATION * 2, 5, ABLATION + ABLATION.replace('"a"', '"b"')),
    (
        "duplicate-channel",
        ABLATION.replace('"lexical"', '"lexical", { name = "lexical", weight = 2 }'),
        3,
        ABLATION.replace('"lexical"', '"lexical", { name = "other", weight = 2 }')
        + ABLATION.replace('"a"', '"b"'),
    ),
    ("channels", '[[ablations]]\nid = "a"', 1, '[[ablations]]\nid = "a"\nretriever = "exec:x"'),
    ("channels", ABLATION.replace('"lexical"', ""), 3, ABLATION),
    ("channels", ABLATION + 'retriever = "exec:x"', 3, ABLATION + 'retriever = "builtin"'),
    ("channels", '[[ablations]]\nid = "a"\nretriever = "exec:x"\nrerank = false', 4, ABLATION + "rerank = false"),
    ("transport", ABLATION + "timeout = 3", 4, OURS + "timeout = 3"),
    ("transport", OURS + "[ablations.http]\nretries = 1", 4, OURS + "[ablations.exec]\nstart-timeout = 1"),
    ("without-effect", OURS + "fields.id = 'a'", 4, OURS + "fields.lower-is-better = true"),
    ("without-effect", OURS.replace("exec:x", "replay:x") + "timeout = 3", 4, OURS + "timeout = 3"),
    ("without-effect", OURS.replace("exec:x", "replay:x") + "concurrency = 3", 4, OURS + "concurrency = 3"),
    ("without-effect", OURS.replace("exec:x", "replay:x") + "fields.hits = 'a'", 4, OURS),
    (
        "without-effect",
        OURS.replace("exec:x", "python:x:y") + "answer-bytes = 2000",
        4,
        OURS + "answer-bytes = 2000",
    ),
    ("without-effect", SERVER + "fields.id = 'a'", 4, SERVER + "fields.id = 'a'\nhttp.preset = 'json'"),
    ("without-effect", SERVER + "fields.id = 'a'\nhttp.preset = 'contract'", 4, SERVER + "http.preset = 'json'"),
    ("duplicate-gate", GATE + GATE.replace("0.5", "0.6"), 5, GATE + GATE.replace("min", "max")),
    ("duplicate-gate", GATE + GATE + 'slice = "all"', 5, GATE + GATE + 'slice = "language=en"'),
    ("duplicate-gate", BELOW * 2, 5, BELOW + BELOW.replace("hybrid", "hybrid-rerank")),
    ("one-bound", GATE + "max = 0.9", 1, GATE),
    ("one-bound", GATE.replace("min = 0.5", ""), 1, BELOW),
    ("unknown-ablation", GATE.replace("lexical", "lexicl"), 2, GATE),
    ("unknown-ablation", ABLATION + GATE, 5, ABLATION + GATE.replace("lexical", "a")),
    ("unknown-ablation", BELOW.replace("hybrid", "hybird"), 4, BELOW),
    ("unknown-ablation", ALLOWANCE + 'ablation = "none"', 3, ALLOWANCE + 'ablation = "hybrid"'),
    ("same-ablation", BELOW.replace("hybrid", "lexical"), 4, BELOW),
    ("duplicate-allowance", ALLOWANCE * 2, 3, ALLOWANCE + ALLOWANCE + 'slice = "all"'),
    ("zero-tolerance", ALLOWANCE + 'metric = "permission-leaks"', 3, ALLOWANCE + 'metric = "no-answer-fpr"'),
    ("zero-tolerance", ALLOWANCE + 'metric = "wrong-state"', 3, GATE.replace("mrr@10", "wrong-state")),
    (
        "zero-tolerance",
        'metrics = ["mrr@10"]\n' + ALLOWANCE + 'metric = "permission-leaks"',
        4,
        'metrics = ["mrr@10"]\n' + ALLOWANCE + 'metric = "mrr@10"',
    ),
    ("unmeasured-metric", ALLOWANCE + 'metric = "mrr@7"', 3, ALLOWANCE + 'metric = "mrr@10"'),
    (
        "unmeasured-metric",
        'metrics = ["mrr@7"]\n' + ALLOWANCE + 'metric = "ndcg@7"',
        4,
        ALLOWANCE + 'metric = "ndcg@7"\n' + GATE.replace("mrr@10", "ndcg@7"),
    ),
    ("duplicate-waiver", WAIVER * 2, 5, WAIVER + WAIVER.replace("q-1", "q-2")),
    ("duplicate-alias", '[aliases.concepts]\na = ["x",\n"x"]', 3, '[aliases.concepts]\na = ["x"]\nb = ["x"]'),
)


@pytest.mark.parametrize(("rule", "broken", "line", "twin"), CASES)
def test_a_rule_fires_on_its_case_alone(rule: str, broken: str, line: int, twin: str) -> None:
    assert rules(broken) == [(line, rule)]
    assert read(twin).defaults in {True, False}


def test_every_rule_has_a_case() -> None:
    assert {rule for rule, *_ in CASES} == {rule.id for rule in CONFIG_RULES}


def test_a_misspelt_ablation_is_answered_with_the_nearest() -> None:
    problem = refusal(GATE.replace("lexical", "hybrid-rernk")).problems[0]
    assert (problem.message, problem.fix) == ("there is no ablation hybrid-rernk", "write hybrid-rerank")


@pytest.mark.parametrize(
    "text",
    [
        "ablations = 1\ngates = 2\nallowances = 3\nwaivers = 4\nmetrics = 5\naliases = 6",
        "ablations = [1]\ngates = [[2]]\nallowances = ['x']\nwaivers = [{}]\nmetrics = [[1], {}]",
        "aliases.concepts = { a = 1, b = [[1], [1]], c = [{}, {}] }",
        "[[gates]]\nablation = ['x']\nmetric = {}\nmax-below = 3\nslice = 1",
        "[[ablations]]\nid = {}\nchannels = 3\nretriever = []\n[[ablations]]\nchannels = [[], 1, {name = []}]",
    ],
)
def test_values_of_a_wrong_type_are_the_schemas_affair(text: str) -> None:
    found = {rule for _, rule in rules(text)}
    assert "wrong-type" in found
    assert not any(rule.startswith("duplicate") for rule in found)
