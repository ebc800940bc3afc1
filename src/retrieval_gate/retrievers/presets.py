"""The shapes of requests and answers that search engines have over HTTP, one row per preset.

Each row follows the engine's own reference, which it cites. A configuration's `http.body` and `fields` win over
what a row has; in a body the placeholders are those of `template`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.names import nearest
from retrieval_gate.base.transport import Fields

CONTRACT = "contract"
Members = Mapping[str, Any]


def _nowhere(_: Members) -> None:
    """The list of hits stands under a usual name."""


def _whole(_: Members) -> bool:
    return False


def _as_it_is(name: str) -> str:
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetRow:
    """One shape.

    body: the request as a JSON text; None: the contract's own message, or, where `needs` says what to write, one
    that only the user can know. hits: the list of hits in an answer; None: it is found under its usual names.
    is_partial: whether the engine says that it has not looked at everything. scores: where a hit's score may
    stand, the likeliest first; empty: under its usual names. id: the path of a hit's id; id_of: the chunk's in it.
    """

    names: tuple[str, ...]
    explanation: str
    method: str = "POST"
    body: str | None = None
    needs: str | None = None
    hits: Callable[[Members], object] = _nowhere
    is_partial: Callable[[Members], bool] = _whole
    scores: tuple[str, ...] = ()
    id: str | None = None
    id_of: Callable[[str], str] = _as_it_is


def preset_row(name: str) -> PresetRow:
    """Raises ConfigError for a name that no row has."""
    for row in PRESETS:
        if name in row.names:
            return row
    known = [known for row in PRESETS for known in row.names]
    hint = nearest(name, known)
    raise ConfigError(
        "unknown-preset",
        "http.preset names a shape that does not exist" + (f"; the nearest is {hint}" if hint else ""),
        fix=f"choose from {', '.join(known)}",
    )


def read_preset(row: PresetRow, raw: object, fields: Fields) -> dict[str, object]:
    """The contract's members of an engine's answer.

    Raises RetrieverError `incomplete-answer` where the engine itself says that hits may be missing, and
    `unknown-shape` as `shape` does.
    """
    # The shapes need pydantic, which the command line does without.
    from retrieval_gate.retrievers.fields import shape

    if not isinstance(raw, dict):
        return shape(raw, fields)
    if row.is_partial(raw):
        raise RetrieverError(
            "incomplete-answer",
            "the engine says that it has not searched everything, so that hits may be missing",
            fix="see that all of its nodes are up, and give it more time",
        )
    hits = row.hits(raw) if fields.hits is None else None
    if not isinstance(hits, list):
        return shape(raw, fields)
    read = shape(hits, _with_paths(row, hits, fields))
    if fields.id is None:
        for part in ("hits", "context"):
            if part in read:
                read[part] = [hit | {"id": row.id_of(hit["id"])} for hit in _listed(read[part])]
    return read


def _with_paths(row: PresetRow, hits: list[object], fields: Fields) -> Fields:
    """The user's paths, else the row's as far as any hit has something there: none may mean no scores at all."""
    score = next((path for path in row.scores if any(_at(hit, path) is not None for hit in hits)), None)
    return replace(fields, id=fields.id or row.id, score=fields.score or score)


def _at(value: object, path: str) -> object:
    """What stands at a dotted path, whose numbers are places in lists; None where it leads nowhere."""
    found: Any = value
    for name in path.split("."):
        if isinstance(found, list):
            found = found[int(name)] if name.isdecimal() and int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, dict) else None
    return found


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _first_list(*paths: str) -> Callable[[Members], object]:
    """The list at the first of the paths that leads to one."""

    def find(raw: Members) -> object:
        return next((found for path in paths if isinstance(found := _at(raw, path), list)), None)

    return find


def _shards_failed(raw: Members) -> bool:
    """By default `_search` answers 200 with what it has when time is up or shards fail."""
    failed = _at(raw, "_shards.failed")
    return raw.get("timed_out") is True or (isinstance(failed, int) and failed > 0)


def _cut_off(raw: Members) -> bool:
    """`search_cutoff` is true where `search_cutoff_ms` ended the search."""
    return raw.get("search_cutoff") is True or _at(raw, "results.0.search_cutoff") is True


def _vespa_hits(raw: Members) -> object:
    """The children but those of groupings; an answer without hits has no children."""
    if not isinstance(raw.get("root"), dict):
        return None
    children = _listed(_at(raw, "root.children"))
    return [hit for hit in children if not str(_at(hit, "id")).startswith("group:")]


def _not_covered(raw: Members) -> bool:
    """Errors, or a coverage that is not full for another reason than match-phase, which a schema asks for."""
    if _at(raw, "root.errors"):
        return True
    degraded = _at(raw, "root.coverage.degraded")
    reasons = {name for name, is_so in degraded.items() if is_so} if isinstance(degraded, dict) else set()
    return _at(raw, "root.coverage.full") is False and reasons != {"match-phase"}


# `id:<namespace>:<document type>:<key/value pairs>:<user specified>`; the last may hold colons.
_VESPA_ID = re.compile(r"id:[^:]*:[^:]*:[^:]*:(.+)", re.DOTALL)


def _vespa_id(name: str) -> str:
    """The user's part of a document id.

    Raises RetrieverError for the id `index:…`, which a hit has that was filled from memory only.
    """
    found = _VESPA_ID.fullmatch(name)
    if found is None and name.startswith("index:"):
        raise RetrieverError(
            "no-document-id",
            "hits came without their documents' ids, as they do from a summary of attributes only",
            fix="ask for a summary that holds documentid, or set fields.id, e.g. to fields.chunk_id",
        )
    return name if found is None else found[1]


PRESETS = (
    PresetRow(
        names=(CONTRACT,), explanation="Retriever v1, changes of documents included, as docs/retriever.md says"
    ),
    PresetRow(
        names=("json",),
        explanation="plain JSON: `query` and `k` there, back a list, or an object with one under a usual name",
        body='{"query":"{query}","k":"{k}"}',
    ),
    # https://docs.opensearch.org/latest/api-reference/search-apis/search/ and
    # https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-search: `hits.hits[]` with `_id`,
    # `_score` (null where a `sort` made the order) and `_source`; `timed_out` and `_shards.failed` tell of partial
    # results.
    # A `multi_match` without fields searches `index.query.default_field`, by default every text field.
    PresetRow(
        names=("opensearch", "elasticsearch"),
        explanation="`_search` of OpenSearch and Elasticsearch",
        body='{"size":"{k}","query":{"multi_match":{"query":"{query}"}}}',
        hits=_first_list("hits.hits"),
        is_partial=_shards_failed,
    ),
    # https://api.qdrant.tech/api-reference/search/query-points: `result.points[]` of ScoredPoint, with `id` (a
    # number or a UUID), `score` and `payload`; the older `/points/search` has `result[]` of the same. Texts as
    # queries: https://qdrant.tech/documentation/inference/inference-bm25/.
    PresetRow(
        names=("qdrant",),
        explanation="`/collections/NAME/points/query`, or `/points/search`, of Qdrant",
        needs='set http.body, e.g. { query = { text = "{query}", model = "qdrant/bm25" }, using = "NAME", '
        'limit = "{k}", with_payload = true }: only you know which model made the vectors',
        hits=_first_list("result.points", "result"),
    ),
    # https://docs.vespa.ai/en/reference/default-result-format.html: `root.children[]` with `id`, `relevance` and
    # `fields`; `root.errors` and `root.coverage` tell of what was not searched.
    PresetRow(
        names=("vespa",),
        explanation="`/search/` of Vespa",
        body='{"yql":"select * from sources * where userQuery()","query":"{query}","hits":"{k}"}',
        hits=_vespa_hits,
        is_partial=_not_covered,
        scores=("relevance",),
        id="id",
        id_of=_vespa_id,
    ),
    # https://typesense.org/docs/28.0/api/search.html: `hits[]` with `document` and `text_match`; a hybrid search
    # is ordered by `hybrid_search_info.rank_fusion_score`. `multi_search` has `results[]` of these.
    PresetRow(
        names=("typesense",),
        explanation="`/collections/NAME/documents/search?query_by=…` of Typesense, or `/multi_search` with a body",
        method="GET",
        body='{"q":"{query}","per_page":"{k}"}',
        hits=_first_list("hits", "results.0.hits"),
        is_partial=_cut_off,
        scores=("hybrid_search_info.rank_fusion_score", "text_match"),
    ),
    # https://www.meilisearch.com/docs/reference/api/search: `hits[]` are the documents, with `_rankingScore` where
    # `showRankingScore` asks for it.
    PresetRow(
        names=("meilisearch",),
        explanation="`/indexes/NAME/search` of Meilisearch",
        body='{"q":"{query}","limit":"{k}","showRankingScore":true}',
        hits=_first_list("hits"),
        scores=("_rankingScore",),
    ),
)
