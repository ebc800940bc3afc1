"""The abstention curve of a labelled fixture: hit@10 and no-answer false positives by threshold and language.

    python bench/abstention_curve.py FIXTURE [--rerank | --no-rerank]

Queries whose sha256(id) is even calibrate, the odd ones report. Marked for each language is the threshold that
calibration chooses on the even half: of those with a false-positive rate of at most 0.15 and the largest hit@10,
the highest. The pipeline is lexical plus token-hash, as no alias table belongs to a foreign fixture.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval_gate.base.config import Channel, EngineSettings
from retrieval_gate.base.errors import FixtureError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.fixture import Fixture, Query
from retrieval_gate.base.retrieval import Request
from retrieval_gate.engine.channels import Pipeline
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.inputs.fixture.load import FIXTURE_BYTE_LIMIT, load_fixture

CUTOFF = 10
MOST_FALSE_POSITIVES = 0.15
THRESHOLDS = tuple(step / 100 for step in range(81))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One query without abstention. `hit` is None for a query without an answer."""

    language: str
    even: bool
    evidence: float
    hit: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Shares at one threshold; None where there is no such query."""

    threshold: float
    hit: float | None
    false_positive: float | None


def outcomes(fixture: Fixture, *, rerank: bool) -> list[Outcome]:
    """Every query of the fixture through the hybrid pipeline."""
    names = ("lexical", "token-hash-vector")
    pipeline = Pipeline(channels=tuple(Channel(name=name, weight=1.0) for name in names), rerank=rerank)
    requests = [_request(fixture, query) for query in fixture.queries]
    with tempfile.TemporaryDirectory() as folder:
        service = KnowledgeService(
            folder=Path(folder),
            documents=fixture.documents,
            settings=EngineSettings(abstention=False),
            aliases=None,
        )
        evidence = service.evidence(pipeline, requests)
        found = [{str(hit.chunk) for hit in response.hits} for response in service.search(pipeline, requests)]
        service.close()
    return [
        _outcome(query, measured, ids)
        for query, measured, ids in zip(fixture.queries, evidence, found, strict=True)
    ]


def curve(rows: Sequence[Outcome]) -> list[Point]:
    """One point per threshold."""
    return [
        Point(
            threshold=threshold,
            hit=_share(row.hit and row.evidence >= threshold for row in rows if row.hit is not None),
            false_positive=_share(row.evidence >= threshold for row in rows if row.hit is None),
        )
        for threshold in THRESHOLDS
    ]


def chosen(points: Sequence[Point]) -> Point:
    """The point that calibration chooses."""
    allowed = [point for point in points if (point.false_positive or 0.0) <= MOST_FALSE_POSITIVES]
    return max(allowed, key=lambda point: (point.hit or 0.0, point.threshold), default=points[-1])


def _request(fixture: Fixture, query: Query) -> Request:
    principals = {principal.id: principal for principal in fixture.principals}
    return Request(
        id=query.id,
        query=query.text,
        k=CUTOFF,
        principal=None if query.principal is None else principals[query.principal],
        as_of=query.as_of or fixture.as_of,
        language=query.language,
        trace=False,
    )


def _outcome(query: Query, evidence: float, found: set[str]) -> Outcome:
    judged = {str(judgment.unit) for judgment in query.judgments}
    return Outcome(
        language=query.language,
        even=int(hashlib.sha256(query.id.encode("utf-8")).hexdigest(), 16) % 2 == 0,
        evidence=evidence,
        hit=None if query.no_answer else not judged.isdisjoint(found),
    )


def _share(flags: Iterable[bool | None]) -> float | None:
    values = [bool(flag) for flag in flags]
    return values.count(True) / len(values) if values else None


def _shown(value: float | None) -> str:
    return "    -" if value is None else f"{value:5.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("fixture")
    parser.add_argument("--rerank", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    data = read_bounded(options.fixture, limit=FIXTURE_BYTE_LIMIT, error=FixtureError)
    rows = outcomes(load_fixture(data, file=options.fixture).fixture, rerank=options.rerank)
    for language in dict.fromkeys(row.language for row in rows):
        _print_language(language, [row for row in rows if row.language == language])


def _print_language(language: str, rows: Sequence[Outcome]) -> None:
    even, odd = ([row for row in rows if row.even is half] for half in (True, False))
    points, best = curve(even), chosen(curve(even))
    print(f"{language}: {len(even)} even queries, {len(odd)} odd; chosen on even: {best.threshold:.2f}")
    print("  threshold   even hit@10   fpr     odd hit@10   fpr")
    for first, second in zip(points, curve(odd), strict=True):
        mark = "*" if first == best else " "
        print(
            f"{mark} {first.threshold:9.2f}   {_shown(first.hit):>11}   {_shown(first.false_positive)}"
            f"   {_shown(second.hit):>10}   {_shown(second.false_positive)}"
        )


if __name__ == "__main__":
    main()
