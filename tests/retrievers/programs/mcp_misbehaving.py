"""An MCP server by hand whose tool `search` answers every call with chunk k1, but for one thing.

`python mcp_misbehaving.py BEHAVIOUR`; `none` is no such thing. What is done to a call is done to the second only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
SECRET = "canary"  # what no output may hold
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}, "k": {"type": "integer"}}}
HITS = {"hits": [{"id": "k1"}]}


def write(*messages: Json) -> None:
    write_text("".join(json.dumps({"jsonrpc": "2.0"} | message) + "\n" for message in messages))


def write_text(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def read() -> Json:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: Json = json.loads(line)
    return message


def structured(body: object) -> Json:
    return {"content": [], "structuredContent": body}


def texts(*values: object) -> Json:
    return {"content": [{"type": "text", "text": json.dumps(value)} for value in values]}


def result(request: Json, value: object) -> Json:
    return {"id": request["id"], "result": value}


def told(method: str, number: object = None) -> Json:
    """A notification, or with a number a request."""
    message: Json = {"method": method, "params": {"data": SECRET}}
    return message if number is None else message | {"id": number}


def pinged(request: Json) -> None:
    """Asks three things of its own first, and answers only once they were answered as they must be."""
    write(told("ping", "p"), told("roots/list", 7), told("sampling/createMessage", 8))
    answers = [read() for _ in range(3)]
    right = (
        answers[0] == {"jsonrpc": "2.0", "id": "p", "result": {}}
        and [answer["error"]["code"] for answer in answers[1:]] == [-32601, -32601]
        and [answer["id"] for answer in answers[1:]] == [7, 8]
    )
    write(result(request, structured(HITS if right else {"hits": []})))


def swapped(request: Json) -> None:
    other = read()
    write(
        result(other, structured({"hits": [{"id": "d1"}]})),
        result(request, structured({"hits": [{"id": "z1"}]})),
    )


AT_SECOND: dict[str, Callable[[Json], None]] = {
    "none": lambda request: write(result(request, structured(HITS))),
    "pings": pinged,
    "swapped": swapped,
    "notifications": lambda request: write(
        told("notifications/message"), told("notifications/progress"), result(request, structured(HITS))
    ),
    "chatter": lambda _: write(*[told("notifications/message")] * 10_001),
    "wrapped": lambda request: write(result(request, structured({"result": [{"id": "k1"}]}))),
    "wrapped-text": lambda request: write(result(request, structured({"result": json.dumps(HITS)}))),
    "text": lambda request: write(result(request, texts(HITS))),
    "texts": lambda request: write(result(request, texts({"id": "k1"}, {"id": "k2"}))),
    "other-shape": lambda request: write(result(request, texts({"results": [{"chunk_id": "k1", "score": 0.5}]}))),
    "empty": lambda request: write(result(request, {"content": []})),
    "contract-error": lambda request: write(
        result(request, structured({"error": {"code": "index-offline", "retryable": False}}))
    ),
    "tool-error": lambda request: write(
        result(request, {"isError": True, "content": [{"type": "text", "text": SECRET}]})
    ),
    "rpc-error": lambda request: write({"id": request["id"], "error": {"code": -32602, "message": SECRET}}),
    "rpc-error-of-nothing": lambda _: write({"id": None, "error": {"code": -32700, "message": SECRET}}),
    "no-json-text": lambda request: write(result(request, {"content": [{"type": "text", "text": SECRET}]})),
    "surrogate": lambda request: write(result(request, {"content": [{"type": "text", "text": '"\ud800"'}]})),
    "image": lambda request: write(result(request, {"content": [{"type": "image", "data": SECRET}]})),
    "no-result": lambda request: write({"id": request["id"], "result": [SECRET]}),
    "no-jsonrpc": lambda request: write({"jsonrpc": "1.0"} | result(request, structured(HITS))),
    "array": lambda _: write_text("[]\n"),
    "banner": lambda _: write_text("::error::canary\n"),
    "id-of-another-type": lambda request: write(result({"id": str(request["id"])}, structured(HITS))),
    "wrong-id": lambda _: write(result({"id": 99}, structured(HITS))),
    "twice": lambda request: write(*[result(request, structured(HITS))] * 2),
    "request-with-a-list-as-id": lambda _: write(told("ping", [1])),
    "crash": lambda _: sys.exit(4),
    "too-many": lambda request: write(result(request, structured({"hits": [{"id": "k1"}] * 3}))),
    "nan": lambda request: write(result(request, structured({"hits": [{"id": "k1", "score": float("nan")}]}))),
}


def tools(behaviour: str) -> Json:
    """The first page of tools."""
    search = {"name": "search", "inputSchema": SCHEMA}
    listed: dict[str, list[object]] = {
        "no-tool": [],
        "two-tools": [search, {"name": "other", "inputSchema": SCHEMA}],
        "no-query": [{"name": "search", "inputSchema": {"properties": {"canary": {}}}}],
        "needs-more": [{"name": "search", "inputSchema": SCHEMA | {"required": ["query", "canary"]}}],
        "no-k": [{"name": "search", "inputSchema": {"properties": {"q": {"type": "string"}}}}],
        "no-list": [SECRET],
    }
    return {"tools": listed.get(behaviour, [search])}


def listed(behaviour: str, params: Json) -> Json:
    """`pages`: the tool is on the third; `endless-pages`: there is always one more."""
    page = int(params.get("cursor", "0"))
    if behaviour == "endless-pages" or (behaviour == "pages" and page < 2):
        return {"tools": [{"name": f"other-{page}"}], "nextCursor": str(page + 1)}
    return tools(behaviour)


def version(behaviour: str, asked: str) -> str:
    return {"old-version": "2024-11-05", "unknown-version": "1999-01-01"}.get(behaviour, asked)


def echoed(request: Json) -> None:
    """The arguments that it was given, as the ids of documents."""
    given = json.dumps(request["params"]["arguments"], sort_keys=True)
    write(result(request, structured({"hits": [{"id": "k1"}], "context": [{"id": "k1", "text": given}]})))


def call(behaviour: str, number: int, request: Json) -> None:
    if behaviour == "echo":
        echoed(request)
    elif behaviour == "no-k":
        write(result(request, structured({"hits": [{"id": "k1"}] * 3})))
    else:
        AT_SECOND[behaviour if number == 2 and behaviour in AT_SECOND else "none"](request)


def main(behaviour: str) -> None:
    calls = 0
    while True:
        request = read()
        match request["method"]:
            case "initialize":
                asked = version(behaviour, request["params"]["protocolVersion"])
                account = {"name": "by-hand", "version": "7"}
                write(result(request, {"protocolVersion": asked, "capabilities": {}, "serverInfo": account}))
            case "tools/list":
                write(result(request, listed(behaviour, request["params"])))
            case "tools/call":
                calls += 1
                call(behaviour, calls, request)
            case _:  # notifications
                pass


if __name__ == "__main__":
    main(sys.argv[1])
