"""`http://` and `https://` with real servers: what goes wrong has a code of its own, and only one is contacted."""

from __future__ import annotations

import gzip
import socket
import threading
from collections import Counter
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pytest

from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.transport import HttpSettings, Transport
from retrieval_gate.retrievers.port import administered
from retrieval_gate.retrievers.table import check_retriever, is_shared, open_retrievers
from tests.evaluation.scripted import DOCUMENTS
from tests.retrievers.asking import REQUESTS, Asked, ask, ids, opened, opening, request, spec
from tests.retrievers.servers import (
    HELLO,
    Behaviour,
    Conversation,
    Server,
    at,
    good,
    greeting,
    make_certificates,
    serving,
)
from tests.scoring.build import document

ALL_OPERATIONS: dict[str, object] = {**HELLO, "capabilities": ["seed", "update", "delete", "revoke"]}
SECRET = "s3cret-of-the-test"
SHORT = "s3cret"
NEVER = "http://127.0.0.1:1/"


def asked(folder: Path, behave: Behaviour, transport: Transport | None = None) -> tuple[Asked, Server]:
    """What three questions came to, and the server as it was left."""
    with serving(behave) as server, opened(folder, spec(server.url, transport or Transport())) as retriever:
        return ask(retriever), server


def hang(talk: Conversation) -> None:
    talk.server.ended.wait()


def drip(head: bytes, drop: bytes) -> Behaviour:
    """A byte or two again and again, each of which comes in time."""

    def behave(talk: Conversation) -> None:
        talk.send(head)
        while talk.pause(0.05):
            talk.send(drop)

    return behave


def endless(head: bytes, part: bytes) -> Behaviour:
    def behave(talk: Conversation) -> None:
        talk.send(head)
        while True:
            talk.send(part)

    return behave


def raw(data: bytes) -> Behaviour:
    """These bytes, and the end of the connection."""

    def behave(talk: Conversation) -> None:
        talk.send(data)
        talk.close()

    return behave


def status(code: int, *headers: str) -> Behaviour:
    return lambda talk: talk.reply({}, code, *headers)


def body(data: bytes, *headers: str) -> Behaviour:
    return lambda talk: talk.reply(data, 200, *headers)


def renamed(name: str) -> Behaviour:
    return lambda talk: talk.reply({"v": 1, "id": name, "hits": []})


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
MEGABYTE = b"x" * (1 << 20)


def test_three_questions_are_answered_in_order_over_one_connection(tmp_path: Path) -> None:
    with serving(greeting(good)) as server, opened(tmp_path, spec(server.url)) as retriever:
        hello = retriever.hello()
        first, second = ask(retriever), ask(retriever)

    assert (hello.name, hello.version, sorted(hello.capabilities)) == ("tiny", "7", ["principals"])
    assert ids(first) == ids(second) == ["q1", "q2", "q3"]
    assert [hit.chunk for hit in first.responses[0].hits] == ["k1"]
    assert all(response.elapsed_ns > 0 for response in first.responses)
    assert server.connections == 1
    asked_for = server.queries[0]
    assert (asked_for.method, asked_for.target) == ("POST", "/search")
    assert asked_for.headers["accept-encoding"] == "identity"
    assert asked_for.body["principal"]["tenant"] == "north"
    assert server.queries[2].body["principal"] is None


def test_a_server_that_ends_the_connection_after_each_answer_is_asked_over_new_ones(tmp_path: Path) -> None:
    def once(talk: Conversation) -> None:
        talk.answer("k1")
        talk.close()

    answers, server = asked(tmp_path, greeting(once))

    assert (ids(answers), answers.code) == (["q1", "q2", "q3"], None)
    assert server.connections == 3


