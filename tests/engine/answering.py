"""Answers of a mixed corpus as one hash: run in other processes to show that their environment decides nothing."""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.base.fixture import Access, Document
from retrieval_gate.base.retrieval import Request
from tests.engine.factories import HYBRID_ALIAS, alias_table, answers, document, fingerprint, principal, request

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

DOCUMENTS: tuple[Document, ...] = (
    document("keys", "The master key opens every door.", "A lost key costs ten euros.", "Doors lock at night."),
    document("zh", "遗失钥匙须交费十元。", "夜间关门，使用门禁卡。"),
    document("hi", "खोई हुई चाबी का शुल्क दस यूरो है।"),
    document("twin-b", "A lost key costs ten euros."),
    document("twin-a", "A lost key costs ten euros."),
    document("twin-c", "a lost KEY costs ten euros"),
    document("staff", "The lost key fee is waived for staff.", access=Access(tenant="t1", allow=())),
    document("fee-old", "The key fee is five euros.", source="fee", begin=datetime(2025, 1, 1, tzinfo=UTC)),
    document("fee-new", "The key fee is ten euros.", source="fee", begin=NOON),
)
REQUESTS: tuple[Request, ...] = tuple(
    request(text, principal=who, as_of=NOON, trace=True)
    for text in (
        "What does a lost key cost?",
        "钥匙丢了要交多少钱",
        "चाबी का शुल्क",
        "door at night",
        "unknown words",
    )
    for who in (None, principal("t1"))
)
ALIASES = alias_table(key=("key", "keys", "钥匙", "चाबी"), fee=("fee", "cost", "costs", "交费", "多少钱", "शुल्क"))


def answered(folder: Path, documents: tuple[Document, ...] = DOCUMENTS) -> str:
    """One hash over all responses of all kinds of pipeline."""
    settings = EngineSettings(neighbours=1, context_characters=120)
    return fingerprint(
        [
            response
            for channels in (("lexical",), ("token-hash-vector",), ("regression-alias-vector",), HYBRID_ALIAS)
            for rerank in (False, True)
            for response in answers(
                folder, documents, REQUESTS, channels=channels, rerank=rerank, settings=settings, aliases=ALIASES
            )
        ]
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(answered(Path(place)))
