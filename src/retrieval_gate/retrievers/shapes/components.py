"""What each component of a pipeline gave, by its name, as Haystack answers: each with documents is a stage."""

from __future__ import annotations

import re
from collections.abc import Mapping

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.shapes.hits import Body, listed_hits, listed_stage
from retrieval_gate.retrievers.shapes.members import as_items

_DOCUMENTS = "documents"
_NO_NAME = re.compile(r"[^a-z0-9]+")


def components_body(raw: object, fields: Fields) -> Body | None:
    """A mapping of mappings of which one or more have `documents`: the last are the hits.

    The order is that in which the components ran, which is the one that Haystack gives.
    """
    if not isinstance(raw, Mapping) or not all(isinstance(part, Mapping) for part in raw.values()):
        return None
    outputs = [(str(name), as_items(part.get(_DOCUMENTS))) for name, part in raw.items()]
    given = [(name, documents) for name, documents in outputs if documents is not None]
    if not given:
        return None
    stages = [listed_stage(_stage_name(name), documents, fields) for name, documents in given]
    return listed_hits(given[-1][1], fields) | {"stages": stages}


def _stage_name(component: str) -> str:
    """The component's name as a stage has it. Retrievers are channels beside each other, not one after another."""
    name = _NO_NAME.sub("-", component.lower()).strip("-")
    if "retriever" in name:
        return f"candidates:{name[:64]}"
    return name[:32] if name[:1].isalpha() else f"component-{name}"[:32]
