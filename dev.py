"""Everything a developer runs, on a fresh machine with Python 3.11 or newer and nothing else.

    python3 dev.py run      set up .venv from the hash-pinned lock, then run the gate on the committed fixture
    python3 dev.py test     the same set-up, then the tests
    python3 dev.py lint     format, lint, types, import contract
    python3 dev.py docs     write the generated pages and schemas again
    python3 dev.py lock     resolve the locks again (after a change of pyproject.toml)
    python3 dev.py picture  render a job summary in a headless Chromium to docs/images
    python3 dev.py examples the examples and the tests against real libraries, with what both run on
    python3 dev.py lowest   the tests with the lowest declared versions of the runtime dependencies

Further arguments go to the command: `python3 dev.py test -k ndcg`.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
RUNTIME_LOCK = ROOT / "requirements-runtime.lock"
EXAMPLES_LOCK = ROOT / "requirements-examples.lock"
# What needs libraries that no other test needs.
EXAMPLES = (
    "tests/examples",
    "tests/engine/test_models.py",
    "tests/retrievers/test_libraries.py",
    "tests/retrievers/test_mcp.py",
)
# Each takes half of the tests, file by file, and then from the other: what a file's tests share is made once.
WORKERS = ("-n", "2", "--dist=worksteal")
TAG = f"{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}"


def main() -> int:
    command, *rest = sys.argv[1:] or ["help"]
    if command not in COMMANDS:
        print(__doc__)
        return 0 if command in ("help", "-h", "--help") else 2
    return COMMANDS[command](rest)


def run(arguments: list[str]) -> int:
    return _in(_environment(), "-m", "retrieval_gate", "run", *arguments)


def test(arguments: list[str]) -> int:
    workers = () if any(argument.startswith(("-n", "-k", "tests/")) for argument in arguments) else WORKERS
    return _in(_environment(), "-m", "pytest", "-q", *workers, *arguments)


def lint(_: list[str]) -> int:
    python = _environment()
    workflows = [str(path) for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
    checks = (
        ("-m", "ruff", "format", "--check", "."),
        ("-m", "ruff", "check", "."),
        ("-m", "mypy"),
        ("-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows),
        ("-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml", "python/action.yml"),
        ("-c", "from importlinter.cli import lint_imports_command as lint; lint()"),
    )
    tools = (("zizmor", "--offline", "--quiet", "."), ("actionlint",), ("hadolint", "Dockerfile"))
    statuses = [_in(python, *check) for check in checks]
    return max(*statuses, *(_in(python.with_name(name), *arguments) for name, *arguments in tools))


def docs(_: list[str]) -> int:
    return _in(_environment(), "-m", "tools.generate")


def lock(arguments: list[str]) -> int:
    python = _environment() if LOCK.exists() else _fresh(ROOT / ".venv-lock")
    _must(python, "-m", "pip", "install", "-q", "uv")
    resolve = ("pip", "compile", "--universal", "--generate-hashes", "--no-emit-index-url", "--no-annotate")
    source = ("--quiet", "--python-version=3.11", "--custom-compile-command=python3 dev.py lock", "pyproject.toml")
    _must(python, "-m", "uv", *resolve, *source, "--group=dev", f"--output-file={LOCK.name}", *arguments)
    # What the image and the composite action install: the same versions, without the tools.
    runtime = ("--extra=http", f"--constraint={LOCK.name}", f"--output-file={RUNTIME_LOCK.name}")
    _must(python, "-m", "uv", *resolve, *source, *runtime)
    examples = ("--group=examples", f"--constraint={LOCK.name}", f"--output-file={EXAMPLES_LOCK.name}")
    return _in(python, "-m", "uv", *resolve, *source, *examples, *arguments)


def picture(_: list[str]) -> int:
    return _in(_environment(), "-m", "tools.picture")


def examples(arguments: list[str]) -> int:
    """None of their tests is skipped for what is not there: all of it is."""
    python = _environment("examples", EXAMPLES_LOCK)
    os.environ["RETRIEVAL_GATE_EXAMPLES_REQUIRED"] = "1"
    return _in(python, "-m", "pytest", "-q", "-n", "2", "--dist=loadscope", *EXAMPLES, *arguments)


def lowest(arguments: list[str]) -> int:
    """The declared lower bounds themselves, beside the locked development tools."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = [requirement.replace(">=", "==") for requirement in project["dependencies"]]
    python = _environment("lowest")
    if _in(python, "-m", "pip", "install", "-q", *pins):
        return 1
    return _in(python, "-m", "pytest", "-q", *WORKERS, "--ignore=tests/container", *arguments)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "test": test,
    "lint": lint,
    "docs": docs,
    "lock": lock,
    "examples": examples,
    "lowest": lowest,
    "picture": picture,
}


def _environment(name: str = "dev", lock: Path = LOCK) -> Path:
    """The interpreter of a virtual environment that holds exactly a lock; made again when the lock changed."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python runs this file, and must be told
        sys.exit("retrieval-gate needs Python 3.11 or newer: run this file with one")
    folder = ROOT / f".venv-{TAG}-{name}"
    python = _python(folder)
    stamp = folder / "installed"
    wanted = hashlib.sha256(lock.read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        print(f"setting up {folder.name} from {lock.name} ...", file=sys.stderr)
        _fresh(folder)
        _install(python, lock)
        _must(python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
        stamp.write_text(wanted, encoding="utf-8")
    return python


def _install(python: Path, lock: Path) -> None:
    """By uv, which takes a third of pip's time; it is in the development lock, and comes first."""
    options = ("-q", "--require-hashes", "--only-binary=:all:")
    installer = python if lock == LOCK else _environment()
    if lock == LOCK:
        with tempfile.TemporaryDirectory() as folder:
            first = Path(folder) / "uv.txt"
            first.write_text(_pinned("uv"), encoding="utf-8")
            _must(python, "-m", "pip", "install", *options, "-r", str(first))
    _must(installer, "-m", "uv", "pip", "install", f"--python={python}", *options, "-r", str(lock))


def _pinned(name: str) -> str:
    """What the development lock says of one package: its version and hashes."""
    _, _, behind = LOCK.read_text(encoding="utf-8").partition(f"\n{name}==")
    lines = re.split(r"\n(?=\S)", behind, maxsplit=1)
    return f"{name}=={lines[0]}\n"


def _fresh(folder: Path) -> Path:
    venv.create(folder, clear=True, with_pip=True)
    return _python(folder)


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _must(python: Path, *arguments: str) -> None:
    if status := _in(python, *arguments):
        sys.exit(status)


def _in(python: Path, *arguments: str) -> int:
    environment = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run([str(python), *arguments], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
