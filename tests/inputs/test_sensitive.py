"""Secrets, paths, URLs and e-mail addresses: what is caught, and at least as much that must pass.

Examples are put together from pieces, so that scanners of this repository have nothing to find.
"""

from __future__ import annotations

import base64
import json

import pytest

from retrieval_gate.inputs.fixture.sensitive import SENSITIVE, found_in, is_secret, plain
from tests.shared import shared

A20 = "q7Wd2Kx9Lm4Tz8Rb3Yc6"
A40 = A20 * 2
UPPER16 = "Q7WD2KX9LM4TZ8RB"
HEX32 = "0123456789abcdef" * 2
SLASH = "\\"
AT = "@"

CAUGHT = (
    ("secret", "AKIA" + UPPER16),
    ("secret", "the id is ASIA" + UPPER16 + "."),
    ("secret", "aws_secret_" + "access_key = " + A40),
    ("secret", "AWS_SECRET_" + "ACCESS_KEY=" + A40),
    ("secret", "LTAI" + "5t" + UPPER16),
    ("secret", "gh" + "p_" + A40[:36]),
    ("secret", "gh" + "o_" + A40[:36]),
    ("secret", "gh" + "s_" + A40[:36]),
    ("secret", "github" + "_pat_" + A20 + "_" + A40),
    ("secret", "gl" + "pat-" + A20),
    ("secret", "xo" + "xb-123456789012-" + A20),
    ("secret", "xo" + "xp-123456789012-" + A20),
    ("secret", "hooks.slack" + ".com/services/T00000000/B00000000/" + A20),
    ("secret", "sk_" + "live_" + A20),
    ("secret", "rk_" + "live_" + A20),
    ("secret", "wh" + "sec_" + A20),
    ("secret", "AI" + "za" + "Sy" + A40[:33]),
    ("secret", "ya" + "29." + A40),
    ("secret", '{"type": "service' + '_account"}'),
    ("secret", '"private_' + 'key_id": "' + HEX32 + '"'),
    ("secret", "s" + "k-" + A40),
    ("secret", "s" + "k-proj-" + A20 + "_" + A20),
    ("secret", "s" + "k-ant-api03-" + A40),
    ("secret", "s" + "k-" + HEX32),
    ("secret", "ey" + "J" + A20 + ".ey" + "J" + A20 + "." + A20),
    ("secret", "-----BEGIN " + "RSA PRIVATE KEY-----"),
    ("secret", "-----BEGIN " + "PRIVATE KEY-----"),
    ("secret", "-----BEGIN " + "OPENSSH PRIVATE KEY-----"),
    ("secret", "-----BEGIN " + "CERTIFICATE-----"),
    ("secret", "https://user:" + "hunter2" + AT + "host.example"),
    ("secret", "postgres://app:" + "hunter2" + AT + "db/app"),
    ("secret", "redis://:" + "hunter2" + AT + "cache"),
    ("secret", "pass" + "word=hunter2"),
    ("secret", "pass" + "word = swordfish"),
    ("secret", "pass" + "wd: hunter2"),
    ("secret", "DB_PASS" + "WORD='hunter2'"),
    ("secret", "api" + "_key=abcd1234"),
    ("secret", "API" + "-KEY: abcd1234"),
    ("secret", "client" + "_secret=abcd1234"),
    ("secret", "密" + "码：Abc12345"),
    ("secret", "Server=db;Uid=app;P" + "wd=hunter2;"),
    ("secret", "Authorization: " + "Bearer " + A20),
    ("secret", "Authorization: " + "Basic dXNlcjpwYXNz"),
    ("secret", "np" + "m_" + A40[:36]),
    ("secret", "pypi" + "-AgEIcHlwaS5vcmc" + A20),
    ("secret", "Account" + "Key=" + base64.b64encode(A40.encode()).decode()),
    ("secret", "h" + "f_" + A40[:34]),
    ("secret", "S" + "G." + A20 + "." + A40),
    ("secret", "ｐａｓｓ" + "ｗｏｒｄ＝ｈｕｎｔｅｒ２"),
    ("secret", "pass\u200bword" + "=hun\u00adter2"),
    ("secret", "AK\u200dIA" + UPPER16),
    ("secret", "aws_session" + "_token=" + A20),
    ("secret", "s" + "k-" + "abcdefghijklmnopqrstuvwxyzABCDEF"),
    ("secret", "s" + "k-proj-" + "abcdefghijklmnopqrstuvwxyzABCDEF"),
    ("secret", "s" + "k-None-" + A40),
    ("secret", '"pass' + 'word": "swordfish"'),
    ("secret", "'pass" + "wd': 'swordfish'"),
    ("secret", "<pass" + "word>swordfish</password>"),
    ("secret", "login --pass" + "word hunter2 --verbose"),
    ("secret", "pass" + "word := hunter2"),
    ("secret", "'pass" + "word' => 'hunter2'"),
    ("secret", "pass" + "word=Pa$$w0rd"),
    ("secret", "csrf_" + "token=" + A20),
    ("email", "alice" + AT + "example.com"),
    ("email", "Write to alice.b+c" + AT + "mail.example.co.uk, please"),
    ("email", "请联系张三 zhang" + AT + "example.cn。"),
    ("email", "alice＠example.com"),
    ("url", "https://example.com/a"),
    ("url", "see HTTP://EXAMPLE.COM"),
    ("url", "s3://bucket/key"),
    ("url", "www.example.org"),
    ("url", "localhost:8080"),
    ("url", "api.example.com:443"),
    ("url", "db.prod.internal:5432"),
    ("url", "10.0.0.5:9200"),
    ("url", "[::1]:8080"),
    ("url", "ｈｔｔｐｓ：／／example.com"),
    ("path", "file:///srv/a"),
    ("path", SLASH * 2 + "server" + SLASH + "share"),
    ("path", "at " + SLASH * 2 + "10.0.0.5" + SLASH + "c$"),
    ("path", "C:" + SLASH + "Users" + SLASH + "alice"),
    ("path", "d:/work/notes.txt"),
    ("path", "D:" + SLASH + "文档" + SLASH + "a.txt"),
    ("path", "D:/文档/a.txt"),
    ("path", SLASH * 2 + "文件服务器" + SLASH + "共享"),
    ("path", SLASH * 4 + "server" + SLASH * 2 + "share"),
    ("path", "/opt/文档/a.txt"),
    ("path", "/private/var/db"),
    ("path", "/run/secrets/db"),
    ("path", "/home/alice"),
    ("path", "look in /Users/alice/Documents"),
    ("path", "~/notes/a.md"),
    ("path", "/root"),
    ("path", "/root/.ssh"),
    ("path", "(/etc/passwd)"),
    ("path", "/var/log/syslog"),
    ("path", "文件在／home／alice"),
    ("path", "/ho\u200bme/alice"),
)

