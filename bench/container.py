"""Times the action in its container against the same run on this machine: `python bench/container.py [RUNS]`.

    eval "$(.ci/engine start)"

Prints medians in ms: the run in the container; the same on the host, by RETRIEVAL_GATE_PYTHON if set,
else this one; the engine's own floor (`/bin/true` in the same image); and what the container adds to both. Nothing
is judged: the figures are for a person, on a quiet machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.container.runner import DOCKER  # noqa: E402 - the project's root first
from tests.e2e.gate import workspace  # noqa: E402 - as above

RUNS = 7
IMAGE = os.environ.get("RETRIEVAL_GATE_IMAGE", "retrieval-gate-under-test")


def main(runs: int = RUNS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace(Path(folder))
        container = [DOCKER, "run", "--rm", "--network=none", "-v", f"{folder}:/workspace"]
        python = os.environ.get("RETRIEVAL_GATE_PYTHON", sys.executable)
        commands = (
            ("container", [*container, IMAGE, "run", "--quiet"]),
            ("host", [python, "-I", "-B", "-m", "retrieval_gate", "run", "--quiet"]),
            ("floor", [*container, "--entrypoint=/bin/true", IMAGE]),
        )
        # One of each in turn, so that a busy moment falls on all of them.
        rounds = [[_once(command, folder) for _, command in commands] for _ in range(runs + 1)][1:]
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    for (name, _), median in zip(commands, medians, strict=True):
        print(f"{name:<10}{median:8.0f} ms")
    print(f"{'added':<10}{medians[0] - medians[1] - medians[2]:8.0f} ms")


def _once(command: list[str], folder: str) -> float:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    start = time.perf_counter_ns()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter_ns() - start) / 1e6


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
