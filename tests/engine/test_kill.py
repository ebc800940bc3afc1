"""Killed at a random point the engine has made each change whole or not at all; 200 kills: soak/kill.py."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from retrieval_gate.engine.service import FILE_NAME, KnowledgeService
from tests.engine.killing import SETTINGS, in_reindex, moment, problems, round_of, seeded

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs kill -9")


SEEDS = (1000, 1001, *(pytest.param(seed, marks=pytest.mark.once) for seed in range(1002, 1010)))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_ghost_no_lost_row_and_no_leak_after_a_kill(seed: int) -> None:
    _, found = round_of(seed)
    assert found == []


def test_every_other_kill_waits_for_a_reindex_and_they_come_after_many_changes() -> None:
    moments = [moment(seed)[0] for seed in range(1000, 1010)]
    assert [in_reindex(seed, moments[seed - 1000]) for seed in range(1000, 1010, 2)] == [True] * 5
    assert len({*moments}) > 5


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        ("UPDATE streams SET terms = x'' WHERE chunk = 'd1#0'", "terms are not those"),
        ("UPDATE versions SET label = 'other' WHERE document = 'd1'", "neither those of before nor"),
        ("UPDATE documents SET access = NULL", "answer"),
        (
            "INSERT INTO builds VALUES (2, 0); INSERT INTO vectors VALUES ('ghost#0', 2, 'token-hash', x'', x'')",
            "holds a row of nothing",
        ),
    ],
)
def test_each_kind_of_damage_would_be_found(tmp_path: Path, harm: str, named: str) -> None:
    KnowledgeService(folder=tmp_path, documents=seeded(7), settings=SETTINGS, aliases=None).close()
    assert problems(tmp_path, 7, 0) == []
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.executescript(harm)
    assert any(named in problem for problem in problems(tmp_path, 7, 0))
