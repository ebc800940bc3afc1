"""Labelled sets and oracles that live beside the project; a test that needs one is skipped by name without it."""

from __future__ import annotations

from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(relative: str) -> Path:
    """The path of a file or folder beside the project; skips the calling test where it is absent."""
    path = _SHARED / relative
    if not path.exists():
        pytest.skip(f"needs ../shared/{relative}")
    return path
