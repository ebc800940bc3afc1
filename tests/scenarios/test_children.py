"""The processes of a run are started at once, also that of the scenarios where the fixture seems to need one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from retrieval_gate.scenarios.children import Children

PLAIN, GUARDED = '{"queries": []}', '{"principals": []}'


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder in which this process makes its temporary folders; the working folder is beside it."""
    folder, work = tmp_path / "temporary", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.chdir(work)
    return folder


def _started(temporary: Path, *, config: str | None = None, fixture: str | None = None) -> int:
    """How many processes have a folder of their own; none has one after its end."""
    with Children(config=config, fixture=fixture) as children, children:
        folders = len(list(temporary.iterdir()))
    assert list(temporary.iterdir()) == []
    return folders


@pytest.mark.parametrize(("text", "processes"), [(PLAIN, 2), (GUARDED, 3)])
def test_the_scenarios_are_started_with_the_workers_where_the_fixture_announces_them(
    temporary: Path, text: str, processes: int
) -> None:
    Path("set.json").write_text(text, encoding="utf-8")
    Path("own.toml").write_text('# fixture = "no.json"\nbaseline = "b"\nfixture = "set.json"\n', encoding="utf-8")
    assert _started(temporary) == 2
    assert _started(temporary, fixture="set.json") == processes
    assert _started(temporary, config="own.toml") == processes
    Path("own.toml").rename("retrieval-gate.toml")
    assert _started(temporary) == processes


@pytest.mark.parametrize("fixture", ["gone.json", ".", "\0", "../" * 2000])
def test_a_fixture_that_can_not_be_read_is_for_the_run_to_refuse(temporary: Path, fixture: str) -> None:
    assert _started(temporary, fixture=fixture) == 2


@pytest.mark.parametrize("line", [b"", b"fixture = 7\n", b'fixture = "gone.json"\n', b'fixture = "\xff"\n'])
def test_a_configuration_that_names_nothing_readable_is_for_the_run_to_refuse(
    temporary: Path, line: bytes
) -> None:
    Path("own.toml").write_bytes(line)
    assert _started(temporary, config="own.toml") == 2