LET_THROUGH = (
    "disk-encryption",
    "risk-assessment",
    "task-scheduler",
    "docs/home/page",
    "api-key rotation policy",
    "the password is case sensitive",
    "Passwords are rotated each quarter.",
    "Password: must be at least eight characters",
    "The secret: patience.",
    "API key: ask the administrator",
    "password=<your password>",
    "password=${DB_PASSWORD}",
    "password=$DB_PASSWORD",
    "password=None",
    "password=***",
    "password=xxxxxxxx",
    "password=os.environ['DB']",
    "password = getpass()",
    "api_key={{ key }}",
    "token=abc is a query parameter",
    "token: text-embedding-3-small",
    "token = 4 characters on average",
    "password=string",
    '"password": "string"',
    '"password": "<your password>"',
    "<password></password>",
    "use --password to be asked for it",
    "password=config.password",
    "password = request.form.password",
    "password_policy=strict",
    "password_min_length=12",
    "password_expiry_days=90",
    "secret_store=vault",
    "secret_name=database",
    "api_key_name=main",
    "api_key_header=X-Api-Key",
    "private_key_path=keys/id",
    "access_key_rotation=90days",
    "Password: 90-day rotation",
    "Password: 12-character minimum",
    "密码：6-18位字符",
    "ASIAPACIFICREGIONALS",
    "ACCAQUALIFICATIONSXX",
    "密码：请联系管理员",
    "密码不得少于十二个字符，每九十天更换一次。",
    "令牌、密钥和口令都要轮换",
    "sk-learn",
    "sk-learn-classification-pipeline-estimators",
    "desk-0123456789abcdef0123456789abcdef",
    "sk-proj-management-for-distributed-teams",
    "task-proj-0123456789abcdef0123456789",
    "AKIA is a prefix",
    "AKIA" + "X" * 15,
    "ghp_ begins a token",
    "glpat- begins a token",
    "xoxb- begins a token",
    "whsec_ begins a secret",
    "the sk_live_ prefix",
    "AIza is how the key begins",
    "npm_config_registry",
    "pypi-server",
    "hf_hub_download",
    "eyJ is base64 of a brace",
    "-----BEGIN-----",
    "----- BEGIN PRIVATE KEY -----",
    "Authorization: Bearer <token>",
    "the Authorization header carries a bearer token",
    "bearer of good news",
    "and/or",
    "km/h",
    "24/7",
    "TCP/IP and I/O",
    "ratio 3:2",
    "at 12:30:45",
    "2026-01-31T09:00:00+08:00",
    "1:10000 scale",
    "N/A",
    "he/she",
    "C: the language",
    "C:\\ is the first drive",
    "option a:/b",
    "e.g. this",
    "version 1.2.3.4",
    "v1.2.3.4",
    "10.0.0.5 has no port",
    "guide.md:12",
    "main.py:120:5",
    "chapter:12",
    "John 3:16",
    "doc.v1:8080",
    "home/alice is relative",
    "a/home/b",
    "./home/alice",
    "../etc/hosts",
    "GET /api/v1/users",
    "the /users endpoint",
    "square/root",
    "/rooted",
    "~5 minutes",
    "~ / approximately",
    "a \\ b",
    "a \\\\ b",
    "\\alpha\\beta",
    "x \\\\ y \\\\ z",
    "1 & 2 \\\\hline\\textbf{a}",
    "a \\\\midrule\\cline",
    "a /run/time decision",
    "a /private/public key pair",
    "@media screen",
    "the @ sign",
    "react@18.2.0",
    "name @ company . com",
    "user@host",
    "@app.route",
    "www. is a prefix",
    "the scheme :// is missing",
    "Q: what? A: that.",
    "profile:admin",
    "file: the document",
    "service account",
    '"type": "account"',
    "绿茶泡两分钟。",
    "分段控件支持键盘导航：左右方向键移动焦点",
    "",
)


