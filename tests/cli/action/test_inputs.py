"""The action's inputs, read from an environment as the runner sets it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.errors import UsageError
from retrieval_gate.cli.action.inputs import INPUTS, read_inputs
from retrieval_gate.report.report import FailOn

# A value of each input that is not its default, and what it is read as.
GIVEN = {
    "config": ("a.toml", "a.toml"),
    "fixture": ("f.json", "f.json"),
    "held-out": ("h.json", "h.json"),
    "baseline": ("b.jsonl", "b.jsonl"),
    "base-baseline": ("c.jsonl", "c.jsonl"),
    "approve-loosening": ("0123456789abcdef", "0123456789abcdef"),
    "working-directory": ("services/a", "services/a"),
    "ablations": ("lexical, hybrid\nhybrid-rerank", ("lexical", "hybrid", "hybrid-rerank")),
    "fail-on": ("violation", FailOn.VIOLATION),
    "allow-missing-baseline": ("true", True),
    "report-dir": ("out", "out"),
    "report-formats": ("junit,sarif", ("junit", "sarif")),
    "summary": ("false", False),
    "annotations": ("3", 3),
    "label": ("leg-1", "leg-1"),
    "today": ("2026-03-01", date(2026, 3, 1)),
}


def _read(name: str, environment: dict[str, str]) -> object:
    return getattr(read_inputs(environment), name.replace("-", "_"))


def test_every_input_has_a_case_here() -> None:
    assert list(GIVEN) == [row.name for row in INPUTS]


@pytest.mark.parametrize("name", GIVEN)
def test_it_is_read_by_its_exact_name_and_with_underscores(name: str) -> None:
    value, meaning = GIVEN[name]
    assert _read(name, {f"INPUT_{name.upper()}": value}) == meaning
    assert _read(name, {f"INPUT_{name.upper().replace('-', '_')}": value}) == meaning


@pytest.mark.parametrize("name", GIVEN)
def test_empty_means_the_default(name: str) -> None:
    row = next(row for row in INPUTS if row.name == name)
    nothing = _read(name, {})
    assert _read(name, {f"INPUT_{name.upper()}": ""}) == nothing
    assert _read(name, {f"INPUT_{name.upper()}": "  "}) == nothing
    assert _read(name, {f"INPUT_{name.upper()}": row.default}) == nothing
    assert GIVEN[name][1] != nothing


@pytest.mark.parametrize("name", [name for name in GIVEN if "-" in name])
def test_both_spellings_may_agree_and_may_not_differ(name: str) -> None:
    value, meaning = GIVEN[name]
    hyphens, underscores = f"INPUT_{name.upper()}", f"INPUT_{name.upper().replace('-', '_')}"
    assert _read(name, {hyphens: value, underscores: value}) == meaning
    with pytest.raises(UsageError) as refusal:
        read_inputs({hyphens: value, underscores: "another"})
    assert refusal.value.code == "input-twice"


@pytest.mark.parametrize("text", ["true", "True", "TRUE"])
def test_yaml_s_ways_to_say_true(text: str) -> None:
    assert read_inputs({"INPUT_ALLOW-MISSING-BASELINE": text}).allow_missing_baseline


@pytest.mark.parametrize("text", ["yes", "1", "on", "tRue", "false;", "$(true)", "null"])
def test_anything_else_is_no_boolean(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read_inputs({"INPUT_SUMMARY": text})
    assert refusal.value.code == "bad-boolean"


@pytest.mark.parametrize("text", ["-1", "11", "1000", "ten", "1.0", "٣", "0x1"])
def test_more_annotations_than_the_runner_shows_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read_inputs({"INPUT_ANNOTATIONS": text})
    assert refusal.value.code == "bad-count"


@pytest.mark.parametrize("path", ["/home/runner/work/a/a/f.json", "C:\\a\\f.json", "D:/a/f.json"])
@pytest.mark.parametrize(
    "name", ["fixture", "config", "baseline", "base-baseline", "working-directory", "report-dir"]
)
def test_a_path_of_the_host_is_explained(name: str, path: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read_inputs({f"INPUT_{name.upper()}": path})
    assert refusal.value.code == "host-path"


@pytest.mark.parametrize(
    ("variable", "hint"),
    [("INPUT_FIXTRUE", "fixture"), ("INPUT_FAILON", "fail-on"), ("INPUT_BASE BASELINE", "baseline")],
)
def test_an_unknown_input_is_refused_with_the_nearest_name(variable: str, hint: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read_inputs({variable: "x"})
    assert refusal.value.code == "unknown-input"
    assert hint in refusal.value.what


def test_none_writes_no_report() -> None:
    assert read_inputs({"INPUT_REPORT-FORMATS": "none"}).report_formats == ()


@given(st.dictionaries(st.sampled_from([f"INPUT_{row.name.upper()}" for row in INPUTS]), st.text(max_size=40)))
def test_any_value_is_read_or_refused_and_never_quoted(environment: dict[str, str]) -> None:
    try:
        read_inputs(environment)
        said = ""
    except UsageError as refusal:
        said = str(refusal)
    values = [value.strip() for value in environment.values() if len(value.strip()) > 5]
    assert [value for value in values if value in said] == []
