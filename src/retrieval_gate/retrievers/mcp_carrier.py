"""Questions to a tool of an MCP server, and its answers in the contract's terms."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.transport import McpSettings, Transport
from retrieval_gate.retrievers.contract import Message, error_answer
from retrieval_gate.retrievers.fields import shape
from retrieval_gate.retrievers.foreign import Answer
from retrieval_gate.retrievers.mcp_session import McpSession, Result
from retrieval_gate.retrievers.mcp_tool import arguments_of, choose_tool, tool_answer
from retrieval_gate.retrievers.template import fill, placeholders

Json = dict[str, Any]


class McpCarrier:
    """The carrier of `mcp:`: calls of one tool, as many under way as `concurrency` says."""

    def __init__(self, session: McpSession, settings: McpSettings, transport: Transport) -> None:
        self._session = session
        self._settings = settings
        self._transport = transport
        self._name = ""
        self._fill: Callable[[Message], object] = dict
        self._members: frozenset[str] = frozenset()

    def hello(self) -> Hello:
        """The server's account of itself. What it can do is what its tool is told: a principal, a time."""
        deadline = self._session.deadline(self._settings.start_timeout)
        server = self._session.initialize(deadline)
        tool = choose_tool(list(self._session.tools(deadline)), self._settings.tool)
        self._prepare(tool)
        named = server.get("serverInfo")
        account: Json = named if isinstance(named, dict) else {}
        capabilities = {"principal": "principals", "asOf": "asOf"}
        return Hello(
            name=_text(account.get("name")),
            version=_text(account.get("version")),
            fingerprint=digest(json.dumps([account, server.get("protocolVersion"), tool], sort_keys=True)),
            capabilities=frozenset(capabilities[name] for name in capabilities if name in self._members),
        )

    def exchange(self, messages: Sequence[Message]) -> Iterator[Answer]:
        sent: list[int] = []
        for index, message in enumerate(messages):
            ahead = index + self._transport.concurrency
            sent.extend([self._call(following) for following in messages[len(sent) : ahead]])
            yield self._answer(self._session.result(sent[index], self._session.deadline()), message)

    def close(self) -> None:
        self._session.close()

    def _prepare(self, tool: Json) -> None:
        self._name = tool["name"]
        template = self._settings.arguments
        if template is None:
            arguments = arguments_of(tool)
            self._fill, self._members = arguments.fill, arguments.members
        else:
            self._fill = lambda message: fill(template, message)
            self._members = frozenset(name.partition(".")[0] for name in placeholders(template))

    def _call(self, message: Message) -> int:
        return self._session.request("tools/call", {"name": self._name, "arguments": self._fill(message)})

    def _answer(self, result: Result, message: Message) -> Answer:
        """A tool that is not told k can not keep to it: only its first k hits are taken."""
        raw = tool_answer(result.value)
        if isinstance(raw, dict) and raw.get("error") is not None and "hits" not in raw:
            raise error_answer(raw["error"])
        body = dict(shape(raw, self._transport.fields))
        hits = body.get("hits")
        if "k" not in self._members and isinstance(hits, list):
            body["hits"] = hits[: message["k"]]
        return Answer(body=body, elapsed_ns=result.elapsed_ns)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
