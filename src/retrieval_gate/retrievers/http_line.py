"""One connection to the configured address: a request there, an answer back, before a deadline.

A deadline holds for all of an answer, not for each read: a server that sends one byte a second meets it too.
Only the configured address is ever contacted: no proxy, no redirect.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from http.client import HTTPException, RemoteDisconnected
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError
from urllib3.exceptions import TimeoutError as Urllib3TimeoutError
from urllib3.response import BaseHTTPResponse

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.retrievers.http_request import Asked

_BLOCK = 64 * 1024
_OK, _MULTIPLE_CHOICES, _BAD_REQUEST = 200, 300, 400
# Statuses that say that the request was not worked on, or that a later one may succeed.
_LATER = frozenset({429, 502, 503, 504})
# What a connection that had been kept may fail with when the server closed it meanwhile.
_LOST = (RemoteDisconnected, ConnectionResetError, ConnectionAbortedError, BrokenPipeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The one server that is contacted; `tls` None: without TLS."""

    host: str
    port: int
    tls: ssl.SSLContext | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The body of an answer with a good status, and the nanoseconds from sending to its end.

    `is_html`: the answer calls itself a page for people.
    """

    data: bytes
    is_html: bool
    elapsed_ns: int


class Repeat(Enum):
    """What may be asked once more: nothing, what changes nothing, or, as nothing was sent, anything."""

    NOTHING = 0
    QUERY = 1
    ANYTHING = 2


class SetbackError(Exception):
    """There is no answer. `wait`: the seconds that the server asked to be left alone; None: it did not say."""

    def __init__(self, error: RetrieverError, repeat: Repeat, wait: float | None = None) -> None:
        super().__init__(error.code)
        self.error = error
        self.repeat = repeat
        self.wait = wait


class _Timed(socket.socket):
    """A socket each of whose reads ends at one and the same deadline of `time.monotonic()`.

    What is sent is kept until `flush`: head and body in one packet wake a server once. On a busy machine the
    second waking costs more than all else.
    """

    deadline = math.inf
    unsent = b""

    def recv_into(self, *arguments: Any, **named: Any) -> int:
        self.settimeout(_left(self.deadline))
        return super().recv_into(*arguments, **named)

    def sendall(self, data: Any, _flags: int = 0) -> None:
        self.unsent += data

    def flush(self) -> None:
        data, self.unsent = self.unsent, b""
        self.settimeout(_left(self.deadline))
        super().sendall(data)


class _TimedTls(ssl.SSLSocket):
    """The same over TLS, where a long request is sent in several parts too."""

    deadline = math.inf
    unsent = b""

    def recv_into(self, *arguments: Any, **named: Any) -> int:
        self.settimeout(_left(self.deadline))
        return super().recv_into(*arguments, **named)

    def send(self, *arguments: Any, **named: Any) -> int:
        self.settimeout(_left(self.deadline))
        return super().send(*arguments, **named)

    def sendall(self, data: Any, _flags: int = 0) -> None:
        self.unsent += data

    def flush(self) -> None:
        data, self.unsent = self.unsent, b""
        super().sendall(data)


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """What is trusted: the certificates of a PEM file, or the system's. Raises OSError (SSLError is one)."""
    context = ssl.create_default_context(cafile=ca_file)
    context.sslsocket_class = _TimedTls
    return context


