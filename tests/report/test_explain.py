"""`retrieval-gate explain NAME` and the reference page, from the tables."""

from __future__ import annotations

import pytest

from retrieval_gate.base.errors import UsageError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.inputs.config.defaults import DEFAULT_METRICS
from retrieval_gate.report import reference
from retrieval_gate.report.explain import explain
from retrieval_gate.report.outputs.table import OUTPUTS
from retrieval_gate.scoring.metrics.table import FAMILIES
from retrieval_gate.verdict.gates.table import GATES
from retrieval_gate.verdict.kinds import KINDS

EXIT_NAMES = [name for code in ExitCode for name in (str(int(code)), code.name.lower().replace("_", "-"))]
NAMES = [
    *(family.id for family in FAMILIES),
    *DEFAULT_METRICS,
    *(gate.id for gate in GATES),
    *(kind.id for kind in KINDS),
    *EXIT_NAMES,
]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_a_report_can_name_is_explained(name: str) -> None:
    text = explain(name)
    assert len(text.splitlines()) > 1
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_metric_is_explained_with_the_cut_off_that_was_asked_for() -> None:
    text = explain("ndcg@7")
    assert text.startswith("ndcg@7\n")
    assert "(2^grade - 1) / log2(rank + 1)" in text


def test_a_finding_comes_with_its_first_corrective_action() -> None:
    assert "first action: enforce permissions before retrieval, context and logging" in explain("permission-leak")


def test_a_name_that_is_a_metric_and_a_finding_is_explained_as_both() -> None:
    text = explain("stale-evidence")
    assert "direction: lower is better" in text
    assert "first action:" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("freshness", "stale-evidence"),
        ("permission", "permission-leak"),
        ("heldout", "--reveal-held-out"),
        ("sweep", "[engine.thresholds]"),
        ("waivers", "waiver-expired"),
        ("label-against-policy", "a label that the policy contradicts"),
        ("no-held-out", "Warning of a fixture"),
    ],
)
def test_what_one_would_look_for_is_explained(name: str, said: str) -> None:
    assert said in " ".join(explain(name).split())


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("lifecycle", "these block the merge: early-version, late-version"),
        ("wrong-state", "these block the merge: unsupported-answer, over-abstention"),
        ("over-abstention", "no baseline mends it; [[waivers]] in the configuration accepts it"),
        ("floor", "no baseline mends it"),
        ("no-drop", "may be accepted with a reason"),
        ("permission-leak", "can never be accepted"),
        ("declared-conflict", "a note, which blocks nothing"),
    ],
)
def test_a_kind_says_what_blocks_and_what_ends_it(name: str, effect: str) -> None:
    assert effect in " ".join(explain(name).split())


def test_a_slice_is_explained_with_or_without_its_value() -> None:
    assert explain("language=zh") == explain("language")


def test_exit_codes_are_explained_by_number_and_by_name() -> None:
    assert "Nothing comparable" in explain("4")
    assert "Nothing comparable" in explain("nothing-comparable")
    assert "exit-code-130" in explain("exit-codes")
    assert "recall@k" not in explain("exit-codes")


def test_without_a_name_everything_is_listed() -> None:
    text = explain()
    for name in [*(kind.id for kind in KINDS), *(gate.id for gate in GATES), *(family.id for family in FAMILIES)]:
        assert f"  {name}" in text


@pytest.mark.parametrize(("name", "nearest"), [("recal", "recall"), ("permision-leak", "permission-leak")])
def test_a_misspelt_name_is_answered_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UsageError, match=nearest) as caught:
        explain(name)
    assert caught.value.code == "unknown-name"


@pytest.mark.parametrize("name", ["ndcg@0", "context-recall@5", "\x1b[31m", "", "x" * 500])
def test_what_is_no_name_is_an_error_that_does_not_quote_it(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert not name or name not in str(caught.value)


def test_the_reference_has_a_heading_for_every_metric_gate_finding_and_output() -> None:
    text = reference.reference()
    for name in [*(gate.id for gate in GATES), *(kind.id for kind in KINDS)]:
        assert f"### `{name}`\n" in text
    for family in FAMILIES:
        assert f"### `{family.id}" in text
    words = ["text", "json", "markdown", "github", "junit", "sarif", "gitlab"]
    assert [row.id for row in OUTPUTS] == words
    assert "- `--format markdown`:" in text


def test_the_order_of_exit_codes_is_the_one_that_decides() -> None:
    from retrieval_gate.base.exits import PRECEDENCE

    assert f"the first of {', '.join(str(int(code)) for code in PRECEDENCE)}" in reference.reference()