@pytest.mark.parametrize(
    ("kind", "text"), CAUGHT, ids=[f"{kind}-{index}" for index, (kind, _) in enumerate(CAUGHT)]
)
def test_it_is_caught_alone_and_in_a_sentence(kind: str, text: str) -> None:
    for written in (text, f"Note: {text}\nnext line", f"「{text}」", f'"{text}"', f"({text})"):
        assert kind in {row.kind for row in found_in(plain(written))}


@pytest.mark.parametrize("text", LET_THROUGH)
def test_it_is_let_through_alone_and_in_a_sentence(text: str) -> None:
    for written in (text, f"Note: {text}\nnext line", f"「{text}」", text.upper() if text.islower() else text):
        assert [row.what for row in found_in(plain(written))] == []


def test_more_is_let_through_than_caught() -> None:
    assert len(LET_THROUGH) >= len(CAUGHT)


def test_a_home_folder_is_no_secret() -> None:
    assert not is_secret("/home/alice")
    assert is_secret("AKIA" + UPPER16)


def test_every_kind_has_caught_examples_and_lower_case_needles() -> None:
    kinds = {row.kind for row in SENSITIVE}
    assert kinds == {kind for kind, _ in CAUGHT}
    assert all(needle == needle.lower() for row in SENSITIVE for needle in row.needles)


def test_a_match_always_contains_a_needle_of_its_row() -> None:
    for _, text in CAUGHT:
        for row in SENSITIVE:
            found = row.pattern.search(plain(text))
            assert found is None or any(needle in plain(text).lower() for needle in row.needles)


@pytest.mark.shared
def test_no_chunk_of_a_public_encyclopedia_set_holds_a_secret_or_path() -> None:
    documents = json.loads(shared("data/squad2-dev.json").read_bytes())["documents"]
    contents = [chunk["content"] for document in documents for chunk in document["chunks"]]
    assert len(contents) == 1204
    assert [row.what for content in contents for row in found_in(plain(content))] == []


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["data/squad2-dev.json", "data/real-v1-en-zh-hi.json", "oracle/reference/fixture.json"]
)
def test_no_text_of_the_real_sets_holds_a_secret(name: str) -> None:
    fixture = json.loads(shared(name).read_bytes())
    texts = [query["query"] for query in fixture["queries"]] + [item["title"] for item in fixture["documents"]]
    assert [text for text in texts if is_secret(text)] == []
