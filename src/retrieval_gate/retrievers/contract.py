"""Retriever v1 as messages: what is asked, and what an answer must be, whatever carries it.

    -> {"v":1,"id","op":"query","query","k","principal","asOf","language","trace"}
    <- {"v":1,"id","hits":[{"id","score"?,"documentId"?}],"context"?,"state"?,"citations"?,"stages"?,
        "lowerIsBetter"?}
    <- {"v":1,"id","error":{"code","retryable"}}

Errors tell field names, types and numbers; never a value that a retriever gave.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import State
from retrieval_gate.base.retrieval import Hello, Request
from retrieval_gate.base.strict import as_list, as_text
from retrieval_gate.retrievers.documents import principal_message, time_text

VERSION = 1
Message = dict[str, Any]
# What a retriever can say that it can do.
CAPABILITIES = frozenset(
    {"principals", "directory", "asOf", "stages", "context", "seed", "update", "delete", "revoke"}
)
# Codes that may be shown as a retriever gave them.
_CODE = re.compile(r"[a-z][a-z0-9-]{0,39}")
_ONE_VALUE = "write one JSON value per answer; a message meant for people goes to stderr"
_READ_THE_CONTRACT = "see docs/retriever.md for the answer's shape"

# pydantic holds a text to Unicode only where it is constrained: half of a surrogate pair can be written nowhere.
Text = Annotated[str, Field(min_length=0)]
Name = Annotated[str, Field(min_length=1)]
# Beyond any text's length, and exact in every JSON reader.
Offset = Annotated[int, Field(ge=0, le=10**9)]
# The most characters of what a retriever says of itself.
_NAME_LENGTH, _FINGERPRINT_LENGTH = 200, 10_000


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class HitPart(_Part):
    id: Name
    score: float | None = Field(default=None, allow_inf_nan=False)
    documentId: Text | None = None  # noqa: N815 - the contract's name


class PassagePart(_Part):
    id: Name
    start: Offset | None = None
    end: Offset | None = None
    text: Text | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end is not None and self.end < (self.start or 0):
            raise PydanticCustomError("passage_order", "the end is before the start")
        return self


class StageHitPart(_Part):
    id: Name
    score: float | None = Field(default=None, allow_inf_nan=False)


class StagePart(_Part):
    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,31}(?::[a-z0-9][a-z0-9-]{0,63})?$")
    hits: list[StageHitPart]


class AnswerPart(_Part):
    """An answer without `v` and `id`, which the transport has seen to."""

    hits: list[HitPart]
    context: list[PassagePart] | None = None
    state: State | None = Field(default=None, strict=False)
    citations: list[Text] | None = None
    stages: list[StagePart] = []
    # The scores are distances.
    lowerIsBetter: bool = False  # noqa: N815 - the contract's name


def query_message(request: Request) -> Message:
    """The contract's request."""
    return {
        "v": VERSION,
        "id": request.id,
        "op": "query",
        "query": request.query,
        "k": request.k,
        "principal": None if request.principal is None else principal_message(request.principal),
        "asOf": None if request.as_of is None else time_text(request.as_of),
        "language": request.language,
        "trace": request.trace,
    }


def operation(op: str, number: int, body: Mapping[str, object]) -> Message:
    """Any other request; `number` makes its id unique."""
    return {"v": VERSION, "id": f"{op}-{number}", "op": op, **body}


def revocation(document: str, at: datetime) -> Message:
    return {"documentId": document, "at": time_text(at)}


