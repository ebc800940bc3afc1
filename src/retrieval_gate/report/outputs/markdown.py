"""Pieces of GitHub-flavoured markdown that no id, path or name can break."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from retrieval_gate.report.outputs.style import plain

# Any other sign is written as a reference where it could mean something.
_HARMLESS_SIGN = re.compile(r"[A-Za-z0-9 .,/=+-]")
# Text that a code span shows as it is: no backtick, pipe, bracket or ampersand that could end it or its cell.
_HARMLESS = re.compile(r"""[A-Za-z0-9 ._:#@+/(),="'-]+""")


def code(text: str) -> str:
    """An id, path or number that markdown, HTML and a table cell leave alone, shown as code."""
    if _HARMLESS.fullmatch(text) and text == text.strip():
        return f"`{text}`"
    return code_html(text)


def code_html(text: str) -> str:
    """As `code`, also where only HTML is read."""
    return f"<code>{prose(text)}</code>"


def prose(text: str) -> str:
    """A sentence that markdown, HTML and a table cell show as it is."""
    return "".join(char if _HARMLESS_SIGN.fullmatch(char) else f"&#{ord(char)};" for char in plain(text))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A head and its rows; every cell is safe already."""
    for cells in (titles, ["---"] * len(titles), *rows):
        yield f"| {' | '.join(cells)} |"


def collapsed(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines behind a title that unfolds them; the title is HTML."""
    yield from (f"<details><summary>{title}</summary>", "")
    yield from lines
    yield from ("", "</details>")


def bullets(texts: Sequence[str], most: int) -> Iterator[str]:
    """The first of the texts as a list, and how many more there are."""
    yield from (f"- {text}" for text in texts[:most])
    yield from more(len(texts) - most)


def more(count: int) -> Iterator[str]:
    """How much is not shown; nothing where that is nothing."""
    if count > 0:
        yield from ("", f"and {count} more: see the JSON report")
