"""A part of the committed fixture under its name: for tests that need a run, but not one of this size."""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e.gate import BASELINE, FIXTURE, ROOT, Gate

# Copies and ties, neighbours, a budget that cuts, both languages and evidence across them.
DOCUMENTS = (
    "offline-search",
    "sync-conflicts",
    "backup-restore",
    "keyboard-editor",
    "release-4-2",
    "booklet-printing",
    "harbour-studio",
    "working-files",
    "zh-offline",
    "zh-sync",
    "zh-keyboard",
)
# Of each language.
NO_ANSWER = 2


def small(folder: Path) -> Gate:
    """A fresh workspace in `folder`: this part, a baseline accepted from it, and the committed configuration."""
    gate = _without_baseline(folder)
    (folder / BASELINE).write_text(_baseline(), encoding="utf-8", newline="\n")
    return gate


def _without_baseline(folder: Path) -> Gate:
    (folder / FIXTURE).parent.mkdir(parents=True, exist_ok=True)
    (folder / FIXTURE).write_text(_fixture(), encoding="utf-8", newline="\n")
    shutil.copy(ROOT / "retrieval-gate.toml", folder)
    return Gate(workspace=folder)


@cache
def _fixture() -> str:
    fixture: dict[str, Any] = json.loads((ROOT / FIXTURE).read_text(encoding="utf-8"))
    fixture["documents"] = [document for document in fixture["documents"] if document["id"] in DOCUMENTS]
    chunks = {chunk["id"] for document in fixture["documents"] for chunk in document["chunks"]}
    unanswered = [query for query in fixture["queries"] if query["noAnswer"]]
    fixture["queries"] = [
        *(query for query in fixture["queries"] if not query["noAnswer"] and _judged(query) <= chunks),
        *[query for query in unanswered if query["language"] == "en"][:NO_ANSWER],
        *[query for query in unanswered if query["language"] == "zh-CN"][:NO_ANSWER],
    ]
    return json.dumps(fixture, ensure_ascii=False, indent=1) + "\n"


def _judged(query: dict[str, Any]) -> set[str]:
    return {judgment["chunkId"] for judgment in query["judgments"]}


@cache
def _baseline() -> str:
    """Made once per process of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        accepted = _without_baseline(Path(folder)).call("baseline", "accept", "--reason", "first")
        assert accepted.code == 0, accepted.err
        return (Path(folder) / BASELINE).read_text(encoding="utf-8")
