"""Builds the image twice, without a cache, and compares every file, apart from timestamps.

    eval "$(.ci/engine start)"
    python soak/image_twice.py [IMAGE]

With IMAGE, which was built from this checkout before, it is built once more only.
Prints the paths that differ; exits 1 where there are any.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.container.runner import DOCKER  # noqa: E402 - the project's root first

NAMES = ("retrieval-gate-once", "retrieval-gate-twice")
# What a file is, apart from its time: kind, mode, owner, link and a digest of its bytes.
Seen = tuple[bytes, int, int, int, str, str]


def main(image: str | None = None) -> int:
    base = os.environ.get("RETRIEVAL_GATE_BASE")
    if base is None:
        print('needs a container engine: eval "$(.ci/engine start)"')
        return 2
    first = _files(_built(NAMES[0], base) if image is None else image)
    second = _files(_built(NAMES[1], base))
    different = sorted(path for path in first.keys() | second.keys() if first.get(path) != second.get(path))
    for path in different:
        print(f"differs: {path}")
    print(f"{len(first)} files, {len(different)} of them differ")
    return 1 if different else 0


def _built(name: str, base: str) -> str:
    command = [DOCKER, "build", "--quiet", "--no-cache", "--network=none", f"--build-arg=PYTHON_IMAGE={base}"]
    environment = {**os.environ, "DOCKER_BUILDKIT": "1"}
    subprocess.run([*command, f"--tag={name}", str(ROOT)], env=environment, check=True, stdout=subprocess.DEVNULL)
    return name


def _files(image: str) -> dict[str, Seen]:
    """Every file of the image."""
    container = _output("create", image).strip()
    try:
        with (
            subprocess.Popen([DOCKER, "export", container], stdout=subprocess.PIPE) as export,
            tarfile.open(fileobj=export.stdout, mode="r|") as archive,
        ):
            return {member.name: _seen(archive, member) for member in archive}
    finally:
        _output("rm", container)


def _seen(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Seen:
    stream = archive.extractfile(member) if member.isfile() else None
    content = hashlib.sha256(stream.read()).hexdigest() if stream is not None else ""
    return member.type, member.mode, member.uid, member.gid, member.linkname, content


def _output(*arguments: str) -> str:
    return subprocess.run([DOCKER, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
