"""The published schema and the documentation say what the code does."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it has no stubs
import pytest

from retrieval_gate.inputs.config import config_schema
from retrieval_gate.inputs.config.defaults import DEFAULT_ABLATIONS, DEFAULT_GATES, DEFAULT_METRICS
from retrieval_gate.inputs.config.model import TABLES, keys_of
from retrieval_gate.inputs.config.schema import reference_text, schema_text
from tests.config.reading import read, rules

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def example() -> str:
    found = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    return found.group(1) if found else ""


def accepted_by_schema(text: str) -> bool:
    document = json.loads(json.dumps(tomllib.loads(text), default=dt.date.isoformat))
    return bool(jsonschema.Draft202012Validator(config_schema()).is_valid(document))


def test_the_committed_schema_is_fresh() -> None:
    committed = (ROOT / "schemas" / "config-v1.schema.json").read_text(encoding="utf-8")
    assert committed == schema_text(), "write it again: python3 dev.py docs"


def test_the_reference_in_the_documentation_is_fresh() -> None:
    assert reference_text() in PAGE, "write it again: python3 dev.py docs"


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(config_schema())
    assert "null" not in schema_text()


def test_the_example_in_the_documentation_is_read() -> None:
    config = read(example())
    assert [spec.id for spec in config.ablations] == [
        "lexical",
        "hybrid",
        "ours",
        "service",
        "process",
        "tool",
        "recorded",
    ]
    assert len(config.gates) == 3
    assert accepted_by_schema(example())


@pytest.mark.parametrize("path", TABLES)
def test_the_example_uses_every_key(path: tuple[str, ...]) -> None:
    tables: list[object] = [tomllib.loads(example())]
    for part in path:
        inner = [table[part] for table in tables if isinstance(table, dict) and part in table]
        tables = [row for value in inner for row in (value if isinstance(value, list) else [value])]
    used = {key for table in tables if isinstance(table, dict) for key in table}
    assert used == set(keys_of(TABLES[path]))


def test_the_defaults_in_the_documentation_are_those_of_the_code() -> None:
    for metric in DEFAULT_METRICS:
        assert f"`{metric}`" in PAGE
    for spec in DEFAULT_ABLATIONS:
        channels = ", ".join(f"`{channel.name}`" for channel in spec.channels)
        assert f"| `{spec.id}` | {channels} | {'yes' if spec.rerank else 'no'} |" in PAGE
    words = {"floor": "at least {0}", "ceiling": "at most {0}", "max-below": "at most {0} below `{1}`"}
    for gate in DEFAULT_GATES:
        bound = words[gate.kind].format(gate.bound, gate.reference)
        assert f"| `{gate.ablation}` | `{gate.metric}` | {bound} |" in PAGE


@pytest.mark.parametrize(
    "text",
    [
        "zzz = 1",
        'fixture = "/a"',
        'fixture = "a/../b"',
        'metrics = ["mrr@0"]',
        "[engine]\ncandidates = 0",
        "[engine.thresholds]\nLatin = 0.1",
        '[[gates]]\nablation = "lexical"\nmetric = "mrr@10"',
        '[[gates]]\nablation = "lexical"\nmetric = "mrr@10"\nmin = 0\nmax = 1',
        '[[ablations]]\nid = "a"\nchannels = [{ weight = 1 }]',
        '[aliases.concepts]\na = [" "]',
        '[aliases.concepts]\n"a b" = ["x"]',
    ],
)
def test_an_editor_sees_what_the_gate_refuses(text: str) -> None:
    assert rules(text) != []
    assert not accepted_by_schema(text)
