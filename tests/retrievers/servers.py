"""Real servers on the loopback address, written on plain sockets so that they can misbehave in every way."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HELLO: dict[str, object] = {"name": "tiny", "version": "7", "fingerprint": "f", "capabilities": ["principals"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request; `body` None where there was none."""

    method: str
    target: str
    headers: dict[str, str]
    body: Any

    @property
    def is_query(self) -> bool:
        return self.body is not None and self.body.get("op", "query") == "query"


@dataclass(slots=True)
class Conversation:
    """What a behaviour can do with one request. Bytes that the client no longer wants raise OSError."""

    received: Received
    server: Server
    sock: socket.socket

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)
        with self.server.lock:
            self.server.sent += len(data)

    def reply(self, body: object, status: int = 200, *headers: str) -> None:
        """A whole answer; bytes are sent as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8")
        lines = (f"HTTP/1.1 {status} Status", f"Content-Length: {len(data)}", *headers)
        self.send("\r\n".join((*lines, "", "")).encode("ascii") + data)

    def answer(self, *hits: str, **more: object) -> None:
        """The contract's answer."""
        self.reply({"v": 1, "id": self.received.body["id"], "hits": [{"id": hit} for hit in hits], **more})

    def pause(self, seconds: float) -> bool:
        """Wait; false where the server ends meanwhile."""
        return not self.server.ended.wait(seconds)

    def close(self) -> None:
        raise ConnectionError


Behaviour = Callable[[Conversation], None]


@dataclass(slots=True)
class Server:
    """`port`, and what was seen; `most`: how many requests were under way at once."""

    port: int
    behave: Behaviour
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    sent: int = 0
    most: int = 0
    under_way: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/search"

    @property
    def queries(self) -> list[Received]:
        return [received for received in self.requests if received.is_query]

    def serve(self, sock: socket.socket) -> None:
        """All requests of one connection."""
        with suppress(OSError), sock, sock.makefile("rb") as stream:
            while (received := _read(stream)) is not None:
                with self.lock:
                    self.requests.append(received)
                    self.under_way += 1
                    self.most = max(self.most, self.under_way)
                try:
                    self.behave(Conversation(received, self, sock))
                finally:
                    with self.lock:
                        self.under_way -= 1


def _read(stream: Any) -> Received | None:
    """The next request, None at the end."""
    first = stream.readline().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers = {}
    while line := stream.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    length = int(headers.get("content-length", "0"))
    body = stream.read(length)
    if len(body) < length:  # the client gave up
        return None
    return Received(method=first[0], target=first[1], headers=headers, body=json.loads(body) if body else None)


@contextmanager
def serving(behave: Behaviour, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that does as it is told with each request, each connection in its own thread; gone at the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(port=listener.getsockname()[1], behave=behave)
    open_socks: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        while not server.ended.is_set():
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            server.connections += not server.ended.is_set()
            open_socks.append(sock)
            threads.append(threading.Thread(target=handle, args=(sock,)))
            threads[-1].start()

    def handle(sock: socket.socket) -> None:
        with suppress(OSError):
            server.serve(sock if tls is None else tls.wrap_socket(sock, server_side=True))

    threads.append(threading.Thread(target=accept))
    threads[0].start()
    try:
        yield server
    finally:
        server.ended.set()
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", server.port), timeout=5).close()  # wakes `accept`
        threads[0].join()
        listener.close()
        for sock in open_socks:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def greeting(then: Behaviour, hello: dict[str, object] | None = None) -> Behaviour:
    """Answers `hello`, and any change with ok; what follows is for queries."""

    def behave(talk: Conversation) -> None:
        op = talk.received.body["op"]
        if op == "query":
            then(talk)
        else:
            told = (HELLO if hello is None else hello) if op == "hello" else {"ok": True}
            talk.reply({"v": 1, "id": talk.received.body["id"], **told})

    return behave


def good(talk: Conversation) -> None:
    """Finds one chunk for every question."""
    talk.answer("k1")


def at(name: str, then: Behaviour) -> Behaviour:
    """Good, but for the query of this id."""
    return greeting(lambda talk: then(talk) if talk.received.body["id"] == name else good(talk))


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """An authority of our own, and a server's certificate for 127.0.0.1 by it."""

    authority: Path
    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def make_certificates(folder: Path, subject: str = "IP:127.0.0.1") -> Certificates:
    """Made with openssl; skips the calling test where it is not installed."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command")
    (folder / "leaf.cnf").write_text(
        f"subjectAltName={subject}\nbasicConstraints=CA:FALSE\nauthorityKeyIdentifier=keyid\n"
        "subjectKeyIdentifier=hash\n",
        encoding="ascii",
    )
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout")
    # Python 3.13 asks of an authority that it says what its key is for.
    usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
    _openssl(
        folder, "req", "-x509", *curve, "ca.key", "-out", "ca.pem", "-days", "3650", "-subj", "/CN=ca", *usage
    )
    _openssl(folder, "req", *curve, "leaf.key", "-out", "leaf.csr", "-subj", "/CN=server")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650", "-extfile", "leaf.cnf")
    _openssl(folder, "x509", "-req", "-in", "leaf.csr", *signing, "-out", "leaf.pem")
    return Certificates(authority=folder / "ca.pem", certificate=folder / "leaf.pem", key=folder / "leaf.key")


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S607 - on PATH
