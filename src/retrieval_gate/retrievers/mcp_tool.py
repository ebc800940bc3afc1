"""Which tool of an MCP server retrieves, what its arguments are in the contract, and what its answer says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.retrievers.contract import Message, read_json

Json = dict[str, Any]

# The members of the contract's request, and what tools call them; of the names that a tool has, the first counts.
_USUAL = (
    ("query", ("query", "q", "question", "search_query", "searchQuery", "query_text", "text", "search", "input")),
    (
        "k",
        (
            "k",
            "top_k",
            "topK",
            "limit",
            "n_results",
            "max_results",
            "maxResults",
            "num_results",
            "count",
            "size",
            "n",
        ),
    ),
    ("principal", ("principal", "user")),
    ("asOf", ("asOf", "as_of")),
    ("language", ("language", "lang")),
    ("trace", ("trace",)),
)
_AS_JSON = "return the hits as structured content, or as JSON in a text"
_NAME_IT = "name the tool in the configuration"
_GIVE_THEM = "give the tool's arguments in the configuration, with {query} and {k} where they belong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The tool's arguments by its own schema.

    `pairs`: the argument's name and the request's member that fills it. `needed` are given even where the
    request has null, `texts` take a principal by its id alone.
    """

    pairs: tuple[tuple[str, str], ...]
    needed: frozenset[str]
    texts: frozenset[str]

    def fill(self, message: Message) -> Json:
        """What the request has null for is left out where the tool does not need it."""
        return {
            name: self._value(name, message[member])
            for name, member in self.pairs
            if message[member] is not None or name in self.needed
        }

    @property
    def members(self) -> frozenset[str]:
        """The members of the request that reach the tool."""
        return frozenset(member for _, member in self.pairs)

    def _value(self, name: str, value: object) -> object:
        return value["id"] if name in self.texts and isinstance(value, dict) else value


def choose_tool(tools: Sequence[Json], name: str | None) -> Json:
    """The tool of that name, or the only one. Raises RetrieverError `mcp-no-tool`."""
    found = [tool for tool in tools if name is None or tool.get("name") == name]
    if len(found) == 1 and isinstance(found[0].get("name"), str):
        return found[0]
    if name is not None:
        raise RetrieverError(
            "mcp-no-tool", f"none of the server's {len(tools)} tools has the name that is configured", fix=_NAME_IT
        )
    raise RetrieverError("mcp-no-tool", f"the server has {len(tools)} tools, not one", fix=_NAME_IT)


def arguments_of(tool: Json) -> Arguments:
    """The arguments that the tool's schema names, by their usual names.

    Raises RetrieverError `mcp-arguments` where the query's is not among them, or a needed one is unknown.
    """
    known, needed = _schema_of(tool)
    pairs = tuple(
        (name, member)
        for member, usual in _USUAL
        if (name := next((name for name in usual if name in known), None)) is not None
    )
    if "query" not in [member for _, member in pairs]:
        raise RetrieverError(
            "mcp-arguments", "none of the tool's arguments has a usual name for the query", fix=_GIVE_THEM
        )
    missing = len(needed - {name for name, _ in pairs})
    if missing:
        raise RetrieverError(
            "mcp-arguments", f"the tool needs {missing} more arguments whose meaning is not known", fix=_GIVE_THEM
        )
    texts = frozenset(name for name, part in known.items() if _takes_text(part))
    return Arguments(pairs=pairs, needed=needed, texts=texts)


def _schema_of(tool: Json) -> tuple[Json, frozenset[str]]:
    """The tool's arguments by name, and those that it needs; what is no schema has none."""
    properties = _member(tool.get("inputSchema"), "properties")
    required = _member(tool.get("inputSchema"), "required")
    known = properties if isinstance(properties, dict) else {}
    listed = required if isinstance(required, list) else []
    return known, frozenset(name for name in listed if isinstance(name, str))


def _takes_text(part: object) -> bool:
    """Whether an argument is a text, or a text or null, which SDKs write as two schemas of which any may hold."""
    choices = _member(part, "anyOf")
    kinds = {_kind(choice) for choice in (choices if isinstance(choices, list) else [part])}
    return "string" in kinds and kinds <= {"string", "null"}


def _kind(part: object) -> str | None:
    kind = _member(part, "type")
    return kind if isinstance(kind, str) else None


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def tool_answer(result: Mapping[str, object]) -> object:
    """What a tool gave: its structured content, else the JSON of its texts, one value or several.

    No content at all is an empty list, as which some servers send one. Raises RetrieverError `mcp-tool-error`,
    `mcp-content`, `not-json`.
    """
    if result.get("isError") is True:
        raise RetrieverError("mcp-tool-error", "the tool reported an error", fix="look into the server's own log")
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        return _unwrapped(structured)
    content = result.get("content")
    if content == []:
        return []
    texts = [part["text"] for part in content if _is_text(part)] if isinstance(content, list) else []
    if not texts:
        raise RetrieverError(
            "mcp-content",
            "the tool's answer has neither structured content nor a text",
            fix=_AS_JSON,
        )
    values = [_parsed(text) for text in texts]
    return values[0] if len(values) == 1 else values


def _unwrapped(structured: Json) -> object:
    """What SDKs wrap since structured content must be an object: a list, or a text that is JSON."""
    if tuple(structured) != ("result",):
        return structured
    inner = structured["result"]
    return _parsed(inner) if isinstance(inner, str) else inner


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _parsed(text: str) -> object:
    # A lone surrogate, which JSON can escape, then is refused as what it is: no UTF-8.
    return read_json(text.encode("utf-8", "surrogatepass"), fix=_AS_JSON)
