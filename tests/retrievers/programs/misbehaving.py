"""A retriever over JSON Lines that answers every question with chunk k1, and does one thing wrong at its second.

`python misbehaving.py BEHAVIOUR [ARGUMENT]`; `none` does nothing wrong.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]
OUT = sys.stdout.buffer
SECRET = "canary"  # what no output may hold


def read() -> Json:
    """The next request; the end of the input is the end."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    request: Json = json.loads(line)
    return request


def write(*lines: bytes) -> None:
    """All in one write."""
    OUT.write(b"".join(line + b"\n" for line in lines))
    OUT.flush()


def answer(request: Json, **members: object) -> bytes:
    body = {"hits": [{"id": "k1"}]} | members
    return json.dumps({"v": 1, "id": request["id"]} | body).encode()


def scored(*scores: float) -> list[Json]:
    return [{"id": f"k{rank}", "score": score} for rank, score in enumerate(scores, start=1)]


def killed_mid_line(request: Json) -> None:
    OUT.write(answer(request)[:20])
    OUT.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def partial_line(request: Json) -> None:
    OUT.write(answer(request)[:20])
    OUT.flush()
    sys.exit(0)


def endless(_: Json) -> None:
    block = b"x" * (1 << 20)
    for _mebibyte in range(1024):
        OUT.write(block)


def hang(_: Json) -> None:
    while True:
        signal.pause()


def stubborn(request: Json) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang(request)


def swapped(request: Json) -> None:
    write(answer(read()), answer(request))


def flood_stderr(request: Json) -> None:
    os.write(2, SECRET.encode())
    for _block in range(64):
        os.write(2, b"x" * (1 << 16))
    write(answer(request))


def closed_stdout(_: Json) -> None:
    os.close(1)
    hang({})


AT_SECOND: dict[str, Callable[[Json], None]] = {
    "none": lambda request: write(answer(request)),
    "crash": lambda _: sys.exit(4),
    "killed-mid-line": killed_mid_line,
    "partial-line": partial_line,
    "endless": endless,
    "hang": hang,
    "stubborn": stubborn,
    "closed-stdout": closed_stdout,
    "swapped": swapped,
    "flood-stderr": flood_stderr,
    "wrong-id": lambda request: write(answer({"id": SECRET})),
    "twice": lambda request: write(answer(request), answer(request)),
    "again": lambda request: write(answer({"id": "q1"})),
    "not-json": lambda _: write(SECRET.encode()),
    "empty-line": lambda _: write(b""),
    "array": lambda _: write(b"[]"),
    "commands": lambda request: write(b"::error file=a.py,line=1::canary", b"::set-output name=x::canary"),
    "invalid-utf8": lambda request: write(answer(request)[:-1] + b',"state":"\xff"}'),
    "wrong-version": lambda request: write(answer(request).replace(b'"v": 1', b'"v": 2')),
    "error": lambda request: write(
        answer(request, error={"code": "index-offline", "retryable": True, "message": SECRET})
    ),
    "too-many": lambda request: write(answer(request, hits=[{"id": f"k{n}"} for n in (1, 2, 1)])),
    "unknown-id": lambda request: write(answer(request, hits=[{"id": SECRET}])),
    "nan": lambda request: write(answer(request, hits=scored(float("nan")))),
    "rising": lambda request: write(answer(request, hits=scored(0.25, 0.75))),
    "falling": lambda request: write(answer(request, hits=scored(0.75, 0.25))),
    "other-member": lambda request: write(answer(request, **{SECRET: 1})),
}


def serve(at_second: Callable[[Json], None]) -> None:
    """The loop of a retriever that behaves, but for its second question."""
    asked = 0
    while True:
        request = read()
        if request["op"] == "hello":
            write(answer(request, name="misbehaving", version="1", fingerprint="f", capabilities=["asOf"]))
            continue
        asked += 1
        if asked == 2:
            at_second(request)
        else:
            write(answer(request))


def grandchildren(pipe: str) -> None:
    """One that stays, and holds the pipe open as long as it runs; it ignores a polite end."""
    program = "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()"
    with Path(pipe).open("wb") as held:
        subprocess.Popen([sys.executable, "-S", "-c", program], stdout=held)


def unsolicited() -> None:
    """A line more than was asked for, in the same write."""
    write(answer(read(), name="m"), b'{"v": 1, "id": "canary", "hits": []}')
    serve(AT_SECOND["none"])


def never_reads() -> None:
    """Answers the first message, and reads no other."""
    write(answer(read(), name="m"))
    hang({})


def large() -> None:
    """Answers that fill a pipe many times over, one at a time, to requests that do so too."""
    while True:
        request = read()
        write(answer(request, citations=["k1"] * 60_000))


def waits_for_three() -> None:
    """Answers no question before three have come, as one that works on several at a time may."""
    write(answer(read(), name="m"))
    requests = [read() for _ in range(3)]
    write(*map(answer, requests))
    read()


def tells_surroundings() -> None:
    """Its environment and working folder, as its name and version."""
    folder = os.environ["RETRIEVAL_GATE_FOLDER"]
    (Path(folder) / "state").write_text("kept", encoding="utf-8")
    write(answer(read(), name=os.environ["RETRIEVAL_GATE_RUN"], version=str(Path.cwd()), fingerprint=folder))
    serve(AT_SECOND["none"])


def stateful() -> None:
    """Keeps count of what it was told, and says it back as how many hits there are."""
    documents = 0
    while True:
        request = read()
        if request["op"] == "hello":
            write(answer(request, name="s", capabilities=["seed", "update", "delete", "revoke"]))
        elif request["op"] == "query":
            write(answer(request, hits=[{"id": "k1"}] * documents))
        else:
            documents = 0 if request.get("reset") else documents
            documents += len(request.get("documents", ())) + (request["op"] == "update")
            documents -= request["op"] in ("delete", "revoke")
            write(json.dumps({"v": 1, "id": request["id"], "ok": True}).encode())


AT_START: dict[str, Callable[[], None]] = {
    "crash-at-start": lambda: sys.exit(3),
    "hang-at-start": lambda: hang({}),
    "closes-at-start": lambda: closed_stdout({}),
    "bad-hello": lambda: write(answer(read(), name=7)),
    "never-reads": never_reads,
    "large": large,
    "waits-for-three": waits_for_three,
    "surroundings": tells_surroundings,
    "unsolicited": unsolicited,
    "stateful": stateful,
}


def main(behaviour: str, *arguments: str) -> None:
    if behaviour in AT_START:
        AT_START[behaviour]()
    elif behaviour == "grandchildren":
        grandchildren(*arguments)
        serve(AT_SECOND["none"])
    else:
        serve(AT_SECOND[behaviour])


if __name__ == "__main__":
    main(*sys.argv[1:])
