"""The ids of the fixture, as a foreign retriever's answers are held against them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import ChunkId, DocumentId

# What an id that the fixture does not have is called: it may be private, so that it is never told itself.
UNKNOWN = "unknown-"
_STAND_IN = re.compile(rf"{UNKNOWN}[0-9a-f]{{16}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the retriever may name: the fixture's chunks and documents, and those that scenarios added."""

    chunks: frozenset[str]
    documents: frozenset[str]

    def chunk(self, name: str) -> ChunkId:
        """The chunk's own id, or the one name that stands for it where the fixture does not have it.

        A recording holds such names; each stands for itself.
        """
        stands = name in self.chunks or _STAND_IN.fullmatch(name) is not None
        return ChunkId(name if stands else f"{UNKNOWN}{short_digest(name)}")

    def document(self, name: str | None) -> DocumentId | None:
        return DocumentId(name) if name is not None and name in self.documents else None

    def having(self, document: Document) -> Known:
        """With one more document."""
        return Known(
            chunks=self.chunks | {chunk.id for chunk in document.chunks},
            documents=self.documents | {document.id},
        )


def known_of(documents: Iterable[Document]) -> Known:
    kept = tuple(documents)
    return Known(
        chunks=frozenset(chunk.id for document in kept for chunk in document.chunks),
        documents=frozenset(document.id for document in kept),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """A way in which ids may differ from the fixture's, and how many of those looked at it explains."""

    explanation: str
    matched: int
    of: int


_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")


def _digits(name: str) -> str:
    """Without the zeros before a number."""
    return _ZEROS.sub("", name)


def _plain(name: str) -> str:
    """With one sign in the place of every other."""
    return "".join(char if char.isalnum() else "-" for char in name)


# How an id may be written otherwise, the likeliest first.
_FORMS = (
    ("they differ only in the sign between their parts, such as - in the place of #", _plain),
    ("they differ only in capital letters", str.casefold),
    ("they differ only in the zeros before a number", _digits),
    ("they differ in signs, capital letters and zeros", lambda name: _digits(_plain(name.casefold()))),
    ("they have a folder or a prefix before the fixture's id", lambda name: re.split("[/:]", name)[-1]),
    ("they have a file's ending, such as .md, behind the fixture's id", lambda name: _SUFFIX.sub("", name)),
)


def likely_mapping(found: Sequence[str], known: Known) -> Mapping | None:
    """The first way of writing that makes most of the ids `found` the fixture's; None where none does."""
    distinct = tuple(dict.fromkeys(found))
    best: Mapping | None = None
    for explanation, form in _FORMS:
        written = {form(name) for name in known.chunks}
        matched = len([name for name in distinct if form(name) in written])
        if matched and (best is None or matched > best.matched):
            best = Mapping(explanation=explanation, matched=matched, of=len(distinct))
    documents = len([name for name in distinct if name in known.documents])
    if documents and (best is None or documents > best.matched):
        return Mapping(explanation="they are ids of documents, not of chunks", matched=documents, of=len(distinct))
    return best
