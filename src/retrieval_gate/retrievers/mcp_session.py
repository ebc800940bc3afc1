"""A session with an MCP server over stdio: JSON-RPC 2.0, one message a line.

Our own, and as small as one tool's calls need: the official SDK's client brings 24 packages and over a second of
import, and a call through it took 0.73 ms where one here took 0.22. The tests talk to a server of that SDK.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from retrieval_gate import __version__
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.retrievers.contract import json_kind, read_json
from retrieval_gate.retrievers.process import Deadline, LineProcess

Json = dict[str, Any]

# The revisions that begin with `initialize`, the latest last; they do not differ in what is used here.
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_METHOD_NOT_FOUND = -32601
# Lines of a server that are no answer, between two that are; and pages of tools. More is a server gone wild.
_MAX_ASIDES = 10_000
_MAX_PAGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a request gave, and the nanoseconds from its sending to its answer."""

    value: Json
    elapsed_ns: int


class McpSession:
    """Requests that may overlap; answers are matched by their ids. All errors are RetrieverError."""

    def __init__(self, process: LineProcess) -> None:
        self._process = process
        self._number = 0
        self._sent: dict[int, int] = {}
        self._early: dict[int, Result | RetrieverError] = {}

    def deadline(self, seconds: float | None = None) -> Deadline:
        return self._process.deadline(seconds)

    def initialize(self, deadline: Deadline) -> Json:
        """Agree on a revision of the protocol; the server's own account of itself."""
        params = {
            "protocolVersion": VERSIONS[-1],
            "capabilities": {},
            "clientInfo": {"name": "retrieval-gate", "version": __version__},
        }
        result = self.result(self.request("initialize", params), deadline).value
        if result.get("protocolVersion") not in VERSIONS:
            raise RetrieverError(
                "mcp-version",
                "the server chose a revision of MCP that is not spoken here",
                fix=f"let it speak one of {', '.join(VERSIONS)}",
            )
        self._send({"method": "notifications/initialized"})
        return result

    def tools(self, deadline: Deadline) -> Iterator[Json]:
        """Every tool that the server lists, page after page."""
        params: Json = {}
        for _ in range(_MAX_PAGES):
            result = self.result(self.request("tools/list", params), deadline).value
            tools = result.get("tools")
            if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
                raise _broken("the list of tools is no list of objects")
            yield from tools
            cursor = result.get("nextCursor")
            if cursor is None:
                return
            params = {"cursor": cursor}
        raise _broken(f"the list of tools has more than {_MAX_PAGES} pages")

    def request(self, method: str, params: Json) -> int:
        """Send a request; its id, for `result`."""
        self._number += 1
        self._sent[self._number] = perf_counter_ns()
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def result(self, number: int, deadline: Deadline) -> Result:
        """The result of a request; those of others that come first are kept for when they are asked for."""
        asides = 0
        while number not in self._early:
            asides = 0 if self._read(deadline) else asides + 1
            if asides > _MAX_ASIDES:
                raise _broken(f"more than {_MAX_ASIDES} messages came instead of an answer")
        found = self._early.pop(number)
        if isinstance(found, RetrieverError):
            raise found
        return found

    def close(self) -> None:
        self._process.close()

    def _send(self, message: Json) -> None:
        # Escaped, as in `json_lines`: U+2028 would end a line for some readers.
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        self._process.send(text.encode("ascii") + b"\n")

    def _read(self, deadline: Deadline) -> bool:
        """Read one message; whether it was an answer."""
        message = read_json(self._process.receive(deadline))
        if not isinstance(message, dict):
            raise _broken(f"a message is a JSON {json_kind(message)}, not an object")
        if message.get("jsonrpc") != "2.0":
            raise _broken('a message has no "jsonrpc": "2.0"')
        if "method" in message:
            self._meet(message)
            return False
        self._keep(message)
        return True

    def _meet(self, message: Json) -> None:
        """A request of the server: only `ping` can be served. A notification asks for nothing."""
        if "id" not in message:
            return
        number = message["id"]
        if not isinstance(number, int | str):
            raise _broken("the id of a request is neither a number nor a text")
        if message["method"] == "ping":
            self._send({"id": number, "result": {}})
        else:
            self._send({"id": number, "error": {"code": _METHOD_NOT_FOUND, "message": "Method not found"}})

    def _keep(self, message: Json) -> None:
        number = message.get("id")
        if "error" in message and number is None:
            raise _error_of(message["error"])
        if type(number) is not int or not 0 < number <= self._number:
            raise RetrieverError(
                "wrong-id", "an answer came to no request that was asked", fix="echo the request's id"
            )
        if number not in self._sent:
            raise RetrieverError(
                "answered-twice", "a request was answered a second time", fix="answer each request once"
            )
        elapsed = perf_counter_ns() - self._sent.pop(number)
        self._early[number] = _outcome(message, elapsed)


def _outcome(message: Json, elapsed_ns: int) -> Result | RetrieverError:
    if "error" in message:
        return _error_of(message["error"])
    value = message.get("result")
    if not isinstance(value, dict):
        return _broken("an answer has neither an object as its result nor an error")
    return Result(value=value, elapsed_ns=elapsed_ns)


def _error_of(error: object) -> RetrieverError:
    """A JSON-RPC error by its number; its text may quote what was asked."""
    code = error.get("code") if isinstance(error, dict) else None
    shown = code if type(code) is int and abs(code) < 1_000_000 else "without a number"
    return RetrieverError(
        "mcp-error", f"the server answered with the JSON-RPC error {shown}", fix="look into the server's own log"
    )


def _broken(what: str) -> RetrieverError:
    return RetrieverError(
        "mcp-protocol", what, fix="write nothing to stdout but MCP's messages, as JSON-RPC 2.0 asks"
    )
