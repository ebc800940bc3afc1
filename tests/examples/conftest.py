"""Where the examples' baselines are made again."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept-baselines",
        metavar="REASON",
        help="make the examples' baselines again and keep this reason in them; review them as text",
    )
