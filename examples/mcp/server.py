"""A help desk's search as a tool of an MCP server, over stdio. With --ascii it is broken on purpose.

The texts come from the fixture; your own search stands in this place.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

FIXTURE = json.loads(Path(__file__).parents[1].joinpath("help-desk.json").read_text(encoding="utf-8"))
TENANTS = {principal["id"]: principal["tenant"] for principal in FIXTURE["principals"]}
# Words; of Chinese, which is written without spaces, its characters. Broken: Chinese questions have no words.
WORDS = re.compile(r"[a-z0-9]+" if "--ascii" in sys.argv else r"[\u4e00-\u9fff]|[a-z0-9]+")

server = MCPServer("help-desk", version="1")


class Found(BaseModel):
    id: str
    score: float
    text: str


@server.tool()
def search(query: str, limit: int = 10, principal: str | None = None) -> list[Found]:
    """What the help desk's texts say to a question, as far as the asking principal may read them."""
    asked = words(query)
    found = [
        Found(id=chunk["id"], score=len(asked & words(chunk["content"])) / len(asked), text=chunk["content"])
        for document in FIXTURE["documents"]
        if asked and may_read(document, principal)
        for chunk in document["chunks"]
    ]
    ranking = sorted(found, key=lambda hit: (-hit.score, hit.id))
    return [hit for hit in ranking if hit.score >= 0.5][:limit]


def may_read(document: dict[str, Any], principal: str | None) -> bool:
    """What no policy keeps back is for everyone; the rest for the tenant that the principal is listed under."""
    return "access" not in document or document["access"]["tenant"] == TENANTS.get(principal or "")


def words(text: str) -> set[str]:
    return set(WORDS.findall(text.casefold()))


if __name__ == "__main__":
    server.run("stdio")
