"""Generated files are fresh: what the tables say and what the pages say is the same."""

from __future__ import annotations

import pytest

from tools.generate import ROOT, generated

FILES = generated()


@pytest.mark.parametrize("path", FILES)
def test_a_generated_file_is_fresh(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == FILES[path], "write it again: python3 dev.py docs"
