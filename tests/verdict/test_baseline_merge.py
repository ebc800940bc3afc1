"""Two branches move the baseline; git itself merges their files."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.base.config import Config, GateKind
from retrieval_gate.base.errors import BaselineError
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.verdict.baseline import candidate, read_baseline, render_baseline
from tests.verdict.factories import config, evaluation, gate, plan, query, record

QUERIES = [query(f"q{number}", {f"c{number}": 3}) for number in range(8)]
PLAN = plan(*QUERIES, ablations=("hybrid", "lexical"))
FLOORS = (gate(GateKind.FLOOR, "mrr@10", 0.5), gate(GateKind.FLOOR, "recall@10", 0.5))


def _records(ranks: Sequence[int], order: str = "0") -> list[QueryRecord]:
    return [
        record(asked, {f"c{number}": ranks[number]}, ablation=ablation, order=order if number == 6 else "0")
        for ablation in ("hybrid", "lexical")
        for number, asked in enumerate(QUERIES)
    ]


def _text(records: list[QueryRecord], settings: Config | None = None) -> str:
    return render_baseline(
        candidate(
            PLAN, evaluation(PLAN, records), settings or config(PLAN, gates=FLOORS), reason=None, environment=()
        )
    )


BASE = _text(_records([1] * 8))


@pytest.fixture
def merge(tmp_path: Path) -> Callable[[str, str], tuple[int, str]]:
    """`git merge-file` of ours and theirs over BASE: number of conflicts, and the merged text."""

    def run(ours: str, theirs: str) -> tuple[int, str]:
        for name, text in (("ours", ours), ("base", BASE), ("theirs", theirs)):
            (tmp_path / name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            ["git", "merge-file", "-p", "ours", "base", "theirs"],  # noqa: S607 - the git that users merge with
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8")

    return run


Merge = Callable[[str, str], tuple[int, str]]


def test_disjoint_changes_merge_and_the_result_is_read(merge: Merge) -> None:
    tightened = replace(FLOORS[0], bound=0.9)
    ours = _text(_records([1] * 8), config(PLAN, gates=(tightened, FLOORS[1])))
    theirs = _text(_records([1, 1, 1, 2, 1, 1, 1, 1]))

    conflicts, merged = merge(ours, theirs)

    assert conflicts == 0
    read = read_baseline(merged.encode(), file="b")
    assert read == read_baseline(
        _text(_records([1, 1, 1, 2, 1, 1, 1, 1]), config(PLAN, gates=(tightened, FLOORS[1]))).encode(), file="b"
    )


def test_moves_among_unjudged_hits_of_two_queries_merge(merge: Merge) -> None:
    ours = _text(
        [replace(item, ranking_digest="a" * 16) if item.query == "q1" else item for item in _records([1] * 8)]
    )
    theirs = _text(_records([1] * 8, order="b"))

    conflicts, merged = merge(ours, theirs)

    assert conflicts == 0
    digests = {str(item.query): item.ranking_digest for item in read_baseline(merged.encode(), file="b").records}
    assert (digests["q1"], digests["q6"], digests["q3"]) == ("a" * 16, "b" * 16, "0" * 16)


def test_two_changes_of_one_average_conflict_and_the_marker_is_an_error(merge: Merge) -> None:
    conflicts, merged = merge(_text(_records([2, *[1] * 7])), _text(_records([*[1] * 7, 3])))

    assert conflicts > 0
    with pytest.raises(BaselineError) as caught:
        read_baseline(merged.encode(), file="b")
    assert caught.value.code == "merge-conflict"


def test_a_merge_without_conflict_that_no_run_has_given_is_found(merge: Merge) -> None:
    """Both sides lose the same amount on different queries: git sees one and the same new average."""
    conflicts, merged = merge(_text(_records([2, *[1] * 7])), _text(_records([*[1] * 7, 2])))

    assert conflicts == 0
    with pytest.raises(BaselineError) as caught:
        read_baseline(merged.encode(), file="b")
    assert caught.value.code == "baseline-torn"


def _resolve(merged: str, *, keep: str) -> str:
    """The merged text with one side of every conflict kept."""
    lines, side = [], None
    for line in merged.splitlines():
        if line.startswith("<<<<<<<"):
            side = "ours"
        elif line.startswith("=======") and side:
            side = "theirs"
        elif line.startswith(">>>>>>>"):
            side = None
        elif side in (None, keep):
            lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("keep", ["ours", "theirs"])
def test_keeping_one_side_of_a_conflict_is_found_by_the_recomputation(merge: Merge, keep: str) -> None:
    _, merged = merge(_text(_records([2, *[1] * 7])), _text(_records([*[1] * 7, 3])))
    resolved = _resolve(merged, keep=keep)

    with pytest.raises(BaselineError) as caught:
        read_baseline(resolved.encode(), file="b")

    assert caught.value.code == "baseline-torn"
    assert caught.value.where is not None
    assert caught.value.where.line is not None
    assert resolved.splitlines()[caught.value.where.line - 1].startswith('["row",')


def test_a_record_line_from_the_wrong_side_is_found_at_its_query() -> None:
    theirs = _text(_records([1, 1, 1, 2, 1, 1, 1, 1])).splitlines()
    place = next(at for at, line in enumerate(theirs) if line.startswith('["record",["hybrid","q3"'))
    lines = BASE.splitlines()
    lines[place] = theirs[place]

    with pytest.raises(BaselineError) as caught:
        read_baseline("\n".join(lines).encode(), file="b")

    assert caught.value.code == "baseline-torn"
    assert "q3" in caught.value.what
    assert caught.value.where is not None
    assert lines[(caught.value.where.line or 0) - 1].startswith('["query","q3"')
