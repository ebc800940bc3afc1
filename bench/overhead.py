"""Times what each kind of retriever costs per query: `python bench/overhead.py [ROW ...]`.

Prints the median and the 95th percentile of 1,000 queries, one at a time, from a request to its checked response
of ten hits. The retriever at the other end answers at once, always the same; what it takes to read a question and
write the answer is in the figure. Nothing is judged: the figures are for a person, on a quiet machine.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns

from retrieval_gate.base.config import AblationSpec, EngineSettings
from retrieval_gate.base.fixture import Chunk, Document, IndexState
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, QueryId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.base.transport import DEFAULT_TRANSPORT, Transport
from retrieval_gate.retrievers.port import Opening
from retrieval_gate.retrievers.table import open_retrievers

QUERIES, WARM_UP = 1_000, 100
_CHUNKS = tuple(Chunk(id=ChunkId(f"guide#{n}"), content=f"Chunk {n}.", start=None) for n in range(10))
DOCUMENT = Document(
    id=DocumentId("guide"),
    title="",
    chunks=_CHUNKS,
    language=None,
    source=None,
    owner=None,
    content_hash=None,
    effective_from=None,
    effective_to=None,
    index_state=IndexState.READY,
    revoked_at=None,
    version_label=None,
    access=None,
)
# Programs of the other end.
_HITS = 'hits = [{"id": f"guide#{n}", "score": 1 - n / 16} for n in range(10)]'
_PYTHON = f"""
{_HITS}
def search(query, k): return {{"hits": hits}}
"""
_PYTHON_DOCUMENTS = """
class Document:
    def __init__(self, n):
        self.page_content, self.metadata, self.id = f"Chunk {n}.", {"doc_id": "guide"}, f"guide#{n}"
documents = [(Document(n), 1 - n / 16) for n in range(10)]
def search(query, k): return documents
"""
_JSON_LINES = f"""
import json, sys
{_HITS}
for line in sys.stdin.buffer:
    request = json.loads(line)
    said = {{"hits": hits}} if request["op"] == "query" else {{"name": "bench"}}
    answer = {{"v": 1, "id": request["id"], **said}}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
_MCP = f"""
import json, sys
{_HITS}
account = {{"name": "bench", "version": "1"}}
tool = {{"name": "search", "inputSchema": {{"type": "object", "properties": {{"query": {{}}, "k": {{}}}}}}}}
results = {{
    "initialize": {{"protocolVersion": "2025-11-25", "capabilities": {{}}, "serverInfo": account}},
    "tools/list": {{"tools": [tool]}},
    "tools/call": {{"content": [], "structuredContent": {{"hits": hits}}}},
}}
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" in request:
        answer = {{"jsonrpc": "2.0", "id": request["id"], "result": results[request["method"]]}}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
        sys.stdout.buffer.flush()
"""
_OFFICIAL = f"""
from mcp.server.mcpserver import MCPServer
{_HITS}
server = MCPServer("bench")
def search(query: str, k: int) -> dict:
    return {{"hits": hits}}
server.add_tool(search)
server.run("stdio")
"""
_HTTP = f"""
import asyncio, json
{_HITS}
class Answering(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.data = transport, b""
    def data_received(self, data):
        self.data += data
        head, ended, body = self.data.partition(b"\\r\\n\\r\\n")
        length = [int(line[15:]) for line in head.lower().split(b"\\r\\n") if line.startswith(b"content-length:")]
        if not ended or len(body) < length[0]:
            return
        self.data, request = b"", json.loads(body)
        said = {{"hits": hits}} if request["op"] == "query" else {{"name": "bench"}}
        answer = json.dumps({{"v": 1, "id": request["id"], **said}}).encode()
        self.transport.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(answer) + answer)
async def main():
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of retriever. `milliseconds` is what a query may cost on a normal machine; None: no bound."""

    id: str
    milliseconds: float | None
    measure: Callable[[], list[int]]


