"""The image, built once for all container tests; without an engine they are skipped by name."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.container.runner import DOCKER, Runner
from tests.e2e.gate import ROOT, Gate, workspace
from tests.e2e.small import small

# What `.ci/engine start` exports. `.ci/run` sets the other, so that a skip can not hide there.
BASE = os.environ.get("RETRIEVAL_GATE_BASE")
REQUIRED = os.environ.get("RETRIEVAL_GATE_ENGINE_REQUIRED") == "1"
IMAGE = "retrieval-gate-under-test"


@pytest.fixture(scope="session")
def image() -> str:
    """The image, built from this checkout without a network."""
    if BASE is None:
        if REQUIRED:
            pytest.fail("no container engine: run .ci/engine start")
        pytest.skip('needs a container engine: eval "$(.ci/engine start)"')
    build = [
        DOCKER,
        "build",
        "-q",
        "--network=none",
        "--build-arg",
        f"PYTHON_IMAGE={BASE}",
        "-t",
        IMAGE,
        str(ROOT),
    ]
    done = subprocess.run(build, env={**os.environ, "DOCKER_BUILDKIT": "1"}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return IMAGE


@pytest.fixture
def runner(image: str, tmp_path: Path) -> Runner:
    """A runner whose workspace holds the small fixture and belongs to the runner's user, as hosted ones do."""
    return _runner(image, tmp_path, small)


@pytest.fixture
def committed(image: str, tmp_path: Path) -> Runner:
    """The same with the whole committed fixture."""
    return _runner(image, tmp_path, workspace)


def _runner(image: str, tmp_path: Path, make: Callable[[Path], Gate]) -> Runner:
    folder = tmp_path / "workspace"
    folder.mkdir()
    made = make(folder)
    for path in (made.workspace, *made.workspace.rglob("*")):
        os.chown(path, 1001, 127)
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if parent.owner() == "root" and str(parent).startswith("/tmp/pytest"):  # noqa: S108 - pytest's own folders
            parent.chmod(0o755)
    return Runner(image=image, temporary=tmp_path / "temporary", workspace=made.workspace)


def copy_source(to: Path) -> Path:
    """A copy of the package, to put a fault into and mount over the image's."""
    shutil.copytree(ROOT / "src" / "retrieval_gate", to, ignore=shutil.ignore_patterns("__pycache__"))
    return to
