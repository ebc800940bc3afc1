"""Embedding providers: deterministic, in memory, integer counts, so that every dot product is exact.

A provider turns a text into features and hashes them into a fixed number of signed dimensions (feature hashing,
Weinberger et al. 2009). Neither is a claim about real embedding quality: token-hash is a transparent lexical
overlap; regression-alias is fixture-aware plumbing that lets words of two languages meet.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.config import AliasTable
from retrieval_gate.engine.aliases import CONCEPT_PREFIX, AliasMatcher
from retrieval_gate.engine.text import TOKENIZER_VERSION, terms

DIMENSIONS = 2048
# 2048 * 89 * 89 < 2**24: any sum of products of two vectors is a whole number that float32 holds exactly.
LARGEST_COUNT = 89
# A concept counts for as much as four ordinary terms: it stands for a whole word in either language.
CONCEPT_WEIGHT = 4

TOKEN_HASH = "token-hash"  # noqa: S105 - a provider's name, no secret
REGRESSION_ALIAS = "regression-alias"


# Dimension -> count.
Vector = dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """`matcher` None: features are the text's terms; else aliases are replaced by their concepts.

    `vectorise` None: a vector is made of the features; else by this function (see `models`).

    `fingerprint` moves with everything that decides a vector. It is private: only its hash is ever written.
    """

    name: str
    fingerprint: str
    matcher: AliasMatcher | None = None
    vectorise: Callable[[str], Vector] | None = None

    def features(self, text: str) -> list[str]:
        """The features of a text in reading order, repeats kept."""
        return terms(text) if self.matcher is None else self.matcher.features(text)

    def vector(self, text: str, features: Sequence[str] | None = None) -> Vector:
        """The vector of a text, whose features may be given where they are known already."""
        if self.vectorise is not None:
            return self.vectorise(text)
        return embed(self.features(text) if features is None else features)


def providers(aliases: AliasTable | None) -> tuple[Provider, ...]:
    """The providers that can run; regression-alias only with an alias table."""
    token_hash = Provider(name=TOKEN_HASH, fingerprint=_fingerprint(TOKEN_HASH, None))
    if aliases is None:
        return (token_hash,)
    alias = Provider(
        name=REGRESSION_ALIAS, fingerprint=_fingerprint(REGRESSION_ALIAS, aliases), matcher=AliasMatcher(aliases)
    )
    return (token_hash, alias)


def weight(feature: str) -> int:
    """How much one feature counts in a vector and in the evidence."""
    return CONCEPT_WEIGHT if feature.startswith(CONCEPT_PREFIX) else 1


def embed(features: Iterable[str]) -> Vector:
    """Dimension -> count, in the order first met; zero where opposite signs cancel.

    A feature that occurs c times adds isqrt(4 c) times its weight, so that repetition counts less and less.
    Counts are clipped to +-`LARGEST_COUNT`.
    """
    vector: Vector = {}
    for feature, occurrences in Counter(features).items():
        dimension, unit = _place(feature)
        vector[dimension] = vector.get(dimension, 0) + unit * isqrt(4 * occurrences)
    for dimension, count in vector.items():
        if not -LARGEST_COUNT <= count <= LARGEST_COUNT:
            vector[dimension] = LARGEST_COUNT if count > 0 else -LARGEST_COUNT
    return vector


@lru_cache(maxsize=1 << 16)
def _place(feature: str) -> tuple[int, int]:
    """The dimension that a feature is hashed to, and its weight with the sign that it has there."""
    hashed = int.from_bytes(hashlib.blake2b(feature.encode("utf-8"), digest_size=8).digest(), "big")
    return hashed % DIMENSIONS, weight(feature) if hashed >> 63 else -weight(feature)


def _fingerprint(name: str, aliases: AliasTable | None) -> str:
    definition = (name, "feature-hash/1", DIMENSIONS, LARGEST_COUNT, CONCEPT_WEIGHT, TOKENIZER_VERSION, aliases)
    return f"{name}:{digest(definition)}"
