"""Any answer as the contract's: the known shapes, one row each, and the paths that a configuration names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.shapes.columns import columns_body
from retrieval_gate.retrievers.shapes.components import components_body
from retrieval_gate.retrievers.shapes.contract import contract_body
from retrieval_gate.retrievers.shapes.hits import Body, listed_hits, shown_path
from retrieval_gate.retrievers.shapes.holding import holder_body
from retrieval_gate.retrievers.shapes.listing import list_body
from retrieval_gate.retrievers.shapes.members import as_items, lead
from retrieval_gate.retrievers.shapes.told import unknown_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShape:
    """`body` gives the contract's members, or None for an answer of another shape."""

    id: str
    explanation: str
    body: Callable[[object, Fields], Body | None]


# In the order in which they are tried.
SHAPES = (
    AnswerShape(
        id="contract",
        explanation='the contract\'s own answer, `{"hits": [...], "state": ...}`; hits may be any of a list\'s',
        body=contract_body,
    ),
    AnswerShape(
        id="list",
        explanation="a list of ids, of (id, score) pairs, of dicts, or of documents and nodes of LangChain, "
        "LlamaIndex, Haystack, Qdrant and their like, with or without a score beside them",
        body=list_body,
    ),
    AnswerShape(
        id="columns",
        explanation='one list per member, `{"ids": [[...]], "distances": [[...]]}`, as Chroma answers; '
        "of distances the lower is the better",
        body=columns_body,
    ),
    AnswerShape(
        id="components",
        explanation='`{"retriever": {"documents": [...]}, "ranker": {...}}`, as Haystack answers; with '
        "`include_outputs_from` each of them is a stage, and the last one's documents are the hits",
        body=components_body,
    ),
    AnswerShape(
        id="holder",
        explanation="a dict or an object that holds such a list under a usual name, such as `results`, "
        "`source_nodes` or `hits.hits`",
        body=holder_body,
    ),
)


def shape(raw: object, fields: Fields) -> dict[str, object]:
    """The members of the contract's answer, which `contract.read_answer` then judges.

    `context` is there where the hits have texts of their own. No score is altered: where their name says that they
    are distances, the answer says `lowerIsBetter`. Raises RetrieverError `unknown-shape`.
    """
    if fields.hits is not None:
        items = as_items(found := lead(raw, fields.hits))
        if items is None:
            raise shown_path(found)
        return listed_hits(items, fields)
    for row in SHAPES:
        body = row.body(raw, fields)
        if body is not None:
            return body
    raise unknown_shape(raw, "no shape that is known fits")
