"""Which file is the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.inputs.config import find_config

TABLE = "[tool.retrieval-gate]\nslack = 0\n"


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    assert find_config(tmp_path) is None


def test_its_own_file_comes_first(tmp_path: Path) -> None:
    (tmp_path / "retrieval-gate.toml").write_text("", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    assert find_config(tmp_path) == "retrieval-gate.toml"


@pytest.mark.parametrize(
    "text", [TABLE, "tool.retrieval-gate.slack = 0", '[tool."retrieval-gate"]', "[tool]\nretrieval-gate = 1"]
)
def test_a_pyproject_with_the_table(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert find_config(tmp_path) == "pyproject.toml"


@pytest.mark.parametrize(
    "text",
    [
        '[project]\nname = "x"',
        '[project]\ndependencies = ["retrieval-gate"]',
        "# [tool.retrieval-gate]",
        "this is not TOML, and not ours",
    ],
)
def test_a_pyproject_without_the_table(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert find_config(tmp_path) is None


def test_a_broken_pyproject_that_names_the_tool_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"{TABLE}broken", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"pyproject\.toml:3: \[not-toml\]"):
        find_config(tmp_path)


def test_a_link_to_nowhere_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "retrieval-gate.toml").symlink_to(tmp_path / "gone.toml")
    assert find_config(tmp_path) == "retrieval-gate.toml"
