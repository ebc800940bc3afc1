"""An example's README: the commands that it tells to type, and what it says that they print."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Readme:
    """`install`, `green`, `broken` and `doctor` are commands as lists of words, to be run in the folder of all
    examples; `says_green` and `says_broken` are lines of their outputs."""

    install: list[str]
    green: list[str]
    broken: list[str]
    doctor: list[str]
    says_green: list[str]
    says_broken: list[str]


def readme(folder: Path) -> Readme:
    """Raises ValueError where the README has another number of commands or outputs."""
    blocks = _BLOCK.findall((folder / "README.md").read_text(encoding="utf-8"))
    commands = [shlex.split(line) for language, text in blocks if language == "sh" for line in text.splitlines()]
    outputs = [text.splitlines() for language, text in blocks if language == "text"]
    install, green, broken, doctor = commands
    says_green, says_broken = outputs
    return Readme(
        install=install,
        green=green,
        broken=broken,
        doctor=doctor,
        says_green=says_green,
        says_broken=says_broken,
    )
