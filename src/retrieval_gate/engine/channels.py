"""The channels that candidates come from, and a pipeline that combines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval_gate.base.config import Channel
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.names import nearest
from retrieval_gate.engine.models import USE_MULTILINGUAL
from retrieval_gate.engine.providers import REGRESSION_ALIAS, TOKEN_HASH


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRow:
    """`provider` None: BM25; else cosine over that provider's vectors.

    `stream` names the provider whose features the channel reads: token-hash's are the text's plain terms.
    """

    name: str
    provider: str | None
    stream: str
    explanation: str


CHANNELS = (
    ChannelRow(
        name="lexical",
        provider=None,
        stream=TOKEN_HASH,
        explanation="BM25 over words, word prefixes and character n-grams; statistics of the visible chunks only.",
    ),
    ChannelRow(
        name="token-hash-vector",
        provider=TOKEN_HASH,
        stream=TOKEN_HASH,
        explanation="Exact cosine over hashed terms: topic-agnostic, a transparent lexical overlap.",
    ),
    ChannelRow(
        name="regression-alias-vector",
        provider=REGRESSION_ALIAS,
        stream=REGRESSION_ALIAS,
        explanation="Exact cosine over hashed terms and the alias table's concepts: fixture-aware regression "
        "plumbing, not a claim about any embedding model.",
    ),
    ChannelRow(
        name="multilingual-vector",
        provider=USE_MULTILINGUAL,
        stream=TOKEN_HASH,
        explanation="Exact cosine over the rounded vectors of a real multilingual model, which the extra "
        "`embeddings` brings; its evidence is still that of the plain terms.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One retrieval path through the engine: its channels, fused where there are several, then reranked or not."""

    channels: tuple[Channel, ...]
    rerank: bool


def channel_row(name: str) -> ChannelRow:
    """The row of a channel. Raises ConfigError for a name that is not in the table."""
    for row in CHANNELS:
        if row.name == name:
            return row
    known = [row.name for row in CHANNELS]
    raise ConfigError(
        "unknown-channel",
        "a pipeline names a channel that the engine does not have",
        fix=f"use {nearest(name, known) or ', '.join(known)}",
    )


def checked(pipeline: Pipeline, available: Sequence[str]) -> tuple[ChannelRow, ...]:
    """The rows of a pipeline's channels. Raises ConfigError where one can not run; `available` are providers."""
    rows = tuple(channel_row(channel.name) for channel in pipeline.channels)
    if not rows or len({row.name for row in rows}) < len(rows):
        raise ConfigError(
            "bad-channels", "a pipeline has no channel, or one twice", fix="name each channel once, at least one"
        )
    for row in rows:
        if row.provider is not None and row.provider not in available:
            raise ConfigError(
                "no-alias-table",
                f"the channel {row.name} needs an alias table",
                fix="give one, or drop the channel",
            )
    return rows