class Line:
    """One connection, made when it is first needed, kept as long as the server keeps it."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._connection: HTTPConnection | None = None
        # The connection's own is gone as soon as an answer's head says that it ends with the connection.
        self._sock: socket.socket | None = None
        self._is_cut = False

    def ask(self, asked: Asked, deadline: float, limit: int) -> Reply:
        """The answer, of at most `limit` bytes, before `deadline`; raises SetbackError."""
        try:
            connection = self._connected(deadline)
            start = time.perf_counter_ns()
            data, is_html = _received(connection, asked, limit)
            return Reply(data=data, is_html=is_html, elapsed_ns=time.perf_counter_ns() - start)
        except SetbackError:
            self.close()
            raise

    def cut(self) -> None:
        """From another thread: end what is under way, and all that would begin."""
        self._is_cut = True
        if self._sock is not None:
            with suppress(OSError):
                # Not SSLSocket's own, which takes the TLS state away from under a thread that reads.
                socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self, deadline: float) -> HTTPConnection:
        kept = self._connection
        if kept is None or not kept.is_connected:
            self.close()
            kept = self._connection = _connect(self._origin, deadline)
            self._sock = kept.sock
        if self._is_cut:  # seen here, or else the new connection has been seen by `cut`
            raise _lost(ConnectionAbortedError(), Repeat.NOTHING)
        if isinstance(self._sock, _Timed | _TimedTls):
            self._sock.deadline = deadline
        kept.timeout = _left_or_setback(deadline)
        return kept


def _connect(origin: Origin, deadline: float) -> HTTPConnection:
    timeout = _left_or_setback(deadline)
    if origin.tls is None:
        connection = HTTPConnection(origin.host, origin.port, timeout=timeout)
    else:
        connection = HTTPSConnection(origin.host, origin.port, timeout=timeout, ssl_context=origin.tls)
    try:
        connection.connect()
    except (OSError, HTTPError, HTTPException, UnicodeError) as error:
        connection.close()
        raise _no_connection(error) from None
    if origin.tls is None:
        plain = connection.sock
        connection.sock = _Timed(plain.family, plain.type, plain.proto, plain.detach())
    return connection


def _no_connection(error: Exception) -> SetbackError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return SetbackError(
            RetrieverError(
                "tls-untrusted",
                f"the server's certificate is not trusted (verification code {error.verify_code})",
                fix="name the certificate of its authority in http.ca-file, or use the host that it is made for",
            ),
            Repeat.NOTHING,
        )
    # A refused connection is a timeout to urllib3.
    if isinstance(error, TimeoutError | Urllib3TimeoutError) and not isinstance(error, NewConnectionError):
        return late()
    if isinstance(error, ssl.SSLError):
        return SetbackError(
            RetrieverError(
                "tls-failed", "the TLS handshake failed", fix="see that the server speaks TLS 1.2 or later there"
            ),
            Repeat.NOTHING,
        )
    return SetbackError(
        RetrieverError(
            "unreachable",
            f"no connection to the configured address ({type(error.__cause__ or error).__name__})",
            fix="start the retriever before the gate, and see that host and port are right",
        ),
        Repeat.ANYTHING,
    )


def _sent(connection: HTTPConnection, asked: Asked) -> BaseHTTPResponse:
    """The answer's head, once the request has been sent."""
    try:
        # urllib3 takes the bytes of a header as they are; its signature does not say so.
        headers: Any = asked.headers
        connection.request(
            asked.method, asked.target, asked.body, headers, preload_content=False, decode_content=False
        )
        if isinstance(connection.sock, _Timed | _TimedTls):
            connection.sock.flush()
        return connection.getresponse()
    except TimeoutError:
        raise late() from None
    except _LOST as error:
        raise _lost(error, Repeat.QUERY) from None
    except (HTTPException, HTTPError) as error:
        raise _malformed(error) from None
    except OSError as error:
        raise _lost(error, Repeat.QUERY) from None


def _received(connection: HTTPConnection, asked: Asked, limit: int) -> tuple[bytes, bool]:
    """The body of the answer and whether it is HTML, closed where it is not read to its end."""
    response = _sent(connection, asked)
    try:
        _check_head(response)
        return _body(response, limit), response.headers.get("Content-Type", "").lower().startswith("text/html")
    except SetbackError:
        response.close()
        raise


