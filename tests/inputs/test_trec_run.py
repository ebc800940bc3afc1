"""TREC runs: what is a hit, which line is refused, and trec_eval's order."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.inputs.formats.trec_run import RunHit, by_score, read_run
from tests.scoring.build import judgment, query, ranked, value
from tests.scoring.test_trec_oracle import GROUPS, NAMES, qrels
from tests.shared import shared

BOM = b"\xef\xbb\xbf"
CANARY = "severance-for-manager"


def _read(data: bytes | str) -> dict[str, tuple[RunHit, ...]]:
    return read_run(data.encode() if isinstance(data, str) else data, file="a.run", error=ConfigError)


def _refused(data: bytes | str) -> tuple[str, int | None]:
    with pytest.raises(ConfigError) as caught:
        _read(data)
    assert caught.value.where is not None
    assert caught.value.where.file == "a.run"
    assert CANARY not in str(caught.value)
    return caught.value.code, caught.value.where.line


def _ranked(run: str) -> list[str]:
    return [hit.id for hit in by_score(_read(run)["q"])]


def test_each_line_is_a_hit_with_its_place_queries_and_hits_in_the_order_of_the_file() -> None:
    assert _read("q2 Q0 d1 1 0.5 t\nq1 Q0 d9 7 2 t\nq2 Q0 d0 2 -1.5e-1 t\n") == {
        "q2": (RunHit("d1", 0.5, 1), RunHit("d0", -0.15, 3)),
        "q1": (RunHit("d9", 2.0, 2),),
    }


@pytest.mark.parametrize(
    "data",
    [
        BOM + b"q Q0 d 1 2 t",
        b"q\tQ0\td\t1\t  2\tt\n",
        b"q Q0 d 1 2 t\r\n",
        b"\n  \n# a comment\n q 0 d 99 2.0 another-tag\n\n",
        b"q Q0 d 1 +2.e0 t what follows is ignored, as trec_eval does\n",
    ],
    ids=["byte order mark", "tabs", "CRLF", "blank and comment lines", "more columns"],
)
def test_what_trec_eval_takes_is_taken(data: bytes) -> None:
    ((_, (hit,)),) = _read(data).items()
    assert (hit.id, hit.score) == ("d", 2.0)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("q Q0 d 1 0.5", "run-columns"),
        ("q", "run-columns"),
        ("q Q0 d\u00a01 1 0.5", "run-columns"),
        (f"q Q0 {CANARY} x 0.5 t", "run-rank"),
        ("q Q0 my document 1 0.5 t", "run-rank"),
        ("q Q0 d 1.0 0.5 t", "run-rank"),
        (f"q Q0 d 1 {CANARY} t", "run-score"),
        ("q Q0 d 1 nan t", "run-score"),
        ("q Q0 d 1 inf t", "run-score"),
        ("q Q0 d 1 1e999 t", "run-score"),
        ("q Q0 d 1 1_0 t", "run-score"),
        ("q Q0 d 1 0x1p3 t", "run-score"),
        ("q Q0 d 1 \u0661 t", "run-score"),
        ("q Q0 one 4 0.1 t", "duplicate-document"),
        ("q Q0 d 1 2 t\rq Q0 e 2 1 t", "carriage-return"),
        ("<<<<<<< HEAD", "run-columns"),
    ],
)
def test_a_line_that_is_none_of_a_run_is_refused_with_its_number(line: str, code: str) -> None:
    assert _refused(f"q Q0 one 1 3 t\n\n{line}\nq Q0 two 2 1 t\n") == (code, 3)


def test_a_document_may_be_listed_for_each_query() -> None:
    assert len(_read("q Q0 d 1 3 t\nr Q0 d 1 3 t\n")) == 2


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    assert _refused(b"q Q0 d 1 3 t\nq Q0 \xff 1 3 t\n") == ("not-utf-8", 2)
    assert _refused(b"q Q0 d 1 3 t\nq Q0 d\0 1 3 t\n") == ("nul", 2)


@pytest.mark.parametrize("data", ["", "\n\n", "# only a comment\n"])
def test_a_run_without_a_hit_is_refused(data: str) -> None:
    assert _refused(data) == ("empty-run", None)


def test_the_order_is_by_score_then_id_both_falling_whatever_rank_and_file_say() -> None:
    assert _ranked("q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 9 t\nq Q0 B 4 1 t\n") == ["c", "b", "a", "B"]


def test_ids_compare_by_their_bytes_and_not_by_a_language() -> None:
    # U+FF21 sorts after U+4E00 as it does in UTF-8; 'é' after every ASCII letter; '10' before '9'.
    assert _ranked("".join(f"q Q0 {name} 1 1 t\n" for name in ("10", "é", "一", "z", "Ａ", "9"))) == [
        "Ａ",
        "一",
        "é",
        "z",
        "9",
        "10",
    ]


def test_scores_that_single_precision_can_not_tell_apart_are_apart() -> None:
    """As in trec_eval since its issue 34; in single precision both are one score, and b would be first."""
    assert _ranked("q Q0 b 1 0.123456788 t\nq Q0 a 2 0.123456789 t\n") == ["a", "b"]
    assert _ranked("q Q0 b 1 0.123456789 t\nq Q0 a 2 0.123456789 t\n") == ["b", "a"]


def test_zero_has_no_sign() -> None:
    assert _ranked("q Q0 b 1 -0 t\nq Q0 a 2 0 t\n") == ["b", "a"]
    assert str(_read("q Q0 b 1 -0 t")["q"][0].score) == "0.0"


_COLUMN = st.one_of(st.sampled_from([b"q", b"1", b"0.5", b" ", b"\t", b"\r", b"\n", b"#"]), st.binary(max_size=3))


@given(st.lists(_COLUMN, max_size=30).map(b" ".join))
def test_any_bytes_are_a_run_or_a_problem_of_the_file(data: bytes) -> None:
    with suppress(ConfigError):
        assert all(_read(data).values())


@pytest.mark.shared
@pytest.mark.parametrize("group", GROUPS)
def test_every_query_of_a_run_is_what_trec_eval_says(group: str) -> None:
    labels_name, run_name = group.split("+")
    labels = qrels(shared(f"oracle/trec_eval/{labels_name}"))
    run = _read(shared(f"oracle/trec_eval/{run_name}").read_bytes())
    oracle = json.loads(shared("oracle/trec_eval/oracle_full_precision.json").read_text(encoding="utf-8"))[group]
    for name, expected in oracle.items():
        asked = query(name, *(judgment(item, grade) for item, grade in labels[name].items()))
        record = ranked(asked, *(hit.id for hit in by_score(run.get(name, ()))))
        for theirs, ours in NAMES.items():
            assert value(ours, record) == pytest.approx(expected[theirs], abs=1e-12), (name, ours)
