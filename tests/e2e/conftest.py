"""The run of the committed fixture that several tests look at: made once per process of the tests."""

from __future__ import annotations

import pytest

from tests.e2e.gate import Gate, Ran, workspace


@pytest.fixture(scope="session")
def committed_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Gate, Ran]:
    """What the installed command says of this repository as it is, and the workspace with its `report.json`."""
    gate = workspace(tmp_path_factory.mktemp("committed"))
    return gate, gate.run("run", "--quiet", "--report", "report.json")