@pytest.mark.parametrize(
    ("behave", "code"),
    [
        pytest.param(status(500), "http-status", id="status 500"),
        pytest.param(status(401), "http-status", id="status 401"),
        pytest.param(status(302, f"Location: {NEVER}"), "redirected", id="redirect"),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), "answer-cut", id="cut mid-body"),
        pytest.param(raw(CHUNKED + b"zz\r\nnonsense"), "answer-cut", id="chunked nonsense"),
        pytest.param(raw(CHUNKED + b"5\r\n{}"), "answer-cut", id="cut within a chunk"),
        pytest.param(raw(b"220 mail.example\r\n"), "not-http", id="another protocol"),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n"), "not-http", id="endless headers"),
        pytest.param(raw(b""), "connection-lost", id="no answer at all"),
        pytest.param(body(b"<html>"), "not-json", id="HTML"),
        pytest.param(body(b""), "not-json", id="nothing"),
        pytest.param(body(b'{"hits": "\xff"}'), "invalid-utf8", id="invalid UTF-8"),
        pytest.param(body(b'{"v":1,"id":"q2","hits":[{"id":"k1","score":NaN}]}'), "not-json", id="NaN"),
        pytest.param(body(b"[]"), "bad-answer", id="no object"),
        pytest.param(
            body(gzip.compress(b"0" * 10_000_000), "Content-Encoding: gzip"), "compressed-answer", id="gzip"
        ),
        pytest.param(renamed("q1"), "answered-twice", id="the answer before"),
        pytest.param(renamed("q3"), "out-of-order", id="a later answer"),
        pytest.param(renamed("q9"), "wrong-id", id="an answer to nothing"),
        pytest.param(lambda talk: talk.answer("k1", "k2", "d1"), "too-many-hits", id="more than k"),
        pytest.param(lambda talk: talk.answer("nobody-knows-it"), "unknown-id", id="unknown chunk"),
        pytest.param(
            lambda talk: talk.reply({"v": 1, "id": "q2", "error": {"code": "index-down"}}),
            "retriever-error",
            id="an error of its own",
        ),
    ],
)
def test_what_is_no_answer_is_told_by_its_code_and_the_answers_before_it_are_kept(
    tmp_path: Path, behave: Behaviour, code: str
) -> None:
    answers, _ = asked(tmp_path, at("q2", behave))

    assert (ids(answers), answers.code) == (["q1"], code)
    assert "127.0.0.1" not in answers.what
    assert "nobody-knows" not in answers.what


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(hang, id="hang"),
        pytest.param(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b" "), id="slow drip of the body"),
        pytest.param(drip(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"), id="slow drip of headers"),
        pytest.param(drip(b"", b"H"), id="slow drip of the status"),
        pytest.param(drip(CHUNKED, b"1\r\n \r\n"), id="slow drip of chunks"),
    ],
)
def test_an_answer_has_to_be_whole_before_its_deadline_however_it_comes(tmp_path: Path, behave: Behaviour) -> None:
    answers, server = asked(tmp_path, at("q2", behave), Transport(timeout=1.5))

    assert (ids(answers), answers.code) == (["q1"], "timeout")
    assert "1.5 s" in answers.what
    assert Counter(query.body["id"] for query in server.queries) == {"q1": 1, "q2": 1}


def test_all_answers_together_have_a_deadline_too(tmp_path: Path) -> None:
    answers, _ = asked(tmp_path, at("q3", hang), Transport(timeout=600, total_timeout=2))

    assert (ids(answers), answers.code) == (["q1", "q2"], "total-timeout")


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(endless(CHUNKED, b"100000\r\n" + MEGABYTE + b"\r\n"), id="chunks"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", MEGABYTE), id="1 GB"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n\r\n", MEGABYTE), id="until the end"),
    ],
)
def test_an_answer_without_end_is_given_up_early(tmp_path: Path, behave: Behaviour) -> None:
    answers, server = asked(tmp_path, at("q2", behave), Transport(answer_bytes=1 << 20))

    assert (ids(answers), answers.code) == (["q1"], "answer-too-large")
    assert server.sent < 64 << 20


@pytest.mark.parametrize("code", [429, 502, 503, 504])
def test_a_query_is_asked_again_where_the_server_says_later(tmp_path: Path, code: int) -> None:
    seen: Counter[str] = Counter()

    def busy(talk: Conversation) -> None:
        seen[talk.received.body["id"]] += 1
        if seen["q2"] in (1, 2) and talk.received.body["id"] == "q2":
            talk.reply({}, code, "Retry-After: 0")
        else:
            talk.answer("k1")

    answers, _ = asked(tmp_path, greeting(busy))

    assert (ids(answers), answers.code) == (["q1", "q2", "q3"], None)
    assert seen == {"q1": 1, "q2": 3, "q3": 1}


