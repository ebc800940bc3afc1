"""Documents and principals as they are sent to a retriever: the names of fixture v1."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from retrieval_gate.base.fixture import Access, Attributes, Chunk, Document, Principal

Json = dict[str, Any]


def time_text(time: datetime) -> str:
    """RFC 3339 in UTC, with microseconds only where there are any."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def principal_message(principal: Principal) -> Json:
    return {
        "id": principal.id,
        "tenant": principal.tenant,
        "attributes": _attributes(principal.attributes),
    }


def document_message(document: Document) -> Json:
    """The whole version; what the fixture does not say is left out."""
    said = {
        "id": document.id,
        "title": document.title,
        "chunks": [_chunk(chunk) for chunk in document.chunks],
        "language": document.language,
        "source": document.source,
        "owner": document.owner,
        "contentHash": document.content_hash,
        "effectiveFrom": _time(document.effective_from),
        "effectiveTo": _time(document.effective_to),
        "indexState": document.index_state.value,
        "revokedAt": _time(document.revoked_at),
        "versionLabel": document.version_label,
        "access": _access(document.access),
    }
    return {name: value for name, value in said.items() if value is not None}


def _chunk(chunk: Chunk) -> Json:
    said = {"id": chunk.id, "content": chunk.content}
    return said if chunk.start is None else said | {"start": chunk.start}


def _access(access: Access | None) -> Json | None:
    if access is None:
        return None
    allow = {"allow": _attributes(access.allow)}
    return allow if access.tenant is None else {"tenant": access.tenant} | allow


def _attributes(attributes: Attributes) -> dict[str, list[str]]:
    return {name: list(values) for name, values in attributes}


def _time(time: datetime | None) -> str | None:
    return None if time is None else time_text(time)
