"""Outputs stay inside the workspace, whatever the path says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from retrieval_gate.base.errors import FixtureError, OutputError
from retrieval_gate.base.files import guard_output, read_bounded, write_atomically

REFUSED = [
    ("a\0b.json", "null-byte"),
    ("/etc/report.json", "absolute-path"),
    ("C:\\report.json", "absolute-path"),
    ("C:report.json", "absolute-path"),
    ("\\\\server\\share\\report.json", "absolute-path"),
    ("../report.json", "traversal"),
    ("a/../report.json", "traversal"),
    ("a/../../report.json", "traversal"),
    ("a\\..\\report.json", "traversal"),
    (".git/hooks/pre-commit", "git-folder"),
    (".GIT/config", "git-folder"),
    ("sub/.git/config", "git-folder"),
    (".git./config", "git-folder"),
    (".git", "git-folder"),
    ("", "empty-path"),
]


@pytest.mark.parametrize(("path", "code"), REFUSED)
def test_a_path_that_leaves_the_workspace_is_refused(tmp_path: Path, path: str, code: str) -> None:
    with pytest.raises(OutputError) as refusal:
        guard_output(tmp_path, path)
    assert refusal.value.code == code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["report.json", "out/report.json", ".github/report.json", "a..b/c.json", "git/x.json"]
)
def test_an_ordinary_path_is_accepted_and_nothing_is_made(tmp_path: Path, path: str) -> None:
    assert guard_output(tmp_path, path) == tmp_path / path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_symlink_at_any_component_is_refused(tmp_path: Path, depth: int) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    workspace = tmp_path / "workspace"
    workspace.joinpath(*["a", "b"][:depth]).mkdir(parents=True)
    parts = ["a", "b", "c"]
    workspace.joinpath(*parts[: depth + 1]).symlink_to(outside, target_is_directory=True)
    with pytest.raises(OutputError) as refusal:
        write_atomically(workspace, "a/b/c/report.json", "{}")
    assert refusal.value.code == "symlink"
    assert list(outside.iterdir()) == []


def test_a_symlink_as_destination_is_refused_even_when_it_dangles(tmp_path: Path) -> None:
    (tmp_path / "report.json").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputError) as refusal:
        write_atomically(tmp_path, "report.json", "{}")
    assert refusal.value.code == "symlink"


def test_a_file_where_a_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(OutputError) as refusal:
        guard_output(tmp_path, "out/report.json")
    assert refusal.value.code == "not-a-folder"


def test_a_folder_as_destination_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError) as refusal:
        guard_output(tmp_path, "out")
    assert refusal.value.code == "not-a-file"


def test_writing_replaces_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    write_atomically(tmp_path, "out/report.json", "old")
    write_atomically(tmp_path, "out/report.json", "分\n")
    assert (tmp_path / "out/report.json").read_bytes() == "分\n".encode()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.json"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user that permissions bind")
def test_an_unwritable_folder_is_a_named_failure(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(OutputError) as refusal:
        write_atomically(tmp_path, "out/report.json", "{}")
    assert refusal.value.code == "unwritable"


def test_a_long_name_is_a_named_failure_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write_atomically(tmp_path, "x" * 300, "{}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "not-found"),
        (lambda path: path.mkdir(), "unreadable"),
        (lambda path: path.write_bytes(b"x" * 11), "too-large"),
    ],
)
def test_what_can_not_be_read_says_why(tmp_path: Path, make: object, code: str) -> None:
    path = tmp_path / "fixture.json"
    assert callable(make)
    make(path)
    with pytest.raises(FixtureError) as refusal:
        read_bounded(str(path), limit=10, error=FixtureError)
    assert refusal.value.code == code


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 10)
    assert read_bounded(str(tmp_path / "f"), limit=10, error=FixtureError) == b"x" * 10


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FixtureError) as refusal:
        read_bounded(str(tmp_path / "pipe"), limit=10, error=FixtureError)
    assert refusal.value.code == "not-a-file"
