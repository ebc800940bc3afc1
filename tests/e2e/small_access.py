"""A part of the access fixture under its name: of each mechanism and language one question of each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e.gate import ROOT, Gate

CONFIG = "fixtures/synthetic-access-v1.toml"
FIXTURE = "fixtures/synthetic-access-v1.json"
# There is no baseline of it: what leaks, is stale or in the wrong state fails without one.
RUN = ("run", "--config", CONFIG, "--allow-missing-baseline", "--report", "report.json")


def small_access(folder: Path) -> Gate:
    """A fresh workspace in `folder`: this part, and the committed configuration without its floors."""
    (folder / FIXTURE).parent.mkdir(parents=True)
    (folder / FIXTURE).write_text(_fixture(), encoding="utf-8", newline="\n")
    settings, _, _ = (ROOT / CONFIG).read_text(encoding="utf-8").partition("[[gates]]")
    (folder / CONFIG).write_text(f"gates = []\n{settings}", encoding="utf-8", newline="\n")
    return Gate(workspace=folder)


@cache
def _fixture() -> str:
    fixture: dict[str, Any] = json.loads((ROOT / FIXTURE).read_text(encoding="utf-8"))
    fixture["queries"] = queries = list(_first_of_each(fixture["queries"]))
    asking = {query.get("principal") for query in queries}
    fixture["principals"] = [principal for principal in fixture["principals"] if principal["id"] in asking]
    fixture["documents"] = list(_documents(fixture))
    return json.dumps(fixture, ensure_ascii=False, indent=1) + "\n"


def _first_of_each(queries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    seen: set[tuple[str, bool]] = set()
    for query in queries:
        named = {(name, query["noAnswer"]) for name in (query["language"], *query.get("tags", ()))}
        if not named <= seen:
            seen |= named
            yield query


def _documents(fixture: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the queries name, with all versions of it, and the declared conflicts."""
    chunks = {chunk for query in fixture["queries"] for chunk in _named(query)}
    of_queries = [document for document in fixture["documents"] if _holds(document, chunks)]
    sources = {document["source"] for document in of_queries if "source" in document} | {*fixture["conflicts"]}
    for document in fixture["documents"]:
        if document in of_queries or document.get("source") in sources:
            yield document


def _named(query: dict[str, Any]) -> list[str]:
    judged = [judgment["chunkId"] for judgment in query["judgments"]]
    return [*judged, *query.get("forbidden", ()), *query.get("stale", ())]


def _holds(document: dict[str, Any], chunks: set[str]) -> bool:
    return any(chunk["id"] in chunks for chunk in document["chunks"])
