"""The same bytes, whatever the machine's mood: hash seed, zone, locale, folder, processor features."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.e2e.gate import Gate, Ran, workspace

# Seen: an OpenBLAS that ends the process, now and then, on an old kernel (Prescott) that is forced on it.
OLD_BLAS = version("numpy").startswith("1.")
KERNEL = "OPENBLAS_CORETYPE"
# Each is another machine. What can be set together is, as each costs a whole run: a locale has one value at once.
ELSEWHERE = [
    {"PYTHONHASHSEED": "77", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C"},
    {"LC_ALL": "tr_TR.UTF-8", "PYTHONIOENCODING": "latin-1", KERNEL: "Sandybridge"},
    {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX", KERNEL: "Haswell"},
]


def _without_diagnostics(path: Path) -> str:
    report = json.loads(path.read_text(encoding="utf-8"))
    del report["diagnostics"]
    return json.dumps(report, ensure_ascii=False)


@pytest.mark.parametrize("env", ELSEWHERE, ids=lambda env: "-".join(env))
def test_the_same_report_elsewhere(tmp_path: Path, committed_run: tuple[Gate, Ran], env: dict[str, str]) -> None:
    """Of the whole committed fixture. On an old numpy without the kernel."""
    here = committed_run[0].workspace
    settings = {name: value for name, value in env.items() if not (OLD_BLAS and name == KERNEL)}
    ran = workspace(tmp_path).run("run", "--quiet", "--report", "report.json", env=settings)
    assert ran == committed_run[1]
    assert ran.code == 0
    assert _without_diagnostics(tmp_path / "report.json") == _without_diagnostics(here / "report.json")
    name = "report.baseline.jsonl"
    assert (tmp_path / name).read_bytes() == (here / name).read_bytes()


def test_the_same_report_from_another_working_folder(tmp_path: Path, committed_run: tuple[Gate, Ran]) -> None:
    """And from a second call without anything else changed."""
    gate = workspace(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    shutil.copytree(tmp_path / "fixtures", other / "fixtures")
    arguments = ("run", "--quiet", "--report", "there.json", "--config", "../retrieval-gate.toml")
    ran = gate.run(*arguments, cwd=other)
    assert ran == committed_run[1]
    assert ran.code == 0, ran.out + ran.err
    here = committed_run[0].workspace / "report.json"
    assert _without_diagnostics(here) == _without_diagnostics(other / "there.json")
