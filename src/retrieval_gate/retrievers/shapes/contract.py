"""The contract's own answer; in Python its hits may also be those of a library."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.contract import AnswerPart
from retrieval_gate.retrievers.shapes.hits import Body, is_contract_hit, listed_hits, listed_stage
from retrieval_gate.retrievers.shapes.members import as_items

_ENVELOPE = frozenset({"v", "id"})
_MEMBERS = frozenset(AnswerPart.model_fields) | _ENVELOPE


def contract_body(raw: object, fields: Fields) -> Body | None:
    """A mapping with `hits` and nothing that the contract does not have; its parts win over those of its hits."""
    if not isinstance(raw, Mapping) or "hits" not in raw or not raw.keys() <= _MEMBERS:
        return None
    body = {name: part for name, part in raw.items() if name not in _ENVELOPE}
    hits = as_items(body["hits"])
    if hits is None:
        # A search engine's own `hits` is an object; anything else is the contract's to refuse.
        return None if isinstance(body["hits"], Mapping) else body
    plain = fields.id is fields.score is fields.document is fields.text is None
    if not (plain and all(map(is_contract_hit, hits))):
        body = listed_hits(hits, fields) | {name: part for name, part in body.items() if name != "hits"}
    stages = as_items(body.get("stages"))
    return body if stages is None else body | {"stages": [_stage(stage, fields) for stage in stages]}


def _stage(stage: object, fields: Fields) -> object:
    """A stage whose hits are a library's; whatever else is left for the contract to judge."""
    if not isinstance(stage, Mapping) or stage.keys() != {"name", "hits"}:
        return stage
    hits = as_items(stage["hits"])
    if hits is None or all(map(is_contract_hit, hits)):
        return stage
    return listed_stage(stage["name"], hits, fields)
