"""How a text output may look; the caller decides, an output only obeys."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum


class Tone(Enum):
    """A meaning that colour can carry; no meaning is carried by colour alone."""

    BAD = "31"
    GOOD = "32"
    STRONG = "1"
    QUIET = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """`width` is in terminal cells and at least 40; colour is off unless the caller knows a terminal.

    `quiet` asks for the verdict and the failures only. `prefix` is the working directory, relative to the
    repository's root: what other tools read as a path of the repository is put behind it.
    """

    colour: bool = False
    quiet: bool = False
    width: int = 80
    prefix: str = ""

    def paint(self, line: str, tone: Tone) -> str:
        """The line in the tone's colour, unchanged where colour is off or the line is empty."""
        return f"\x1b[{tone.value}m{line}\x1b[0m" if self.colour and line else line


PLAIN = Style()
# A colon at an edge could become half of a mark, together with what an output writes beside it.
_EDGE = re.compile(r"^:|:$")
# `##[error]` and, in other runners, `##vso[..]` or `##teamcity[..]` are commands wherever they stand in a line.
_COMMAND = re.compile(r"(##[A-Za-z]*)\[")


def printable(text: str) -> str:
    """The text with control, format and unpaired characters as `\\xNN` escapes; anything else as it is."""
    return text if text.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in text)


def broken_marks(text: str, bracket: str) -> str:
    """The text with `bracket` in place of the bracket that would make a workflow command of it."""
    return _COMMAND.sub(lambda found: found[1] + bracket, text)


def plain(text: str) -> str:
    """Text that can do nothing to a terminal or to a runner that reads it line by line.

    Ids are safe by rule and come out unchanged; in anything else control, format and unpaired characters become
    `\\xNN` escapes, and the marks of workflow commands (`::` at the start of a line, `##[` anywhere) are broken.
    """
    shown = _EDGE.sub("\\\\x3a", printable(text).replace("::", ":\\x3a"))
    return broken_marks(shown, "\\x5b")


def cells(text: str) -> int:
    """How many terminal columns the text takes: wide characters two, combining marks none."""
    return len(text) if text.isascii() else len([cell for char in text for cell in range(_cells(char))])


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most `width` cells, broken at spaces, or inside a word that fits no line.

    `first` and `rest` are the indents of the first and of all other lines.
    """
    lines: list[str] = []
    line, empty = first, True
    for word in text.split(" "):
        glue = "" if empty else " "
        if not empty and cells(line) + cells(glue + word) > width:
            lines.append(line)
            line, glue = rest, ""
        while cells(line) + cells(glue + word) > width:
            head = _fitting(word, width - cells(line))
            lines.append(line + head)
            line, word = rest, word[len(head) :]
        line, empty = line + glue + word, False
    return [*lines, line]


def _fitting(word: str, width: int) -> str:
    """The longest beginning of `word` that fits, at least one character."""
    end = 1
    while end < len(word) and cells(word[: end + 1]) <= width:
        end += 1
    return word[:end]


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