def _check_head(response: BaseHTTPResponse) -> None:
    """Every other status than a good one is a setback, and so is an answer that would have to be unpacked."""
    _check_status(response)
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise SetbackError(
            RetrieverError(
                "compressed-answer", "an answer came compressed, unasked", fix="honour Accept-Encoding: identity"
            ),
            Repeat.NOTHING,
        )


def _body(response: BaseHTTPResponse, limit: int) -> bytes:
    data = bytearray()
    try:
        while block := response.read(_BLOCK, decode_content=False):
            data += block
            if len(data) > limit:
                raise _too_long(limit)
    except (TimeoutError, ReadTimeoutError):
        raise late() from None
    except (HTTPException, HTTPError, ValueError) as error:
        raise _broken_off(error, len(data)) from None
    except OSError as error:
        raise _lost(error, Repeat.NOTHING) from None
    return bytes(data)


def _check_status(response: BaseHTTPResponse) -> None:
    status = response.status
    if _OK <= status < _MULTIPLE_CHOICES:
        return
    if _MULTIPLE_CHOICES <= status < _BAD_REQUEST:
        raise SetbackError(
            RetrieverError(
                "redirected",
                f"the server answered with status {status}, a redirect, which is not followed",
                fix="give the address that it leads to, if it is yours",
            ),
            Repeat.NOTHING,
        )
    raise SetbackError(
        RetrieverError(
            "http-status",
            f"the server answered with status {status}",
            fix=_FIXES.get(status, "look into the retriever's own log"),
        ),
        Repeat.QUERY if status in _LATER else Repeat.NOTHING,
        _seconds(response.headers.get("Retry-After")),
    )


_CREDENTIALS = "give the credentials in http.headers, e.g. authorization = 'Bearer {env.NAME}'"
_FIXES = {
    400: "compare the request's body with what the server expects",
    401: _CREDENTIALS,
    403: _CREDENTIALS,
    404: "see that the path is right, and the index or collection is there",
    405: "set http.method",
    413: "send less: the server's own limit is lower",
    422: "compare the request's body with what the server expects",
    429: "lower concurrency, or raise timeout and http.retries",
}


def _seconds(text: str | None) -> float | None:
    """A Retry-After in seconds; a date is left alone, as there is no clock here."""
    return float(text) if text is not None and text.isascii() and text.isdecimal() else None


def late() -> SetbackError:
    return SetbackError(
        RetrieverError("timeout", "no whole answer came in time", fix="see where it hangs, or raise timeout"),
        Repeat.NOTHING,
    )


def _too_long(limit: int) -> SetbackError:
    return SetbackError(
        RetrieverError(
            "answer-too-large",
            f"an answer is longer than {limit} bytes",
            fix="ask for fewer members of each hit, or raise answer-bytes",
        ),
        Repeat.NOTHING,
    )


def _lost(error: Exception, repeat: Repeat) -> SetbackError:
    return SetbackError(
        RetrieverError(
            "connection-lost",
            f"the connection was lost before the end of an answer ({type(error).__name__})",
            fix="look into the retriever's own log: it may have died",
        ),
        repeat,
    )


def _broken_off(error: Exception, received: int) -> SetbackError:
    return SetbackError(
        RetrieverError(
            "answer-cut",
            f"an answer ends, or stops being HTTP, after {received} bytes ({type(error).__name__})",
            fix="look into the retriever's own log: it may have died while it answered",
        ),
        Repeat.NOTHING,
    )


def _malformed(error: Exception) -> SetbackError:
    return SetbackError(
        RetrieverError(
            "not-http",
            f"what came back is not an HTTP answer ({type(error).__name__})",
            fix="see that an HTTP/1.1 server listens at this port, and whether it wants https://",
        ),
        Repeat.NOTHING,
    )


def _left(deadline: float) -> float:
    """The seconds until a deadline; raises TimeoutError behind it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _left_or_setback(deadline: float) -> float:
    try:
        return _left(deadline)
    except TimeoutError:
        raise late() from None
