"""A small search over the documents of `world.json` that does one thing wrong.

`python keeper.py FAULT` answers JSON Lines; in Python `keeper:FAULT` is the retriever, with - written as _.
`none` does nothing wrong.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]
CANARY = "severance-for-manager"
# What is done to the ids of the answers.
IDS: dict[str, Callable[[str], str]] = {
    "dashes": lambda name: name.replace("#", "-"),
    "capitals": str.upper,
    "unpadded": lambda name: re.sub(r"(?<![0-9])0+(?=[0-9])", "", name),
    "folder": lambda name: f"{CANARY}/{name}",
    "strange": lambda name: f"{CANARY}-{len(name)}",
}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


class Keeper:
    """Ranks what may be seen by how many words of the question it has, then by id."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        world = json.loads(Path("world.json").read_text(encoding="utf-8"))
        self._documents: list[Json] = world["documents"]
        self._tenants = {principal["id"]: principal["tenant"] for principal in world.get("principals", ())}
        self._last: str | None = None
        self._thread: int | None = None
        self._calls = 0
        self.name = "keeper"
        self.version = CANARY + " and more" if fault == "talkative" else "1.2"
        self.fingerprint = ""
        self.capabilities = sorted({"principals", "asOf", "stages", "directory"} - self._unsaid())

    def _unsaid(self) -> set[str]:
        if self.fault in ("silent", "blind-to-principals", "blind-to-times"):
            return {"principals", "asOf", "directory"}
        return {"stages"} if self.fault == "no-stages" else set()

    def search(self, request: Json) -> Json:
        found = self._ranked(request)
        name = self._written
        hits = [{"id": name(chunk), "score": score} for score, chunk in found][: request["k"]]
        answer: Json = {"hits": hits}
        if self.fault != "no-stages":
            answer["stages"] = [
                {"name": "candidates:words", "hits": [{"id": name(chunk)} for _, chunk in found]},
                {"name": "cut-off", "hits": [{"id": hit["id"]} for hit in hits]},
            ]
        self._spoil(answer, request)
        return answer

    def _ranked(self, request: Json) -> list[tuple[float, str]]:
        words = set(request["query"].lower().split())
        scored = [
            (float(len(words & set(chunk["content"].lower().split()))), chunk["id"])
            for document in self._documents
            if self._may_see(document, request["principal"]) and self._is_current(document, request)
            for chunk in document["chunks"]
        ]
        return sorted(((score, name) for score, name in scored if score), key=lambda each: (-each[0], each[1]))

    def _may_see(self, document: Json, principal: Json | None) -> bool:
        if self.fault in ("blind-to-principals", "leaks-stages"):
            return True
        listed = principal is None or self._tenants.get(principal["id"]) == principal["tenant"]
        if not listed and self.fault != "open-to-all":
            return False
        access = document.get("access")
        if access is None:
            return True
        return self.fault != "denies" and principal is not None and access["tenant"] == principal["tenant"]

    def _is_current(self, document: Json, request: Json) -> bool:
        if "effectiveFrom" not in document or self.fault == "blind-to-times":
            return True
        begin, at = moment(document["effectiveFrom"]), moment(request["asOf"])
        versions = [other for other in self._documents if other.get("source") == document["source"]]
        begun = [other for other in (moment(version["effectiveFrom"]) for version in versions) if other <= at]
        return begin <= at and begin == max(begun)

    def _written(self, chunk: str) -> str:
        return IDS.get(self.fault, str)(chunk)

    def _spoil(self, answer: Json, request: Json) -> None:
        """Do what is wrong with what is told, not with what is found."""
        spoil = getattr(self, "_" + self.fault.replace("-", "_"), None)
        if spoil is not None:
            spoil(answer, request)

    def _leaks_stages(self, answer: Json, _: Json) -> None:
        public = [document["id"] for document in self._documents if "access" not in document]
        answer["hits"] = [hit for hit in answer["hits"] if hit["id"].partition("#")[0] in public]

    def _empty(self, answer: Json, _: Json) -> None:
        answer.clear()
        answer["hits"] = []

    def _shuffles(self, answer: Json, _: Json) -> None:
        """An order by nothing but the clock would be as bad, and can not be told of in a test."""
        for hit in answer["hits"]:
            hit["score"] = 1.0
        self._calls += 1
        if self._calls % 2:
            answer["hits"].reverse()

    def _hash_order(self, answer: Json, request: Json) -> None:
        self._unscored(answer, request)
        answer["hits"].sort(key=lambda hit: hash(hit["id"]))

    def _unscored(self, answer: Json, _: Json) -> None:
        for hit in answer["hits"]:
            del hit["score"]

    def _remembers(self, answer: Json, request: Json) -> None:
        """The answer to a question is shorter behind the one that stands before it in the fixture."""
        if (self._last, request["id"]) == ("q-none", "q-day"):
            del answer["hits"][1:]
        self._last = request["id"]

    def _one_thread(self, answer: Json, _: Json) -> None:
        self._thread = self._thread or threading.get_ident()
        if threading.get_ident() != self._thread:
            del answer["hits"][1:]

    def _rising(self, answer: Json, _: Json) -> None:
        answer["hits"].reverse()

    def _too_many(self, answer: Json, request: Json) -> None:
        answer["hits"] += [{"id": hit["id"]} for hit in answer["hits"] for _ in range(request["k"])]

    def _half(self, answer: Json, _: Json) -> None:
        answer["hits"] += [{"id": f"{CANARY}-1", "score": 0.0} for _ in answer["hits"][:1]]

    def _dies(self, _: Json, request: Json) -> None:
        if request["id"] == "q-bus":
            os._exit(9)

    def _raises(self, _: Json, request: Json) -> None:
        if request["id"] == "q-none":
            raise ValueError(CANARY)


def __getattr__(name: str) -> Keeper:
    if name.startswith("_"):
        raise AttributeError(name)
    return Keeper(name.replace("_", "-"))


def main() -> None:
    keeper = Keeper(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            body: Json = {
                name: getattr(keeper, name) for name in ("name", "version", "fingerprint", "capabilities")
            }
        else:
            body = keeper.search(request)
        sys.stdout.write(json.dumps({"v": 1, "id": request["id"]} | body) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