def times_of(retriever: str, transport: Transport = DEFAULT_TRANSPORT) -> list[int]:
    """The nanoseconds of each query through the retriever, which is opened as a configuration's would be."""
    spec = AblationSpec(id=AblationId("bench"), retriever=retriever, transport=transport)
    with tempfile.TemporaryDirectory() as folder:
        opening = Opening(folder=Path(folder), documents=(DOCUMENT,), engine=EngineSettings(), aliases=None)
        opened = open_retrievers([spec], opening)[spec.id]
        try:
            answers = iter(opened.answer([_request(number) for number in range(QUERIES + WARM_UP)]))
            return [_time(lambda: next(answers)) for _ in range(QUERIES + WARM_UP)][WARM_UP:]
        finally:
            opened.close()


def _request(number: int) -> Request:
    query = f"How long does the vault stay locked after {number} wrong passphrases?"
    return Request(
        id=QueryId(f"q-{number}"), query=query, k=10, principal=None, as_of=None, language="en", trace=False
    )


def _time(step: Callable[[], object]) -> int:
    started = perf_counter_ns()
    step()
    return perf_counter_ns() - started


def _python(scheme: str, program: str) -> str:
    return f"{scheme}:{shlex.join((sys.executable, '-c', program))}"


def json_lines() -> list[int]:
    return times_of(_python("exec", _JSON_LINES))


def mcp() -> list[int]:
    return times_of(_python("mcp", _MCP))


def mcp_official() -> list[int]:
    """The official SDK's server, whose own time is nearly all of it; nothing where it is not installed."""
    return [] if importlib.util.find_spec("mcp") is None else times_of(_python("mcp", _OFFICIAL))


@contextmanager
def _http_server() -> Iterator[int]:
    """Its port."""
    with subprocess.Popen([sys.executable, "-c", _HTTP], stdout=subprocess.PIPE) as process:
        if process.stdout is None:
            raise OSError("the server has no output")
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def http() -> list[int]:
    with _http_server() as port:
        return times_of(f"http://127.0.0.1:{port}/")


def http_bare() -> list[int]:
    """The same server asked over a bare socket, which reads nothing of it: its own time, to be taken off."""
    body = json.dumps({"v": 1, "id": "q-1", "op": "query", "query": "How long?", "k": 10}).encode()
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    with _http_server() as port, socket.create_connection(("127.0.0.1", port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def exchange() -> None:
            sock.sendall(request)
            answer = b""
            while not answer.endswith(b"]}"):
                answer += sock.recv(65_536)

        return [_time(exchange) for _ in range(QUERIES + WARM_UP)][WARM_UP:]


def python() -> list[int]:
    return _in_process(_PYTHON)


def python_documents() -> list[int]:
    """Objects with members, as retrieval libraries answer, in place of the contract's dicts."""
    return _in_process(_PYTHON_DOCUMENTS)


def _in_process(program: str) -> list[int]:
    module = types.ModuleType("bench_retriever")
    exec(program, module.__dict__)  # noqa: S102 - a program of this file
    sys.modules[module.__name__] = module
    return times_of("python:bench_retriever:search")


ROWS = (
    Row(id="python", milliseconds=0.2, measure=python),
    Row(id="python-documents", milliseconds=0.2, measure=python_documents),
    Row(id="json-lines", milliseconds=0.3, measure=json_lines),
    Row(id="http", milliseconds=0.8, measure=http),
    Row(id="http-bare-socket", milliseconds=None, measure=http_bare),
    Row(id="mcp", milliseconds=1.0, measure=mcp),
    Row(id="mcp-official-server", milliseconds=None, measure=mcp_official),
)


def main() -> None:
    print(f"Python {sys.version.split()[0]}, n {QUERIES}; milliseconds per query")
    for row in ROWS:
        if sys.argv[1:] and row.id not in sys.argv[1:]:
            continue
        times = row.measure()
        if not times:
            print(f"{row.id:24} not installed")
            continue
        median, worst = statistics.median(times) / 1e6, statistics.quantiles(times, n=20)[-1] / 1e6
        asked = "" if row.milliseconds is None else f"  asked {row.milliseconds:.1f}"
        print(f"{row.id:24} median {median:7.3f}  p95 {worst:7.3f}{asked}")


if __name__ == "__main__":
    main()