def read_json(data: bytes, *, fix: str = _ONE_VALUE) -> object:
    """The JSON value of an answer; `fix` is what to do where it is none, which each transport knows best.

    Raises RetrieverError `invalid-utf8` or `not-json`; NaN and Infinity are no JSON.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RetrieverError(
            "invalid-utf8", f"an answer is not UTF-8, from byte {error.start} on", fix="write UTF-8"
        ) from None
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise RetrieverError(
            "not-json",
            f"an answer of {len(data)} bytes is not JSON",
            fix=fix,
        ) from None


def _refuse_constant(_name: str) -> object:
    raise ValueError("NaN and Infinity are no JSON")


def answered(
    value: object, *, expected: str, pending: Mapping[str, object], done: Mapping[str, object]
) -> Message:
    """The members of an answer that is the contract's and to the request `expected`, without `v` and `id`.

    `pending` has the ids asked and not yet answered, `done` those answered. Raises RetrieverError for an answer
    to another request, of another version, or that reports an error.
    """
    if not isinstance(value, dict):
        raise _bad_answer(f"an answer is a JSON {json_kind(value)}, not an object")
    found = value.get("id")
    if found != expected:
        raise _wrong_id(found, pending, done)
    if value.get("v") != VERSION or isinstance(value.get("v"), bool):
        raise RetrieverError("wrong-version", "an answer's v is not 1", fix='answer with "v": 1')
    body = {name: part for name, part in value.items() if name not in ("v", "id")}
    error = body.pop("error", None)
    if error is not None:
        raise error_answer(error)
    return body


def _wrong_id(found: object, pending: Mapping[str, object], done: Mapping[str, object]) -> RetrieverError:
    if isinstance(found, str) and found in done:
        return RetrieverError(
            "answered-twice", "a request was answered a second time", fix="answer each request once"
        )
    if isinstance(found, str) and found in pending:
        return RetrieverError(
            "out-of-order", "a later request was answered first", fix="answer in the order of the requests"
        )
    return RetrieverError("wrong-id", "an answer came to no request that was asked", fix="echo the request's id")


def error_answer(error: object) -> RetrieverError:
    """What a retriever says went wrong; its code is shown where it is one, never its text."""
    code = error.get("code") if isinstance(error, dict) else None
    shown = code if isinstance(code, str) and _CODE.fullmatch(code) else "without a code"
    return RetrieverError(
        "retriever-error", f"the retriever reported an error: {shown}", fix="look into the retriever's own log"
    )


def read_answer(body: Mapping[str, object]) -> AnswerPart:
    """The members of an answer, held to the contract; an optional one that is null is absent.

    Raises RetrieverError `bad-answer`, which says where.
    """
    given = {name: part for name, part in body.items() if part is not None or name not in _OPTIONAL}
    try:
        return AnswerPart.model_validate(given)
    except ValidationError as refused:
        first = refused.errors(include_url=False, include_input=False, include_context=False)[0]
        more = refused.error_count() - 1
        raise _bad_answer(
            f"{_path(first['loc'])} {_SAID.get(first['type'], 'has a value that can not be used')}"
            + (f", and {more} more" if more else "")
        ) from None
    except Exception:  # noqa: BLE001 - a Python retriever's own value, which raises as it is read
        raise _bad_answer("an answer has a value that can not be read") from None


_OPTIONAL = frozenset(name for name, field in AnswerPart.model_fields.items() if not field.is_required())


# pydantic's error types in words; all others are covered by one sentence.
_SAID = {
    "missing": "is missing",
    "extra_forbidden": "is not a member of the contract",
    "string_type": "is not a text",
    "string_unicode": "is not valid Unicode text",
    "string_too_short": "is empty",
    "string_pattern_mismatch": "is not a stage name",
    "float_type": "is not a number",
    "finite_number": "is not a finite number",
    "int_type": "is not a whole number",
    "bool_type": "is neither true nor false",
    "greater_than_equal": "is negative",
    "less_than_equal": "is too large",
    "passage_order": "ends before it starts",
    "list_type": "is not a list",
    "model_type": "is not an object",
    "model_attributes_type": "is not an object",
    "enum": "is neither ANSWERED nor ABSTAINED",
}
# Names that may be shown: the contract's own members. Everything else may be private.
_MEMBERS = frozenset(name for part in (AnswerPart, HitPart, PassagePart, StagePart) for name in part.model_fields)


def _path(loc: tuple[int | str, ...]) -> str:
    """Where in an answer, e.g. `hits[2].score`."""
    parts = [
        f"[{part}]" if isinstance(part, int) else f".{part if part in _MEMBERS else '(another member)'}"
        for part in loc
    ]
    return "".join(parts).removeprefix(".") or "the answer"


def _bad_answer(what: str) -> RetrieverError:
    return RetrieverError("bad-answer", what, fix=_READ_THE_CONTRACT)


def json_kind(value: object) -> str:
    """The JSON type of a parsed value."""
    for kind, name in (
        (type(None), "null"),
        (bool, "boolean"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    ):
        if isinstance(value, kind):
            return name
    return "number"


def read_hello(body: Mapping[str, object]) -> Hello:
    """What a retriever says of itself; unknown capabilities are of a later version, and left out.

    Raises RetrieverError `bad-hello`.
    """
    try:
        return Hello(
            name=_said(body, "name", _NAME_LENGTH),
            version=_said(body, "version", _NAME_LENGTH),
            fingerprint=_said(body, "fingerprint", _FINGERPRINT_LENGTH),
            capabilities=frozenset(map(as_text, as_list(body.get("capabilities", [])))) & CAPABILITIES,
        )
    except (TypeError, ValueError):
        raise RetrieverError(
            "bad-hello",
            "the answer to hello has a member of another type, or a text that is too long or not Unicode",
            fix=f"give name and version as texts of at most {_NAME_LENGTH} characters, fingerprint as one of at "
            f"most {_FINGERPRINT_LENGTH}, and capabilities as a list of texts",
        ) from None


def _said(body: Mapping[str, object], name: str, most: int) -> str:
    """Empty where it is not given. Raises TypeError and ValueError."""
    text = as_text(body.get(name, ""))
    text.encode("utf-8")
    if len(text) > most:
        raise ValueError("a text is too long")
    return text
