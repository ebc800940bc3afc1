"""Golden files: `pytest tests/report --update-golden` writes them again; review the change as text.

The option is known only where this folder is named: pytest asks the conftest files of its arguments for options.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[1] / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files of the outputs again")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with its golden file, or write the file where that was asked for."""

    def compare(name: str, text: str) -> None:
        path = _FOLDER / name
        if request.config.getoption("--update-golden", default=False):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"no tests/golden/{name}: run pytest tests/report --update-golden"
        assert text == path.read_bytes().decode("utf-8")

    return compare
