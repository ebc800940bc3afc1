"""The policy: which documents a principal may see at an instant (design §2, "Access" and "Time").

Access is decided first and alone: versions compete only with versions that the same principal may see, so that
a document that he may not see can not change what he gets. The embedded engine enforces this rule, the fixture's
labels are held against it, and scoring derives from it what a retriever must not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from retrieval_gate.base.fixture import Access, Document, IndexState, Principal
from retrieval_gate.base.ids import DocumentId

_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """`documents` are served; each of `conflicts` is a group of current versions of one source, none served.

    Both are sorted by id, whatever the order the documents came in.
    """

    documents: tuple[DocumentId, ...]
    conflicts: tuple[tuple[DocumentId, ...], ...]


def visible(documents: Iterable[Document], principal: Principal | None, as_of: datetime | None) -> Visibility:
    """What `principal` (None: the public) may see at `as_of`.

    `as_of` None means that nothing is known of the time: a document with any date is then not served.
    """
    active = [
        document for document in documents if permitted(document.access, principal) and in_force(document, as_of)
    ]
    served: list[DocumentId] = []
    conflicts: list[tuple[DocumentId, ...]] = []
    for versions in _by_source(active):
        current = _latest(versions)
        if len(current) == 1:
            served.append(current[0])
        else:
            conflicts.append(current)
    return Visibility(documents=tuple(sorted(served)), conflicts=tuple(sorted(conflicts)))


def permitted(access: Access | None, principal: Principal | None) -> bool:
    """Whether the policy lets `principal` in. Fails closed: a missing tenant or attribute is a refusal."""
    if access is None:
        return True
    if principal is None or (access.tenant is not None and access.tenant != principal.tenant):
        return False
    if not access.allow:
        return True
    held = dict(principal.attributes)
    return all(not set(values).isdisjoint(held.get(name, ())) for name, values in access.allow)


def in_force(document: Document, as_of: datetime | None) -> bool:
    """Ready, not revoked, and within `[effectiveFrom, effectiveTo)` at `as_of`."""
    if document.index_state is not IndexState.READY:
        return False
    begin, end, revoked = document.effective_from, document.effective_to, document.revoked_at
    if as_of is None:
        return begin is None and end is None and revoked is None
    begun = begin is None or begin <= as_of
    ended = any(instant is not None and instant <= as_of for instant in (end, revoked))
    return begun and not ended


def _by_source(documents: Sequence[Document]) -> list[list[Document]]:
    """Versions of one source together; a document without source stands alone."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        key = ("document", str(document.id)) if document.source is None else ("source", document.source)
        groups.setdefault(key, []).append(document)
    return list(groups.values())


def _latest(versions: Sequence[Document]) -> tuple[DocumentId, ...]:
    """The versions that share the latest start; one without a start began before all others."""
    newest = max(version.effective_from or _BEGINNING for version in versions)
    return tuple(sorted(version.id for version in versions if (version.effective_from or _BEGINNING) == newest))
