"""A text as a provider reads it: what does not hang on who asks, made once for all views."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from retrieval_gate.engine.providers import Provider, Vector, weight
from retrieval_gate.engine.ragged import Ints

# How many texts a reader remembers: a question is asked through several channels, pipelines and the reranker.
_TEXTS = 512


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """`features` are distinct, as first met, each with its weight; `order` is the text in reading order: for each
    of its features the place in `features`. `vector` is the embedding, dimension -> count."""

    features: tuple[str, ...]
    weights: tuple[int, ...]
    order: Ints
    vector: Vector


class Reader:
    """Reads texts with one provider, and remembers those that it read last."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.read = lru_cache(maxsize=_TEXTS)(self._read)

    def _read(self, text: str) -> Reading:
        features = self._provider.features(text)
        places = {feature: place for place, feature in enumerate(dict.fromkeys(features))}
        return Reading(
            features=tuple(places),
            weights=tuple([weight(feature) for feature in places]),
            order=np.array([places[feature] for feature in features], dtype=np.int64),
            vector=self._provider.vector(text, features),
        )
