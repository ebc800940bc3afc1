"""Reading a configuration in tests: the value, or the problems."""

from __future__ import annotations

import pytest

from retrieval_gate.base.config import Config
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.inputs.config import load_config


def read(text: str) -> Config:
    return load_config(text.encode(), file="retrieval-gate.toml")


def refusal(text: str, *, file: str = "retrieval-gate.toml") -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_config(text.encode(), file=file)
    return caught.value


def rules(text: str) -> list[tuple[int | None, str]]:
    """The line and rule of each problem."""
    return [(problem.place.line, problem.rule) for problem in refusal(text).problems]
