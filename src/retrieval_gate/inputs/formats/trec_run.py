"""TREC runs: `qid Q0 docid rank score tag`, one hit a line, as trec_eval takes them.

As in trec_eval's get_trec_results.c, columns stand between ASCII white space, the second, the fourth and the sixth
decide nothing, what follows the sixth is ignored, and so are blank lines and lines that begin with `#`. Stricter
than it, so that a torn or shifted line is not scored: the rank is a whole number, the score is a finite number,
and a query lists a document once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

from retrieval_gate.base.errors import InputError
from retrieval_gate.base.places import Place

_BOM = b"\xef\xbb\xbf"
_COLUMNS = 6
_RANK = re.compile(rb"[+-]?[0-9]{1,18}")
_SCORE = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SIX = "write qid Q0 docid rank score tag; an id holds no space"


class RunHit(NamedTuple):
    """One line of a run: the document, its score, and the line (from 1)."""

    id: str
    score: float
    line: int


def read_run(data: bytes, *, file: str, error: type[InputError]) -> dict[str, tuple[RunHit, ...]]:
    """The hits of each query, queries and hits in the order of the file.

    Raises `error` with the place of the first line that is none of a run; no message quotes a value.
    """
    _refuse_bytes(data, file, error)
    found: dict[str, dict[str, RunHit]] = {}
    for number, line in _lines(data):
        query, hit = _read(line, Place(file=file, line=number), error)
        known = found.setdefault(query, {})
        if hit.id in known:
            raise error(
                "duplicate-document",
                f"the query of this line lists this document on line {known[hit.id].line} already",
                fix="list each document once for a query",
                where=Place(file=file, line=number),
            )
        known[hit.id] = hit
    if not found:
        raise error("empty-run", "the run lists no hit", fix=_SIX, where=Place(file=file))
    return {query: tuple(hits.values()) for query, hits in found.items()}


def by_score(hits: Sequence[RunHit]) -> list[RunHit]:
    """trec_eval's ranking: by score, then by id, both falling (comp_sim_docno in its form_res_rels.c).

    Ids compare by their code points, as strcmp compares their UTF-8. Scores compare in double precision, as in
    trec_eval since its issue 34; releases before that round them to single precision first.
    """
    return sorted(hits, key=lambda hit: (hit.score, hit.id), reverse=True)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of hits, with their numbers from 1."""
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith(b"#"):
            yield number, stripped


def _read(line: bytes, where: Place, error: type[InputError]) -> tuple[str, RunHit]:
    columns = line.split(maxsplit=_COLUMNS)
    if b"\r" in line:
        raise error(
            "carriage-return", "a carriage return stands within the line", fix="end lines with LF", where=where
        )
    if len(columns) < _COLUMNS:
        raise error(
            "run-columns", f"the line has {len(columns)} columns, a run has {_COLUMNS}", fix=_SIX, where=where
        )
    query, _, document, rank, score = columns[:5]
    if _RANK.fullmatch(rank) is None:
        raise error("run-rank", "column 4, the rank, is not a whole number", fix=_SIX, where=where)
    if _SCORE.fullmatch(score) is None or not isfinite(float(score)):
        raise error("run-score", "column 5, the score, is not a finite number", fix=_SIX, where=where)
    # `-0` and `0` are one score, as in C.
    return query.decode(), RunHit(document.decode(), float(score) + 0.0, where.line or 0)


def _refuse_bytes(data: bytes, file: str, error: type[InputError]) -> None:
    """What could be read as another text than the one that an editor shows."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as failure:
        where = Place(file=file, line=data.count(b"\n", 0, failure.start) + 1)
        raise error("not-utf-8", "the file is not UTF-8", fix="save it as UTF-8", where=where) from None
    if b"\0" in data:
        where = Place(file=file, line=data.count(b"\n", 0, data.index(b"\0")) + 1)
        raise error("nul", "a NUL character", fix="remove it; save the file as UTF-8, not UTF-16", where=where)
