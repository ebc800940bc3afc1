"""The versions of what a result can hang on, read from this process."""

from __future__ import annotations

import platform
import sqlite3
import unicodedata
from importlib.metadata import version

from retrieval_gate import __version__
from retrieval_gate.report.privacy import VERSION
from retrieval_gate.report.report import Environment
from retrieval_gate.scoring.trail import OTHER


def read_environment() -> Environment:
    """This process's versions; they stand in the diagnostics of a report, outside every hash."""
    return Environment(
        tool=public(__version__),
        python=public(platform.python_version()),
        sqlite=public(sqlite3.sqlite_version),
        unicode=public(unicodedata.unidata_version),
        numpy=public(version("numpy")),
    )


def public(version: str) -> str:
    """The public part of a version: a local build's own name is text, and is cut off."""
    match = VERSION.match(version)
    return match.group() if match else OTHER