def test_what_stays_busy_is_given_up_after_the_retries(tmp_path: Path) -> None:
    answers, server = asked(tmp_path, at("q2", status(429, "Retry-After: 0")))

    assert (ids(answers), answers.code) == (["q1"], "http-status")
    assert "429" in answers.what
    assert len(server.queries) == 1 + 3


def test_no_retry_is_made_that_would_come_too_late(tmp_path: Path) -> None:
    answers, server = asked(tmp_path, at("q2", status(503, "Retry-After: 3600")))

    assert (ids(answers), answers.code) == (["q1"], "http-status")
    assert len(server.queries) == 2


def test_a_failure_that_would_come_again_is_not_asked_for_again(tmp_path: Path) -> None:
    answers, server = asked(tmp_path, at("q2", status(500)))

    assert answers.code == "http-status"
    assert len(server.queries) == 2


def test_an_error_that_the_retriever_calls_passing_is_asked_for_again(tmp_path: Path) -> None:
    errors = iter([{"code": "warming-up", "retryable": True}])

    def passing(talk: Conversation) -> None:
        error = next(errors, None)
        if error is None:
            talk.answer("k1")
        else:
            talk.reply({"v": 1, "id": talk.received.body["id"], "error": error})

    answers, server = asked(tmp_path, greeting(passing))

    assert (ids(answers), answers.code) == (["q1", "q2", "q3"], None)
    assert len(server.queries) == 4


def test_documents_are_seeded_and_changed_through_the_contract(tmp_path: Path) -> None:
    with serving(greeting(good, ALL_OPERATIONS)) as server, opened(tmp_path, spec(server.url)) as retriever:
        admin = administered(retriever)
        assert admin is not None
        admin.update(document("new", n1="text"))
        admin.revoke(DocumentId("keys"), datetime(2026, 1, 1, tzinfo=UTC))
        admin.delete(DocumentId("new"))

    sent = [received.body for received in server.requests]
    assert [message["op"] for message in sent] == ["hello", "seed", "seed", "update", "revoke", "delete"]
    assert sent[1]["reset"] is True
    assert [seeded["id"] for seeded in sent[2]["documents"]] == [document.id for document in DOCUMENTS]
    assert sent[4]["at"] == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("behave", "code"),
    [
        pytest.param(status(503, "Retry-After: 0"), "http-status", id="busy"),
        pytest.param(raw(b""), "connection-lost", id="connection lost"),
    ],
)
def test_a_change_is_never_sent_twice(tmp_path: Path, behave: Behaviour, code: str) -> None:
    welcome = greeting(good, ALL_OPERATIONS)

    def refuse(talk: Conversation) -> None:
        (behave if talk.received.body["op"] == "delete" else welcome)(talk)

    with serving(refuse) as server, opened(tmp_path, spec(server.url)) as retriever:
        admin = administered(retriever)
        assert admin is not None
        with pytest.raises(RetrieverError) as caught:
            admin.delete(DocumentId("keys"))

    assert caught.value.code == code
    assert [received.body["op"] for received in server.requests].count("delete") == 1


def test_as_many_questions_are_under_way_as_are_allowed_and_the_answers_are_the_same(tmp_path: Path) -> None:
    questions = [request(f"q{number}") for number in range(12)]
    four = threading.Barrier(4)

    def together(talk: Conversation) -> None:
        four.wait(timeout=60)
        one_at_a_time(talk)

    def one_at_a_time(talk: Conversation) -> None:
        number = int(talk.received.body["id"][1:])
        talk.answer(*(["k1", "z1"] if number % 3 else ["d1"]))

    found = []
    for run, (behave, concurrency) in enumerate(((one_at_a_time, 1), (together, 4)), start=1):
        transport = Transport(concurrency=concurrency)
        with serving(greeting(behave)) as server, opened(tmp_path, spec(server.url, transport), run) as retriever:
            answers = ask(retriever, questions)
        assert answers.failure is None
        assert server.most == concurrency
        assert server.connections == concurrency
        found.append([(response.id, response.hits) for response in answers.responses])

    assert found[0] == found[1]
    assert [name for name, _ in found[0]] == [question.id for question in questions]


