"""Documents that scenarios add: full of a question's own words, and kept from whoever must not see them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from retrieval_gate.base.fixture import Access, Chunk, Document, Fixture, IndexState, Principal
from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.scenarios.bench import PREFIX

# A tenant, and a value of an attribute, that no principal has.
NOBODY = "retrieval-gate-nobody"


def probe(
    name: str,
    texts: Sequence[str],
    access: Access | None,
    *,
    source: str | None = None,
    begins: datetime | None = None,
    state: IndexState = IndexState.READY,
) -> Document:
    """A document with one chunk per text."""
    return Document(
        id=DocumentId(f"{PREFIX}{name}"),
        title=name,
        chunks=tuple(
            Chunk(id=ChunkId(f"{PREFIX}{name}#{number}"), content=text, start=None)
            for number, text in enumerate(texts)
        ),
        language=None,
        source=source,
        owner=None,
        content_hash=None,
        effective_from=begins,
        effective_to=None,
        index_state=state,
        revoked_at=None,
        version_label=None,
        access=access,
    )


def closed_policies(fixture: Fixture, principal: Principal | None) -> tuple[Access, ...]:
    """Policies that keep a document from `principal`, each by another rule, and from everyone else too.

    A tenant of nobody's; and for a principal of a tenant, one whose name begins as its own does, one with which
    its own begins, and each attribute that it holds, with a value that nobody has.
    """
    foreign = Access(tenant=NOBODY, allow=())
    if principal is None or principal.tenant is None:
        return (foreign,)
    tenants = {one.tenant for one in fixture.principals}
    alike = (f"{principal.tenant}-2", principal.tenant[:-1])
    return (
        foreign,
        *(Access(tenant=tenant, allow=()) for tenant in alike if tenant and tenant not in tenants),
        *(Access(tenant=principal.tenant, allow=((name, (NOBODY,)),)) for name, _ in principal.attributes),
    )


def open_policy(principal: Principal | None) -> Access | None:
    """A policy that lets `principal` in, and no other tenant where it has one."""
    return None if principal is None or principal.tenant is None else Access(tenant=principal.tenant, allow=())
