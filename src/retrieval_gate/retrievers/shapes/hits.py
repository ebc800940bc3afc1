"""One hit, as any library has it: a plain id, a pair with its score, or something with members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.shapes.members import as_id, as_score, first, hit_members, is_number, lead
from retrieval_gate.retrievers.shapes.names import (
    CHUNK_IDS,
    DESCRIBING,
    DISTANCES,
    DOCUMENT_IDS,
    IDS,
    SCORES,
    TEXTS,
    WRAPPED,
)
from retrieval_gate.retrievers.shapes.told import told, unknown_shape

Body = dict[str, object]
# Made once: a union of types takes longer to make than to ask for.
_PAIRS = (list, tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One hit; `score` as it was given, `is_distance` where its name says that lower is better."""

    id: str
    score: object = None
    is_distance: bool = False
    document: str | None = None
    text: str | None = None


def listed_hits(items: Sequence[object], fields: Fields) -> Body:
    """The contract's `hits`; its `context` where any hit has a text; whether the scores are distances.

    Raises RetrieverError `unknown-shape` for a hit without an id, and for a path of `fields` that leads nowhere.
    """
    found = [_hit(item, fields, place, items) for place, item in enumerate(items, start=1)]
    _check_paths(found, fields, items)
    body: Body = {"hits": [_hit_message(hit) for hit in found]}
    if any(hit.text is not None for hit in found):
        body["context"] = [_passage_message(hit) for hit in found]
    if any(hit.is_distance for hit in found):
        body["lowerIsBetter"] = True
    return body


def listed_stage(name: object, items: Sequence[object], fields: Fields) -> Body:
    """One of the contract's `stages`."""
    found = [_hit(item, fields, place, items) for place, item in enumerate(items, start=1)]
    return {"name": name, "hits": [_scored(hit) for hit in found]}


def _scored(hit: Found) -> Body:
    return {"id": hit.id} if hit.score is None else {"id": hit.id, "score": hit.score}


def _hit_message(hit: Found) -> Body:
    message = _scored(hit)
    if hit.document is not None:
        message["documentId"] = hit.document
    return message


def _passage_message(hit: Found) -> Body:
    """A hit without a text is its whole chunk."""
    return {"id": hit.id} if hit.text is None else {"id": hit.id, "text": hit.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Members:
    """Those of a hit itself, of what it wraps too, and of what describes either."""

    own: Mapping[str, Any]
    wrapped: tuple[Mapping[str, Any], ...]
    all: tuple[Mapping[str, Any], ...]


def _hit(item: object, fields: Fields, place: int, items: Sequence[object]) -> Found:
    core, beside = _pair(item)
    if type(core) is str and fields.id is None:
        return Found(id=core, score=as_score(beside))
    members = _members(core)
    name = _id(core, members, fields.id)
    if name is None:
        raise unknown_shape(list(items), f"hit {place} has no id{'' if fields.id is None else ' at fields.id'}")
    score, is_distance = _score(core, members, beside, fields.score)
    return Found(
        id=name,
        score=score,
        is_distance=is_distance,
        document=_document(core, members, fields.document),
        text=_text(core, members, fields.text),
    )


def _pair(item: object) -> tuple[object, object]:
    """(hit, score) taken apart; an item that is no such pair has no score beside it."""
    if isinstance(item, _PAIRS) and len(item) == 2 and is_number(item[1]):
        return item[0], item[1]
    return item, None


def _members(core: object) -> _Members:
    own = hit_members(core)
    wrapped = (own, *(hit_members(own[name]) for name in WRAPPED if own.get(name) is not None))
    scopes = []
    for scope in wrapped:
        scopes.append(scope)
        scopes += [hit_members(scope[name]) for name in DESCRIBING if scope.get(name) is not None]
    return _Members(own=own, wrapped=wrapped, all=tuple(scopes))


def _id(core: object, members: _Members, path: str | None) -> str | None:
    if path is not None:
        return as_id(lead(core, path))
    if not members.own:
        return as_id(core)
    named = next((text for text in _under(members.all, CHUNK_IDS) if isinstance(text, str)), None)
    if named is not None:
        return named
    for names in (IDS, CHUNK_IDS, DOCUMENT_IDS):
        for value in _under(members.all, names):
            if (name := as_id(value)) is not None:
                return name
    return None


def _under(scopes: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[Any]:
    for scope in scopes:
        for name in names:
            value = scope.get(name)
            if value is not None:
                yield value


def _score(core: object, members: _Members, beside: object, path: str | None) -> tuple[object, bool]:
    """The score, and whether its name is a distance's."""
    if path is not None:
        return as_score(lead(core, path)), False
    if beside is not None:
        return as_score(beside), False
    score = first(members.own, SCORES)
    if score is not None:
        return as_score(score), False
    distance = first(members.own, DISTANCES)
    return as_score(distance), distance is not None


def _document(core: object, members: _Members, path: str | None) -> str | None:
    if path is not None:
        return as_id(lead(core, path))
    return next((name for name in map(as_id, _under(members.all, DOCUMENT_IDS)) if name is not None), None)


def _text(core: object, members: _Members, path: str | None) -> str | None:
    if path is not None:
        return _as_text(lead(core, path))
    found = (_as_text(first(holder, TEXTS)) for holder in members.wrapped)
    return next((text for text in found if text is not None), None)


def _as_text(value: object) -> str | None:
    return str(value) if isinstance(value, str) else None


def _check_paths(found: Sequence[Found], fields: Fields, items: Sequence[object]) -> None:
    """A path that no hit has is a slip, not a retriever without scores."""
    read: dict[str, tuple[str | None, Sequence[object]]] = {
        "score": (fields.score, [hit.score for hit in found]),
        "document": (fields.document, [hit.document for hit in found]),
        "text": (fields.text, [hit.text for hit in found]),
    }
    for name, (path, values) in read.items():
        if path is not None and found and all(value is None for value in values):
            raise unknown_shape(list(items), f"no hit has anything at fields.{name}")


def is_contract_hit(item: Any) -> bool:
    """Whether an item has no members but those of the contract's hit."""
    return isinstance(item, Mapping) and item.keys() <= {"id", "score", "documentId"}


def shown_path(value: object) -> RetrieverError:
    """The error of `fields.hits` that leads to no list."""
    return RetrieverError(
        "unknown-shape",
        f"fields.hits leads to no list: {told(value)}",
        fix="set fields.hits to the dotted path of the list of hits in the answer",
    )
