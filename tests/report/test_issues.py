"""What is wrong with a run, as one list for other tools: fingerprints, levels, and paths of the repository."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.base.places import Place
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.explain import explain
from retrieval_gate.report.issues import CAUSES, Level, fallback_path, issues
from retrieval_gate.report.places import baseline_places, repository_path, value_key
from retrieval_gate.report.report import FailOn, Invocation, Report
from tests.report.rich import FAILED, RICH
from tests.report.samples import DIFFERENCES, RETRIEVER_FAILURES, a_report
from tests.report.strategies import verdicts


def fingerprints(report: Report) -> list[str]:
    return [issue.fingerprint for issue in issues(report, prefix="")]


def test_every_failure_is_one_issue_strongest_cause_first() -> None:
    kinds = [issue.kind.id for issue in issues(RICH, prefix="")]
    assert kinds == ["retriever-failed", "not-deterministic", *(verdict.kind for verdict in FAILED)]


def test_what_an_issue_is_called_can_be_explained() -> None:
    for cause in CAUSES:
        assert explain(cause.id).startswith("exit-code-")


def test_a_green_run_has_no_issue() -> None:
    assert issues(a_report(), prefix="") == ()


def test_what_kept_the_run_from_being_judged_is_no_failed_gate() -> None:
    levels = [issue.level for issue in issues(RICH, prefix="")]
    assert levels == [Level.ERROR] * 2 + [Level.FAILURE] * len(FAILED)
    never = [issue.level for issue in issues(replace(RICH, fail_on=FailOn.NEVER), prefix="")]
    assert never == [Level.ERROR] * 2 + [Level.WARNING] * len(FAILED)


def test_no_line_number_or_value_moves_a_fingerprint() -> None:
    moved = tuple((query, replace(place, line=1, file="b.json")) for query, place in RICH.places)
    worse = tuple(
        replace(verdict, value=0.01) if verdict.value is not None else verdict for verdict in RICH.verdicts
    )
    assert fingerprints(replace(RICH, places=moved, verdicts=worse)) == fingerprints(RICH)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "stale-evidence"},
        {"ablation": AblationId("other")},
        {"slice": SliceId("all")},
        {"metric": MetricId("recall@5")},
        {"query": QueryId("other")},
        {"units": ()},
    ],
)
def test_whatever_says_which_failure_it_is_moves_its_fingerprint(change: dict[str, object]) -> None:
    other = replace(FAILED[0], **change)  # type: ignore[arg-type]  # one field of the dataclass each
    assert fingerprints(a_report(other)) != fingerprints(a_report(FAILED[0]))


def test_the_legs_of_a_matrix_have_fingerprints_of_their_own() -> None:
    """A merge request shows the first only of entries with one fingerprint (case 34)."""
    assert fingerprints(a_report(FAILED[0], label="a")) != fingerprints(a_report(FAILED[0], label="b"))


@given(st.lists(verdicts(), max_size=6))
def test_fingerprints_are_unique_in_a_report(many: list[Verdict]) -> None:
    failed = [replace(verdict, status=Status.FAILED) for verdict in [*many, *many]]
    found = fingerprints(a_report(*failed, differences=DIFFERENCES, failures=RETRIEVER_FAILURES * 2))
    assert len(set(found)) == len(found) == len(failed) + 3


@pytest.mark.parametrize(
    ("file", "prefix", "path"),
    [
        ("a.json", "", "a.json"),
        ("./sets//a.json", ".", "sets/a.json"),
        ("sets\\a.json", "", "sets/a.json"),
        ("a.json", "services/search/", "services/search/a.json"),
        ("a..b.json", "", "a..b.json"),
        ("知识.json", "", "知识.json"),
        ("/a.json", "", None),
        ("\\\\host\\a.json", "", None),
        ("C:/a.json", "", None),
        ("c:a.json", "", None),
        ("../a.json", "sub", None),
        ("a.json", "..", None),
        ("a.json", "/home/runner", None),
        ("a\x1b.json", "", None),
        ("", "sub", None),
        (".", "", None),
        ("./", "sub", None),
    ],
)
def test_a_path_is_of_the_repository_or_none(file: str, prefix: str, path: str | None) -> None:
    assert repository_path(file, prefix) == path


def test_a_format_that_wants_a_path_gets_the_fixture_s() -> None:
    assert fallback_path(RICH, "sub") == "sub/fixtures/synthetic-bilingual-v1.json"
    bare = replace(RICH, places=(), invocation=Invocation())
    assert fallback_path(bare, "") == "retrieval-gate.toml"
    absolute = replace(bare, invocation=Invocation(fixture="/a.json", config="gate.toml"))
    assert fallback_path(absolute, "") == "gate.toml"


DROP = FAILED[-1]
BASELINE = "\n".join(
    json.dumps(line)
    for line in (
        ["retrieval-gate/baseline/v1"],
        ["row", "hybrid", "all", "ndcg@10", 0.8, 60],
        ["row", "hybrid-rerank", "language=zh", "ndcg@10", 0.7214, 29],
        ["query", "q-zh-04", "hash", "seal", [], [], []],
        ["query", "q-zh-09", "hash", "seal", [], [], []],
    )
)


def _places(*verdicts: Verdict) -> tuple[object, object]:
    return baseline_places(BASELINE.encode().replace(b", ", b","), "a.jsonl", verdicts)


def test_a_value_that_fell_and_a_removed_query_are_found_in_the_baseline() -> None:
    removed = Verdict(kind="query-removed", status=Status.FAILED, query=QueryId("q-zh-09"))
    queries, values = _places(DROP, removed)
    assert queries == ((QueryId("q-zh-09"), Place(file="a.jsonl", line=5)),)
    assert values == ((value_key(DROP), Place(file="a.jsonl", line=3)),)


def test_a_green_run_finds_nothing_in_the_baseline() -> None:
    assert _places(replace(DROP, status=Status.PASSED)) == ((), ())
    assert _places(replace(DROP, slice=SliceId("split=heldout"))) == ((), ())
