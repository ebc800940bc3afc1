"""The installed command with held-out queries in a file of their own, and with a sweep of the threshold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gate import BASELINE, FIXTURE, Gate
from tests.e2e.small import small

pytestmark = pytest.mark.once

HELD_OUT = "held-out.json"


@pytest.fixture
def split(tmp_path: Path) -> tuple[Gate, list[str]]:
    """A workspace whose last query of each language and kind stands in a file of its own; and their ids."""
    gate = small(tmp_path)
    path = gate.workspace / FIXTURE
    fixture: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    apart = {(query["language"], query["noAnswer"]): query for query in fixture["queries"]}
    fixture["queries"] = [query for query in fixture["queries"] if query not in apart.values()]
    path.write_text(json.dumps(fixture, ensure_ascii=False, indent=1), encoding="utf-8")
    # A name that is part of no other.
    hidden = [query | {"id": f"hidden-{place}"} for place, query in enumerate(apart.values())]
    _write(gate, hidden)
    (gate.workspace / BASELINE).unlink()
    return gate, [query["id"] for query in hidden]


def _write(gate: Gate, queries: list[dict[str, Any]]) -> None:
    text = json.dumps({"queries": queries}, ensure_ascii=False, indent=1)
    (gate.workspace / HELD_OUT).write_text(text, encoding="utf-8")


def test_held_out_queries_are_measured_apart_and_named_nowhere(split: tuple[Gate, list[str]]) -> None:
    gate, names = split
    accepted = gate.call("baseline", "accept", "--held-out", HELD_OUT, "--reason", "first")
    assert accepted.code == 0, accepted.err
    files = {form: gate.workspace / f"report.{form}" for form in ("github", "markdown", "junit")}
    ran, report = gate.report(
        "--held-out", HELD_OUT, *(part for form in files for part in ("--report", f"{form}:report.{form}"))
    )
    assert (ran.code, report["fixture"]["heldOut"]) == (0, len(names))
    rows = {(row["slice"], row["metric"]): row["n"] for row in report["rows"] if row["ablation"] == "hybrid"}
    assert rows["split=heldout", "mrr@10"] == 2
    assert rows["all", "mrr@10"] == rows["split=dev", "mrr@10"] == 26 - 2
    baseline = (gate.workspace / BASELINE).read_text(encoding="utf-8")
    shown = [path.read_text(encoding="utf-8") for path in files.values()]
    for text in (ran.out, ran.err, json.dumps(report), baseline, accepted.out, *shown):
        assert not any(name in text for name in names)


def test_held_out_queries_are_named_on_request(split: tuple[Gate, list[str]]) -> None:
    gate, names = split
    _, report = gate.report("--held-out", HELD_OUT, "--allow-missing-baseline", "--reveal-held-out")
    assert {entry["query"] for entry in report["queries"]} >= set(names)


def test_a_held_out_answer_in_the_wrong_state_fails_without_a_name_and_with_a_place_on_request(
    split: tuple[Gate, list[str]],
) -> None:
    gate, names = split
    queries = json.loads((gate.workspace / HELD_OUT).read_text(encoding="utf-8"))["queries"]
    for query in queries:
        query["expectedState"] = "ANSWERED" if query["noAnswer"] else "ABSTAINED"
    _write(gate, queries)
    ran = gate.call("run", "--held-out", HELD_OUT, "--allow-missing-baseline", "--ablations", "hybrid")
    assert ran.code == 1
    assert "split=heldout" in ran.out
    assert not any(name in ran.out + ran.err for name in names)
    named = gate.call(
        "run", "--held-out", HELD_OUT, "--allow-missing-baseline", "--ablations", "hybrid", "--reveal-held-out"
    )
    assert any(f"at {HELD_OUT}:" in line for line in named.out.splitlines())


def test_the_configuration_can_name_the_file(split: tuple[Gate, list[str]]) -> None:
    gate, names = split
    config = gate.workspace / "retrieval-gate.toml"
    config.write_text(f'heldout = "{HELD_OUT}"\n' + config.read_text(encoding="utf-8"), encoding="utf-8")
    _, report = gate.report("--allow-missing-baseline")
    assert report["fixture"]["heldOut"] == len(names)


def test_an_output_never_replaces_the_file(split: tuple[Gate, list[str]]) -> None:
    gate, _ = split
    before = (gate.workspace / HELD_OUT).read_bytes()
    ran = gate.call("run", "--held-out", HELD_OUT, "--report", HELD_OUT)
    assert (ran.code, "output-over-input" in ran.err) == (2, True)
    assert (gate.workspace / HELD_OUT).read_bytes() == before


def test_check_tells_the_place_in_the_right_file(split: tuple[Gate, list[str]]) -> None:
    gate, _ = split
    good = gate.call("check", FIXTURE, "--held-out", HELD_OUT)
    assert good.code == 0, good.out
    line = gate.edit(HELD_OUT, '"id": "hidden-1"', '"id": "hidden-0"')
    ran = gate.call("check", FIXTURE, "--held-out", HELD_OUT)
    assert ran.code == 2
    assert f"{HELD_OUT}:{line}: error [duplicate-id]" in ran.out


def test_a_sweep_stands_behind_the_report(tmp_path: Path) -> None:
    gate = small(tmp_path)
    plain = gate.call("run", "--ablations", "hybrid", "--quiet")
    swept = gate.call("run", "--ablations", "hybrid", "--quiet", "--sweep")
    assert (plain.code, swept.code) == (0, 0)
    assert swept.out.startswith(plain.out)
    assert "hybrid, threshold 0.36: 17 to answer, 2 to abstain from" in swept.out
    refused = gate.call("run", "--sweep", "--format", "json")
    assert (refused.code, "sweep-is-text" in refused.err) == (2, True)