def test_with_several_under_way_the_first_failure_in_order_is_the_one_that_counts(tmp_path: Path) -> None:
    late = threading.Event()

    def behave(talk: Conversation) -> None:
        name = talk.received.body["id"]
        if name == "q3":
            talk.reply({}, 404)
            late.set()
        elif name == "q2":
            late.wait(timeout=60)
            talk.reply({}, 500)
        else:
            talk.answer("k1")

    answers, _ = asked(tmp_path, greeting(behave), Transport(concurrency=3))

    assert ids(answers) == ["q1"]
    assert "500" in answers.what


def test_closing_ends_what_is_under_way(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with serving(greeting(lambda talk: good(talk) if talk.received.body["id"] == "q1" else hang(talk))) as server:
        with opened(tmp_path, spec(server.url, Transport(timeout=600, concurrency=2))) as retriever:
            answers = retriever.answer(REQUESTS)
            assert next(answers).id == "q1"
            started = {thread for thread in threading.enumerate() if "ThreadPoolExecutor" in thread.name} - before
            assert started
        assert not any(thread.is_alive() for thread in started)


def test_a_closed_port_is_told_at_once(tmp_path: Path) -> None:
    with serving(good) as server:
        gone = server.url

    with pytest.raises(RetrieverError) as caught:
        open_retrievers([spec(gone)], opening(tmp_path))

    assert caught.value.code == "unreachable"
    assert "ConnectionRefusedError" in caught.value.what


def test_a_redirect_leads_nowhere(tmp_path: Path) -> None:
    with serving(greeting(good)) as other:
        answers, _ = asked(tmp_path, at("q2", status(307, f"Location: {other.url}")))

    assert answers.code == "redirected"
    assert other.connections == 0


def test_no_proxy_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(greeting(good)) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        answers, _ = asked(tmp_path, greeting(good))

    assert (ids(answers), proxy.requests) == (["q1", "q2", "q3"], [])


def tls_asked(folder: Path, subject: str, *, is_trusted: bool) -> Asked | str:
    """What the three questions came to over TLS, or the code with which it could not be opened."""
    certificates = make_certificates(folder, subject)
    ca_file = str(certificates.authority) if is_trusted else None
    with serving(greeting(good), certificates.context()) as server:
        asking = spec(server.url.replace("http:", "https:"), Transport(settings=HttpSettings(ca_file=ca_file)))
        check_retriever(asking)
        try:
            with opened(folder, asking) as retriever:
                return ask(retriever)
        except RetrieverError as failure:
            return failure.code


def test_tls_with_the_certificate_of_its_authority_works(tmp_path: Path) -> None:
    answers = tls_asked(tmp_path, "IP:127.0.0.1", is_trusted=True)

    assert isinstance(answers, Asked)
    assert ids(answers) == ["q1", "q2", "q3"]


def test_tls_of_an_authority_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    assert tls_asked(tmp_path, "IP:127.0.0.1", is_trusted=False) == "tls-untrusted"


def test_tls_with_another_hosts_certificate_is_refused(tmp_path: Path) -> None:
    assert tls_asked(tmp_path, "DNS:elsewhere.example", is_trusted=True) == "tls-untrusted"


def test_a_slow_drip_over_tls_meets_the_deadline_too(tmp_path: Path) -> None:
    certificates = make_certificates(tmp_path)
    settings = HttpSettings(ca_file=str(certificates.authority))
    behave = at("q2", drip(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b" "))
    with serving(behave, certificates.context()) as server:
        transport = Transport(timeout=1.5, settings=settings)
        with opened(tmp_path, spec(server.url.replace("http:", "https:"), transport)) as retriever:
            answers = ask(retriever)

    assert (ids(answers), answers.code) == (["q1"], "timeout")


def test_a_server_that_speaks_no_tls_is_told_apart_from_one_that_is_not_trusted(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        plain = threading.Thread(target=_answer_in_plain_text, args=(listener,))
        plain.start()
        with pytest.raises(RetrieverError) as caught:
            open_retrievers([spec(f"https://127.0.0.1:{port}/")], opening(tmp_path))
        plain.join()

    assert caught.value.code == "tls-failed"


def _answer_in_plain_text(listener: socket.socket) -> None:
    sock, _ = listener.accept()
    with sock:
        sock.recv(65_536)
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_plain_http_to_a_server_with_tls_is_no_answer(tmp_path: Path) -> None:
    certificates = make_certificates(tmp_path)
    with serving(greeting(good), certificates.context()) as server, pytest.raises(RetrieverError) as caught:
        open_retrievers([spec(server.url, Transport(settings=HttpSettings(retries=0)))], opening(tmp_path))

    # An alert of TLS, or just the end of the connection.
    assert caught.value.code in ("not-http", "connection-lost")


def with_secret() -> Transport:
    headers = (("Authorization", "Bearer {env.GATE_TEST_TOKEN}"), ("X-Tenant", "{principal.tenant}"))
    return Transport(settings=HttpSettings(headers=headers))


def test_a_secret_reaches_the_server_and_no_echo_of_it_gets_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is shorter than what an answer may hold by chance fails no answer, and is not shown either."""
    monkeypatch.setenv("GATE_TEST_TOKEN", SHORT)
    echo = {**HELLO, "name": f"at your service, {SHORT}", "version": SHORT}
    failing = greeting(
        lambda talk: talk.reply({"v": 1, "id": talk.received.body["id"], "error": {"code": SHORT}}), echo
    )
    with serving(failing) as server, opened(tmp_path, spec(server.url, with_secret())) as retriever:
        hello, answers = retriever.hello(), ask(retriever)

    assert [query.headers["authorization"] for query in server.queries] == [f"Bearer {SHORT}"]
    assert server.queries[0].headers["x-tenant"] == "north"
    assert (hello.name, hello.version) == ("", "")
    assert answers.code == "retriever-error"
    assert SHORT not in answers.what


@pytest.mark.parametrize("written", [SECRET, SECRET.replace("-", "\\u002d")], ids=["as it is", "escaped"])
def test_an_answer_that_holds_the_secret_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    """Else it would be kept in a recording, or counted as a context's text."""
    monkeypatch.setenv("GATE_TEST_TOKEN", SECRET)
    context = f'"context":[{{"id":"k1","text":"Bearer {written}"}}]'
    echo = at("q2", body(f'{{"v":1,"id":"q2","hits":[{{"id":"k1"}}],{context}}}'.encode()))
    with serving(greeting(echo)) as server, opened(tmp_path, spec(server.url, with_secret())) as retriever:
        answers = ask(retriever)

    assert (ids(answers), answers.code) == (["q1"], "secret-echoed")
    assert SECRET not in answers.what


def test_a_server_that_says_the_secret_at_hello_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE_TEST_TOKEN", SECRET)
    with (
        serving(greeting(good, {**HELLO, "version": SECRET})) as server,
        pytest.raises(RetrieverError) as caught,
        opened(tmp_path, spec(server.url, with_secret())),
    ):
        pass

    assert caught.value.code == "secret-echoed"


@pytest.mark.parametrize(
    ("header", "told"), [("Content-Type: text/html; charset=utf-8", True), ("X: text/html", False)]
)
def test_a_page_for_people_is_told_as_one(tmp_path: Path, header: str, told: bool) -> None:
    with (
        serving(body(b"<html>", header)) as server,
        pytest.raises(RetrieverError) as caught,
        opened(tmp_path, spec(server.url)),
    ):
        pass

    assert caught.value.code == "not-json"
    assert "address and preset" in str(caught.value.fix)
    assert ("(text/html)" in str(caught.value.fix)) == told


def test_an_error_code_that_is_no_secret_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_TEST_TOKEN", SECRET)
    failing = greeting(
        lambda talk: talk.reply({"v": 1, "id": talk.received.body["id"], "error": {"code": "index-down"}})
    )
    with serving(failing) as server, opened(tmp_path, spec(server.url, with_secret())) as retriever:
        assert "index-down" in ask(retriever).what


def refused(retriever: str, **settings: object) -> ConfigError:
    transport = Transport(settings=HttpSettings(**settings))  # type: ignore[arg-type] # each case's own settings
    with pytest.raises(ConfigError) as caught:
        check_retriever(spec(retriever, transport))
    return caught.value


@pytest.mark.parametrize(
    "retriever",
    [
        "http:",
        "http:///shop",
        "http://:80/shop",
        "http://shop.example:abc/",
        "http://shop.example:99999/",
        "http://[::1/shop",
        "http://shop.example/with space",
        "http://shop.example/päth",
        "http://shop.example/#part",
        "http://shop.example/?key={env.HOME}",
        "http://shop.example/{{x}}",
        "https://user:hunter2@shop.example/",
        "https://hunter2@shop.example/",
    ],
)
def test_an_address_that_can_not_be_used_is_refused_and_never_quoted(retriever: str) -> None:
    error = refused(retriever)

    assert error.code == "bad-address"
    assert "shop" not in str(error)
    assert "hunter2" not in str(error)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"preset": "opensaerch"}, "unknown-preset"),
        ({"preset": "qdrant"}, "bad-request-form"),
        ({"preset": "json", "method": "PUT"}, "bad-request-form"),
        ({"preset": "json", "method": "GET", "body": '{"q":{"text":"{query}"}}'}, "bad-request-form"),
        ({"preset": "json", "body": '{"q":"{qurey}"}'}, "unknown-placeholder"),
        ({"preset": "json", "body": '{"q":"{env.GATE_TEST_UNSET}"}'}, "unset-variable"),
        ({"preset": "contract", "body": "{}"}, "bad-request-form"),
        ({"preset": "contract", "method": "GET"}, "bad-request-form"),
        ({"headers": (("Authorization", "Bearer abc"),)}, "secret-in-configuration"),
        ({"headers": (("Authorization", "{env.GATE_TEST_UNSET}"),)}, "unset-variable"),
        ({"headers": (("Authorization", "{env.GATE_TEST_LINES}"),)}, "bad-variable"),
        ({"headers": (("X-Query", "{query}"),)}, "unknown-placeholder"),
        ({"headers": (("Host", "elsewhere"),)}, "bad-request-form"),
        ({"headers": (("X Y", "z"),)}, "bad-request-form"),
        ({"headers": (("X-A", "1"), ("x-a", "2"))}, "bad-request-form"),
        ({"ca_file": "ca.pem"}, "ca-file-unused"),
    ],
)
def test_settings_that_can_not_work_are_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, object], code: str
) -> None:
    monkeypatch.delenv("GATE_TEST_UNSET", raising=False)
    monkeypatch.setenv("GATE_TEST_LINES", f"{SECRET}\n")

    error = refused("http://localhost:9200/", **settings)

    assert error.code == code
    assert SECRET not in str(error)
    assert "abc" not in error.what


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_certificates_that_are_not_there_are_refused(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "ca.pem"
    if text is not None:
        path.write_text(text, encoding="ascii")

    assert refused("https://localhost/", ca_file=str(path)).code == "bad-ca-file"


@pytest.mark.parametrize("version", ["1.26.20", None])
def test_without_its_library_the_command_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    def installed(name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", installed)

    error = refused("http://localhost/")

    assert (error.code, error.fix) == ("no-urllib3", "pip install 'retrieval-gate[http]'")


@pytest.mark.parametrize(
    "retriever", ["http://localhost:9200/a/_search?x=1", "https://[::1]:8/", "http://127.0.0.1"]
)
def test_an_address_that_can_be_used_is_taken_and_is_shared_by_both_runs(retriever: str) -> None:
    check_retriever(spec(retriever))

    assert is_shared(spec(retriever))
    assert not is_shared(spec(retriever, Transport(shared=False)))
