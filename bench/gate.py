"""Times the gate as whole processes: `python bench/gate.py [FIXTURE ...]`.

Prints, for each command, the median of several runs: wall and CPU seconds, and the peak memory of the largest
process in MiB. Nothing is judged: the figures are for a person, on a quiet machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
# Runs the rest of its arguments as a child and prints what the operating system counted for it and its children.
_COUNTED = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def measure(name: str, command: list[str], runs: int) -> None:
    """Print one row: medians of `runs` runs after a warm-up."""
    figures = [_once(command) for _ in range(runs + 1)][1:]
    wall, cpu, peak = (statistics.median(column) for column in zip(*(row[1:] for row in figures), strict=True))
    codes = "/".join(sorted({str(row[0]) for row in figures}))
    print(f"{name:44} exit {codes:4} wall {wall:7.3f} s  cpu {cpu:7.3f} s  peak {peak:6.1f} MiB  n {runs}")


def _once(command: list[str]) -> tuple[int, float, float, float]:
    started = time.perf_counter()
    printed = subprocess.run([sys.executable, "-c", _COUNTED, *command], capture_output=True, check=True).stdout
    wall = time.perf_counter() - started
    code, cpu, peak = json.loads(printed)
    return code, wall, cpu, peak


def main() -> None:
    gate = [sys.executable, "-m", "retrieval_gate"]
    print(
        f"Python {sys.version.split()[0]}, {os.cpu_count()} processors; each wall time holds one more bare start"
    )
    measure("python -c pass", [sys.executable, "-c", "pass"], RUNS)
    measure("retrieval-gate --help", [*gate, "--help"], RUNS)
    measure("retrieval-gate run (committed fixture)", [*gate, "run"], RUNS)
    access = ["--config", "fixtures/synthetic-access-v1.toml"]
    measure("retrieval-gate run (access, with scenarios)", [*gate, "run", *access], RUNS)
    for fixture in sys.argv[1:]:
        measure(f"check {Path(fixture).name}", [*gate, "check", fixture], 3)
        measure(f"run {Path(fixture).name}", [*gate, "run", "--fixture", fixture, "--allow-missing-baseline"], 1)
        with tempfile.TemporaryDirectory() as folder:
            _with_baseline(gate, fixture, Path(folder))


def _with_baseline(gate: list[str], fixture: str, folder: Path) -> None:
    """The gate against a baseline of its own making, outside the working folder."""
    os.chdir(folder)
    accept = [*gate, "baseline", "accept", "--reason", "bench", "--fixture", fixture, "--baseline", "b.jsonl"]
    subprocess.run(accept, capture_output=True, check=True)
    measure(
        f"run {Path(fixture).name}, with a baseline",
        [*gate, "run", "--fixture", fixture, "--baseline", "b.jsonl"],
        1,
    )


if __name__ == "__main__":
    main()
