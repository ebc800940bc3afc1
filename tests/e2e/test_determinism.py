"""The same bytes, whatever the machine's mood: hash seed, zone, locale, folder, processor features."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.e2e.gate import workspace

ELSEWHERE = [
    {"PYTHONHASHSEED": "77"},
    {"TZ": "Pacific/Kiritimati"},
    {"LC_ALL": "C", "LANG": "C"},
    {"LC_ALL": "tr_TR.UTF-8"},
    {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX"},
    {"OPENBLAS_CORETYPE": "Prescott"},
    {"OPENBLAS_CORETYPE": "Haswell"},
    {"PYTHONIOENCODING": "latin-1"},
]


def _without_diagnostics(path: Path) -> str:
    report = json.loads(path.read_text(encoding="utf-8"))
    del report["diagnostics"]
    return json.dumps(report, ensure_ascii=False)


def test_two_calls_give_the_same_report_apart_from_diagnostics(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    for name in ("one", "two"):
        assert gate.run("run", "--report", f"{name}.json").code == 0
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert _without_diagnostics(one) == _without_diagnostics(two)
    assert (tmp_path / "one.baseline.jsonl").read_bytes() == (tmp_path / "two.baseline.jsonl").read_bytes()


# Seen once: numpy 1.26's OpenBLAS ends the process on a kernel that is forced on it. Later ones do not.
OLD_BLAS = version("numpy").startswith("1.")


@pytest.mark.parametrize("env", ELSEWHERE, ids=lambda env: "-".join(env))
def test_the_same_report_elsewhere(tmp_path: Path, env: dict[str, str]) -> None:
    if OLD_BLAS and "OPENBLAS_CORETYPE" in env:
        pytest.skip("OpenBLAS of numpy 1.x may crash on a forced kernel")
    gate = workspace(tmp_path)
    assert gate.run("run", "--report", "here.json").code == 0
    assert gate.run("run", "--report", "there.json", env=env).code == 0
    assert _without_diagnostics(tmp_path / "here.json") == _without_diagnostics(tmp_path / "there.json")


def test_the_same_report_from_another_working_folder(tmp_path: Path) -> None:
    gate = workspace(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    assert gate.run("run", "--report", "here.json").code == 0
    shutil.copytree(tmp_path / "fixtures", other / "fixtures")
    ran = gate.run("run", "--report", "there.json", "--config", "../retrieval-gate.toml", cwd=other)
    assert ran.code == 0, ran.out + ran.err
    assert _without_diagnostics(tmp_path / "here.json") == _without_diagnostics(other / "there.json")
