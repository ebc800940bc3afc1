"""Which documents a principal is served at an instant (design §2, "Access" and "Time").

This is what the gate judges, so it shares no code with what the gate judges it by (`base.access`); a test holds
the two against each other. Access is decided first and alone: versions compete only with versions that the same
principal may see, so that a document that he may not see can not change what he gets.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from retrieval_gate.base.fixture import Access, Document, IndexState, Principal
from retrieval_gate.base.ids import DocumentId

_BEGINNING = datetime.min.replace(tzinfo=UTC)


class Directory:
    """Who may ask. None: whoever starts the service has authenticated every principal himself.

    Fails closed: a principal that is not listed, or claims another tenant or attribute than is listed for it, is
    unknown, and is served nothing, not even what is public.
    """

    def __init__(self, principals: Iterable[Principal] | None) -> None:
        self._listed = None if principals is None else {principal.id: principal for principal in principals}

    def knows(self, principal: Principal | None) -> bool:
        """Whether it is as listed; None, the public, always is."""
        if principal is None or self._listed is None:
            return True
        return self._listed.get(principal.id) == principal


def served(
    documents: Iterable[Document], principal: Principal | None, as_of: datetime | None
) -> frozenset[DocumentId]:
    """What `principal` (None: the public) is served at `as_of` (None: nothing is known of the time).

    Of the versions of one source that are open to him and in force the one that began last; where two began last
    together, none.
    """
    latest: dict[tuple[bool, str], tuple[datetime, list[DocumentId]]] = {}
    for document in documents:
        if not (admits(document.access, principal) and runs(document, as_of)):
            continue
        # A document without a source stands alone.
        source = (False, str(document.id)) if document.source is None else (True, document.source)
        began = document.effective_from or _BEGINNING
        newest, tied = latest.get(source, (_BEGINNING, []))
        if began > newest:
            latest[source] = (began, [document.id])
        elif began == newest:
            latest[source] = (newest, [*tied, document.id])
    return frozenset(tied[0] for _, tied in latest.values() if len(tied) == 1)


def admits(access: Access | None, principal: Principal | None) -> bool:
    """Whether a policy lets `principal` in. Fails closed: a missing tenant or attribute is a refusal."""
    if access is None:
        return True
    if principal is None:
        return False
    if access.tenant is not None and access.tenant != principal.tenant:
        return False
    for name, allowed in access.allow:
        held = next((values for held_name, values in principal.attributes if held_name == name), ())
        if not any(value in allowed for value in held):
            return False
    return True


def runs(document: Document, as_of: datetime | None) -> bool:
    """Whether a version is ready, has begun and has neither ended nor been revoked at `as_of`."""
    if document.index_state is not IndexState.READY:
        return False
    begin, end, revoked = document.effective_from, document.effective_to, document.revoked_at
    if as_of is None:
        return begin is None and end is None and revoked is None
    if begin is not None and as_of < begin:
        return False
    return (end is None or as_of < end) and (revoked is None or as_of < revoked)
