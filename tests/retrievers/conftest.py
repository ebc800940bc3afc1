"""What tests of Python retrievers share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def own_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A working folder, a sys.path and modules of each test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # Two modules of one name, length and second would share their byte code.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield
    for name in sorted(set(sys.modules) - before):
        if name.startswith("mine"):
            # What a hanging retriever waits for, so that its thread ends.
            released = getattr(sys.modules[name], "RELEASED", None)
            if released is not None:
                released.set()
            del sys.modules[name]
