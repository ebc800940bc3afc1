"""A small valid fixture for tests to break: two languages, each with an answerable and a no-answer query."""

from __future__ import annotations

import json
from typing import Any

from retrieval_gate.base.places import Problem
from retrieval_gate.inputs.fixture import check_fixture


def sound() -> dict[str, Any]:
    """A fixture without any problem; every call gives a new one."""
    return {
        "version": 1,
        "id": "small",
        "provenance": {"kind": "synthetic", "license": "CC0-1.0"},
        "documents": [
            {
                "id": "doc-tea",
                "title": "Tea",
                "chunks": [
                    {"id": "tea-1", "content": "Green tea is steeped for two minutes."},
                    {"id": "tea-2", "content": "Black tea takes four minutes."},
                ],
            },
            {"id": "doc-cha", "title": "茶", "chunks": [{"id": "cha-1", "content": "绿茶泡两分钟。"}]},
        ],
        "queries": [
            query("q-en", "en", "How long is green tea steeped?", [judgment("tea-1", "two minutes")]),
            query("q-en-none", "en", "Who invented the tea bag?"),
            query("q-zh", "zh", "绿茶泡多久？", [judgment("cha-1", "两分钟")]),
            query("q-zh-none", "zh", "谁发明了茶包？"),
        ],
    }


def query(name: str, language: str, text: str, judgments: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A query; without judgments it is a no-answer one."""
    listed = judgments or []
    return {"id": name, "language": language, "query": text, "noAnswer": not listed, "judgments": listed}


def judgment(chunk: str, *spans: str, relevance: int = 3) -> dict[str, Any]:
    return {"chunkId": chunk, "relevance": relevance, "spans": [{"text": span} for span in spans]}


def encoded(fixture: object) -> bytes:
    """One value a line, so that every line number means something."""
    return json.dumps(fixture, ensure_ascii=False, indent=1).encode("utf-8")


def checked(fixture: object) -> tuple[Problem, ...]:
    return check_fixture(encoded(fixture), file="small.json")


def rules(fixture: object) -> list[str]:
    """The ids of the rules that fire, in file order."""
    return [problem.rule for problem in checked(fixture)]
