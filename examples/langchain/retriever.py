"""A LangChain retriever over the help desk's texts, one for each principal: LangChain itself knows none.

The texts come from the fixture; your loader and your store stand in this place.
"""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

TEXTS = Path(__file__).parents[1] / "help-desk.json"
# Weights of the words' frequency in a piece, and of its length, as BM25 has them.
K1, B = 1.2, 0.75


class HelpDesk(BaseRetriever):
    """BM25 over the pieces that a principal may read; of each chunk the best piece counts."""

    pieces: list[Document]
    # The share of a question's words that a piece must hold to be an answer.
    least: float = 0.4
    k: int = 10

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        best: dict[str, tuple[float, Document]] = {}
        for score, piece in self._scored(words(query)):
            chunk = piece.metadata["chunk_id"]
            if chunk not in best or score > best[chunk][0]:
                best[chunk] = (score, piece)
        ranking = sorted(best.values(), key=lambda found: (-found[0], found[1].metadata["chunk_id"]))
        return [piece for _, piece in ranking[: self.k]]

    def _scored(self, asked: list[str]) -> list[tuple[float, Document]]:
        bags = [Counter(words(piece.page_content)) for piece in self.pieces]
        holding = Counter(word for bag in bags for word in bag)
        mean = sum(map(Counter.total, bags)) / max(1, len(bags))
        found = []
        for piece, bag in zip(self.pieces, bags, strict=True):
            shared = [word for word in dict.fromkeys(asked) if word in bag]
            if len(shared) < self.least * len(set(asked)):
                continue
            norm = K1 * (1 - B + B * bag.total() / mean)
            rarity = [math.log(1 + (len(bags) - holding[word] + 0.5) / (holding[word] + 0.5)) for word in shared]
            parts = [rare * bag[word] / (bag[word] + norm) for rare, word in zip(rarity, shared, strict=True)]
            found.append((math.fsum(parts), piece))
        return found


def pieces_for(principal: dict[str, Any] | None, size: int) -> list[Document]:
    """The texts that a principal may read, in pieces of `size` characters at most."""
    tenant = None if principal is None else principal["tenant"]
    return [
        Document(page_content=piece, metadata={"chunk_id": chunk["id"], "document_id": document["id"]})
        for document in json.loads(TEXTS.read_text(encoding="utf-8"))["documents"]
        if "access" not in document or document["access"]["tenant"] == tenant
        for chunk in document["chunks"]
        for piece in textwrap.wrap(chunk["content"], size)
    ]


def words(text: str) -> list[str]:
    """Words; of Chinese, which is written without spaces, its characters."""
    return re.findall(r"[\u4e00-\u9fff]|[a-z0-9]+", text.casefold())


def help_desk(principal: dict[str, Any] | None) -> HelpDesk:
    return HelpDesk(pieces=pieces_for(principal, size=400))


def cut_short(principal: dict[str, Any] | None) -> HelpDesk:
    """Broken on purpose: pieces so short that the right one no longer holds the whole answer."""
    return HelpDesk(pieces=pieces_for(principal, size=40))
