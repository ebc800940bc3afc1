"""A server of the official SDK with one of these tools: `python mcp_official.py TOOL [text]`.

`text`: its answers have no structured content. Every tool finds nothing for "nothing", and fails for "canary".
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer  # type: ignore[import-not-found, unused-ignore] # not everywhere

Hits = list[dict[str, Any]]

server = MCPServer("official", version="3")


def found(query: str, k: int) -> Hits:
    if query == "canary":
        raise ValueError(query)
    return [] if query == "nothing" else [{"id": "k1", "score": 0.75}, {"id": "k2", "score": 0.25}][:k]


def contract(query: str, k: int, principal: dict[str, Any] | None = None) -> dict[str, Any]:
    """The contract's answer."""
    return {"hits": found(query, k), "state": "ANSWERED"}


def hits(query: str, top_k: int) -> Hits:
    """A list of hits."""
    return found(query, top_k)


def text(question: str) -> str:
    """JSON in a text, of more hits than may be asked for."""
    return json.dumps({"results": [{"chunk_id": hit["id"]} for hit in found(question, 2) * 2]})


if __name__ == "__main__":
    server.add_tool(globals()[sys.argv[1]], structured_output=None if len(sys.argv) == 2 else False)
    server.run("stdio")
