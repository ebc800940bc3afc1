"""docs/fixture.md is what a first fixture is written from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.inputs.fixture import HeldOutFile, load_fixture
from retrieval_gate.inputs.fixture.schema import schema_text

PAGE = (Path(__file__).parents[2] / "docs" / "fixture.md").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads(schema_text())
FIELDS = sorted({field for model in (SCHEMA, *SCHEMA["$defs"].values()) for field in model["properties"]})


def test_its_fixture_is_accepted_without_a_warning() -> None:
    example, held_out = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    loaded = load_fixture(example.encode(), file="page.json")
    assert loaded.warnings == ()
    assert len(loaded.fixture.queries) == 4
    apart = HeldOutFile(data=held_out.encode(), file="held.json")
    both = load_fixture(example.encode(), file="page.json", held_out=apart)
    assert (both.warnings, len(both.fixture.queries)) == ((), 5)


@pytest.mark.parametrize("field", FIELDS)
def test_it_names_every_field(field: str) -> None:
    assert f"`{field}`" in PAGE
