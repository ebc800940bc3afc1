"""Which annotated spans the context contained, and how much text a model would have read.

Context is judged for the first 10 distinct hits. Two kinds of passage:

- with provenance (a `start`, or no text): all passages of a chunk are merged; a span of that chunk counts whole
  where it lies inside the union, else not at all. The chunk need not be a hit: a neighbour is read too. Without
  an `end` a passage is as long as its text, or reaches to the chunk's end.
- text alone: judged for its own chunk, which must be among those hits; the first occurrence of each span's
  text counts. Text that is not part of its chunk, nor its chunk part of it, is unlocatable.

A chunk that has provenance is judged by it alone. Lengths are code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Passage
from retrieval_gate.scoring.spans import Interval, contains, merged, union_length
from retrieval_gate.scoring.target import Target, TargetChunk, TargetSpan

CONTEXT_DEPTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`matched` characters of found spans, `returned` characters in all, `found` spans.

    `unlocatable` counts the passages whose text is not their chunk's.
    """

    matched: int
    returned: int
    unlocatable: int
    found: tuple[TargetSpan, ...]


def of_hits(hits: Sequence[ChunkId], target: Target, texts: Mapping[ChunkId, str]) -> Evidence:
    """The evidence of a retriever that gives ids only: each distinct hit's own chunk, whole."""
    matched = returned = 0
    found: tuple[TargetSpan, ...] = ()
    for chunk in hits[:CONTEXT_DEPTH]:
        returned += len(texts.get(chunk, ""))
        labelled = target.chunks.get(chunk)
        if labelled is not None:
            matched += labelled.characters
            found += labelled.spans
    return Evidence(matched=matched, returned=returned, unlocatable=0, found=found)


def of_passages(
    passages: Iterable[Passage], hits: Sequence[ChunkId], target: Target, texts: Mapping[ChunkId, str]
) -> Evidence:
    """The evidence of the passages that a retriever returned beside its distinct `hits`."""
    located, loose = _sorted_by_kind(passages, hits, texts)
    matched = returned = unlocatable = 0
    found: tuple[TargetSpan, ...] = ()
    for chunk, intervals in located.items():
        characters, spans = _by_offset(intervals, target.chunks.get(chunk))
        for start, end in intervals:
            returned += end - start
        matched += characters
        found += spans
    for chunk, text in loose.items():
        returned += len(text)
        unlocatable += 0 if _is_of(text, texts.get(chunk)) else 1
        if chunk not in located:
            characters, spans = _by_text(text, target.chunks.get(chunk))
            matched += characters
            found += spans
    return Evidence(matched=matched, returned=returned, unlocatable=unlocatable, found=found)


def _sorted_by_kind(
    passages: Iterable[Passage], hits: Sequence[ChunkId], texts: Mapping[ChunkId, str]
) -> tuple[dict[ChunkId, dict[Interval, None]], dict[ChunkId, str]]:
    """Distinct intervals per chunk, and one text per hit; what belongs to a hit past the depth is left out."""
    top, beyond = frozenset(hits[:CONTEXT_DEPTH]), frozenset(hits[CONTEXT_DEPTH:])
    located: dict[ChunkId, dict[Interval, None]] = {}
    loose: dict[ChunkId, str] = {}
    for passage in passages:
        if passage.chunk in beyond:
            continue
        interval = _interval(passage, texts.get(passage.chunk))
        if interval is not None:
            located.setdefault(passage.chunk, {})[interval] = None
        elif passage.text is not None and passage.chunk in top:
            loose.setdefault(passage.chunk, passage.text)
    return located, loose


def _interval(passage: Passage, content: str | None) -> Interval | None:
    """The passage's place in its chunk, cut to the chunk; None where only its text is known."""
    if passage.start is None and passage.text is not None:
        return None
    start = max(passage.start or 0, 0)
    if passage.end is not None:
        end = passage.end
    elif passage.text is not None:
        end = start + len(passage.text)
    else:
        end = len(content or "")
    if content is not None:
        end = min(end, len(content))
    return start, max(start, end)


def _by_offset(intervals: Iterable[Interval], labelled: TargetChunk | None) -> tuple[int, tuple[TargetSpan, ...]]:
    if labelled is None:
        return 0, ()
    union = merged(intervals)
    found = tuple([span for span in labelled.spans if contains(union, span.start, span.end)])
    if len(found) == len(labelled.spans):
        return labelled.characters, found
    return union_length([(span.start, span.end) for span in found]), found


def _by_text(text: str, labelled: TargetChunk | None) -> tuple[int, tuple[TargetSpan, ...]]:
    if labelled is None:
        return 0, ()
    places = [(text.find(span.text), span) for span in labelled.spans]
    found = tuple([span for at, span in places if at >= 0])
    return union_length([(at, at + len(span.text)) for at, span in places if at >= 0]), found


def _is_of(text: str, content: str | None) -> bool:
    return content is not None and (text in content or content in text)
