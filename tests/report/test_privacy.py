"""Nothing private reaches a report: the structural check, and canaries that are first proved to be found."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import retrieval_gate
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.environment import public, read_environment
from retrieval_gate.report.names import FAILURE_CODES
from retrieval_gate.report.outputs.table import OUTPUTS, Style
from retrieval_gate.report.privacy import VERSION, check_private, check_report
from retrieval_gate.report.report import Report
from retrieval_gate.report.view import to_json
from retrieval_gate.scoring.trail import OTHER
from tests.report.canaries import CANARIES, canary_report
from tests.report.rich import NAMES, RICH

SOURCE = Path(retrieval_gate.__file__).parent
TEXT = "what is the severance for a manager"


def test_the_rich_report_passes_the_check() -> None:
    check_report(RICH, NAMES)


def test_the_check_is_not_vacuous_without_the_names_of_the_evaluation_nothing_passes() -> None:
    with pytest.raises(InternalError, match="allow-list"):
        check_report(RICH, frozenset())


FAILED = Verdict(kind="floor", status=Status.FAILED)
PLANTED: dict[str, Report] = {
    "kind": replace(RICH, verdicts=(replace(FAILED, kind=TEXT),)),
    "ablation": replace(RICH, verdicts=(replace(FAILED, ablation=AblationId(TEXT)),)),
    "slice": replace(RICH, verdicts=(replace(FAILED, slice=SliceId(TEXT)),)),
    "metric": replace(RICH, verdicts=(replace(FAILED, metric=MetricId(TEXT)),)),
    "metrics": replace(RICH, verdicts=(replace(FAILED, metrics=(MetricId(TEXT),)),)),
    "query": replace(RICH, verdicts=(replace(FAILED, query=QueryId(TEXT)),)),
    "units": replace(RICH, verdicts=(replace(FAILED, units=(UnitId(TEXT),)),)),
    "stage": replace(RICH, verdicts=(replace(FAILED, stage=TEXT),)),
    "detail": replace(RICH, verdicts=(replace(FAILED, detail=TEXT),)),
    "id": replace(RICH, fixture=replace(RICH.fixture, id=TEXT)),
    "label": replace(RICH, label=TEXT),
    "lostAt": replace(
        RICH,
        records=(replace(RICH.records[0], judged=(replace(RICH.records[0].judged[0], lost_at=TEXT),)),),
    ),
    "rankingDigest": replace(RICH, records=(replace(RICH.records[0], ranking_digest=TEXT),)),
    "corpusHash": replace(
        RICH, definition=replace(RICH.definition, components=replace(RICH.definition.components, corpus=TEXT))
    ),
    "numpy": replace(RICH, environment=replace(RICH.environment, numpy=TEXT)),
    "added": replace(RICH, baseline=replace(RICH.baseline, added=(QueryId(TEXT),))),
}


@pytest.mark.parametrize("field", PLANTED)
def test_a_text_in_any_field_stops_the_report_without_being_quoted(field: str) -> None:
    with pytest.raises(InternalError) as caught:
        check_report(PLANTED[field], NAMES)
    assert f"'{field}'" in str(caught.value)
    assert "severance" not in str(caught.value)


def test_every_string_field_of_the_view_is_guarded() -> None:
    """Whatever is added to the view is guarded too: each string is replaced in turn and must be refused."""
    view = to_json(RICH)
    places = list(_string_places(view))
    assert len(places) > 200
    for holder, key in places:
        kept = holder[key]
        holder[key] = TEXT
        with pytest.raises(InternalError):
            check_private(view, NAMES)
        holder[key] = kept
    check_private(view, NAMES)


def _string_places(value: Any) -> list[tuple[Any, Any]]:
    """Every dict or list entry that holds a string; of long lists the first and last two."""
    entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    if isinstance(value, list) and len(entries) > 100:
        entries = entries[:2] + entries[-2:]
    found: list[tuple[Any, Any]] = []
    for key, part in entries:
        if isinstance(part, str):
            found.append((value, key))
        elif isinstance(part, dict | list):
            found += _string_places(part)
    return found


@pytest.mark.parametrize("text", ["deadbeef", "0123456789abcdeg", "A" * 64, "a" * 65])
def test_a_hash_field_takes_hex_of_16_or_64_digits_only(text: str) -> None:
    check_private({"corpusHash": "0" * 64, "rankingDigest": "0" * 16}, ())
    with pytest.raises(InternalError):
        check_private({"corpusHash": text}, ())


def test_a_hash_elsewhere_is_a_text() -> None:
    with pytest.raises(InternalError):
        check_private({"query": "0" * 64}, ())


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ("3.12.4", "3.12.4"),
        ("3.13.0rc1", "3.13.0rc1"),
        ("2.1.0.dev0+acme.internal", "2.1.0.dev0"),
        ("3.12.4+", "3.12.4"),
        ("acme-build", OTHER),
        ("", OTHER),
    ],
)
def test_the_name_of_a_local_build_is_cut_off_a_version(version: str, shown: str) -> None:
    assert public(version) == shown


def test_this_machines_versions_can_be_reported() -> None:
    assert [name for name, version in read_environment().versions if not VERSION.fullmatch(version)] == []


def test_a_code_that_a_retriever_made_up_is_repeated_nowhere_and_neither_is_its_detail() -> None:
    failure = RetrieverFailure(run=1, ablation=None, code="severance-for-manager", detail=TEXT)
    report = canary_report(failure)
    assert [(kept.run, kept.code) for kept in report.failures] == [(1, OTHER)]
    for row in OUTPUTS:
        assert "severance" not in row.render(report, Style())


def test_every_code_that_a_retriever_can_fail_with_is_in_the_table() -> None:
    raised = {
        node.args[0].value
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _name(node.func) == "RetrieverError" and node.args
        if isinstance(node.args[0], ast.Constant)
    }
    assert raised, "no RetrieverError was found: this test looks in the wrong place"
    assert raised <= set(FAILURE_CODES), "add the new code to report.names.FAILURE_CODES: others are not shown"


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


@pytest.mark.parametrize("field", CANARIES)
def test_a_canary_would_be_found_in_every_output(field: str) -> None:
    """The proof that the next test can fail: put in an id's place, the canary is seen."""
    canary = CANARIES[field]
    planted = replace(RICH, verdicts=(replace(FAILED, ablation=AblationId(canary)),))
    for row in OUTPUTS:
        assert _holds(row.render(planted, Style(width=400)), canary), row.id


def test_no_output_holds_a_text_of_fixture_alias_table_or_provider() -> None:
    report = canary_report()
    for row in OUTPUTS:
        for style in (Style(), Style(quiet=True), Style(colour=True, width=200)):
            text = row.render(report, style)
            assert [field for field, canary in CANARIES.items() if _holds(text, canary)] == []
            assert "q-canary" in text


def _holds(text: str, canary: str) -> bool:
    """Whether the canary or its longest word is in the text, also where a line was broken."""
    joined = "".join(text.split())
    return any("".join(word.split()) in joined for word in (canary, max(canary.split(), key=len)))
