from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_gate.base.fixture import Document
from tests.engine.answering import DOCUMENTS, answered


def test_two_processes_with_other_hash_seeds_and_kernels_answer_the_same(tmp_path: Path) -> None:
    expected = answered(tmp_path)
    for changed in (
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"},
        {"PYTHONHASHSEED": "2", "LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1"},
    ):
        run = subprocess.run(
            [sys.executable, "-m", "tests.engine.answering"],
            cwd=Path(__file__).parents[2],
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (run.stdout, run.stderr) == (expected, "")


@settings(max_examples=12, deadline=None)
@given(st.permutations(DOCUMENTS))
def test_the_order_of_seeding_leaves_no_trace(documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert answered(Path(folder), tuple(documents)) == _in_their_own_order()


@cache
def _in_their_own_order() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return answered(Path(folder))


def test_sockets_stay_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert answered(tmp_path)
    with pytest.raises(AssertionError):
        socket.socket()


def test_no_environment_setting_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answered(tmp_path)

    class Closed(dict[str, str]):
        def __getitem__(self, key: str) -> str:
            raise AssertionError(f"{key} was read")

        def get(self, key: str, default: object = None) -> str:
            raise AssertionError(f"{key} was read")

    monkeypatch.setattr(os, "environ", Closed())
    found = answered(tmp_path)
    monkeypatch.undo()
    assert found == expected
