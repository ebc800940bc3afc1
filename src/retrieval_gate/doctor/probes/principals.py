"""Nobody gets what the policy keeps from him, and everybody what it allows."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.ids import ChunkId, DocumentId, PrincipalId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.transport import HttpSettings
from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import WITH_IDS, Probe
from retrieval_gate.doctor.questions import Question, RoundId
from retrieval_gate.doctor.wording import NO_SCENARIOS, of
from retrieval_gate.scenarios.answers import everything
from retrieval_gate.scenarios.scenario import has_access

CAPABILITY = "principals"
_MATCH = "see how a principal's tenant and attributes are matched with the documents' access"
# How a request comes to hold the principal; in all other schemes it always does.
_SENT = {
    "python": "give the function a parameter `principal`",
    "http": "write {principal.tenant} where http.body has to name it",
    "https": "write {principal.tenant} where http.body has to name it",
    "mcp": "write {principal.tenant} where mcp.arguments has to name it",
}


def _nothing_kept(case: Case) -> str | None:
    return None if has_access(case.fixture) else "the fixture keeps nothing from anyone"


def _look(case: Case) -> Finding:
    return _leaks(case) or _withheld(case) or _impostors(case) or _honoured(case)


def _asked(case: Case) -> Iterator[tuple[Question, QueryRecord]]:
    """The answers to whom something is forbidden."""
    for part in (RoundId.STRANGERS, RoundId.FIRST):
        for question, seen in case.observed(part):
            if seen.record.checked_forbidden:
                yield question, seen.record


def _leaks(case: Case) -> Finding | None:
    asked = list(_asked(case))
    leaking = [(question, record) for question, record in asked if record.leaks]
    if not leaking:
        return None
    question, record = leaking[0]
    shown = record.leaks[0]
    return Finding(
        health=Health.FIX,
        what=f"{of(len(leaking), len(asked), 'questions')} show what is kept from who asks; the first, asked by "
        f"{_who(question.query.principal)}: {shown.chunk} in {shown.where}",
        fix="apply the request's principal to the search itself, before candidates, context and stages"
        + ("; the retriever does not say that it knows principals" if case.lacks(CAPABILITY) else ""),
        queries=named([question for question, _ in leaking]),
    )


def _who(principal: PrincipalId | None) -> str:
    return "the public" if principal is None else principal


def _withheld(case: Case) -> Finding | None:
    """Where nothing that is restricted is found by those who may see it, although other things are found."""
    restricted = {document.id for document in case.fixture.documents if document.access is not None}
    own: list[tuple[Question, bool]] = []
    other = False
    for question, seen in case.observed(RoundId.FIRST):
        for unit in seen.record.judged:
            # A document is judged by its own id.
            document: str = case.owners.get(ChunkId(unit.unit), DocumentId(unit.unit))
            if document in restricted:
                own.append((question, unit.rank is not None))
            else:
                other = other or unit.rank is not None
    if not own or not other or any(found for _, found in own):
        return None
    return Finding(
        health=Health.FIX,
        what=f"{of(0, len(own), 'restricted judged units')} are found by who may see them",
        fix=_reach(case),
        queries=named([question for question, _ in own]),
    )


def _reach(case: Case) -> str:
    """What is not matched may never have been sent."""
    sent = None if _speaks_contract(case) else _SENT.get(case.spec.scheme)
    if sent is None or not case.lacks(CAPABILITY):
        return _MATCH
    return f"send the principal, which may not be sent yet: {sent}; then {_MATCH}"


def _speaks_contract(case: Case) -> bool:
    """Over HTTP, where the contract's own request always holds the principal."""
    settings = case.spec.transport.settings or HttpSettings()
    if case.spec.scheme not in ("http", "https") or not isinstance(settings, HttpSettings):
        return False
    return settings.preset == HttpSettings().preset


def _impostors(case: Case) -> Finding | None:
    answers = case.answers(RoundId.IMPOSTORS)
    served = [question for question, response in answers if everything(response)]
    if "directory" not in case.capabilities or not served:
        return None
    return Finding(
        health=Health.FIX,
        what=f"{of(len(served), len(answers), 'questions')} of who is not listed, or not so, are served; "
        "`directory` says that they are not",
        fix="serve nothing to who is not known with this very tenant and attributes, or take `directory` out",
        queries=named(served),
    )


def _honoured(case: Case) -> Finding:
    asked = list(_asked(case))
    what = f"{of(0, len(asked), 'questions')} show what is kept from who asks"
    if not asked:
        return Finding(health=Health.NOT_CHECKED, what="nothing is kept from anyone who was asked for")
    if case.recorded:
        return Finding(health=Health.NOT_CHECKED, what=f"{what}; {NO_SCENARIOS}")
    if case.lacks(CAPABILITY):
        return Finding(
            health=Health.NOTE,
            what=f"{what}, but it does not say that it knows principals: scenarios of permissions are not run",
            fix="name `principals` among the capabilities of `hello`",
        )
    return Finding(health=Health.OK, what=what + _own(case))


def _own(case: Case) -> str:
    impostors = len(case.answers(RoundId.IMPOSTORS))
    known = "directory" in case.capabilities and impostors
    return f"; {of(0, impostors, 'questions')} of who is not listed, or not so, are served" if known else ""


PRINCIPALS = Probe(
    id="principals",
    explanation="Asked by who may not see the answer, nothing of it comes in any part; who may can find it.",
    look=_look,
    needs=(*WITH_IDS, _nothing_kept),
)
