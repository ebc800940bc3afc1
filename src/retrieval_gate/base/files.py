"""The only reads and writes of user files: bounded, relative to the workspace, no symlink on the way."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from retrieval_gate.base.errors import GateError, InputError, OutputError
from retrieval_gate.base.places import Place


def read_bounded(path: str, *, limit: int, error: type[InputError]) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; raises `error` otherwise."""
    where = Place(file=path)
    try:
        with open(path, "rb", opener=_open_without_waiting) as handle:
            if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
                raise error("not-a-file", "this is not a regular file", fix="name a file", where=where)
            data = handle.read(limit + 1)
    except FileNotFoundError as missing:
        raise error(
            "not-found", "there is no such file", fix="check the path and the working folder", where=where
        ) from missing
    except (OSError, ValueError) as failure:
        raise error(
            "unreadable", "the file can not be read", fix="check its path and permissions", where=where
        ) from failure
    if len(data) > limit:
        raise error(
            "too-large", f"the file is over {limit} bytes", fix="make it smaller, or split it", where=where
        )
    return data


def _open_without_waiting(path: str, flags: int) -> int:
    """Open for reading; a named pipe opens at once instead of waiting for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def guard_output(workspace: Path, relative: str) -> Path:
    """The absolute path of an output, after every refusal of the first seed.

    Refused: a null byte, an absolute path (POSIX or Windows), `..`, anything under `.git`, and a symlink or
    a non-directory at any component on the way, or an existing destination that is not a regular file.
    Raises OutputError. Nothing is created.
    """
    _refuse_shape(relative)
    parts = PurePosixPath(relative.replace("\\", "/") if os.name == "nt" else relative).parts
    if not parts:
        raise _refused(relative, "empty-path", "the output path is empty", "name a file, e.g. report.json")
    current = workspace
    for part in parts[:-1]:
        current = current / part
        _refuse_component(relative, current)
    target = current / parts[-1]
    _refuse_destination(relative, target)
    return target


def write_atomically(workspace: Path, relative: str, text: str) -> None:
    """Write UTF-8 text with `\\n` line ends: checked again, to a temporary file beside it, then renamed."""
    target = guard_output(workspace, relative)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        guard_output(workspace, relative)
        _write_and_rename(target, text.encode("utf-8"))
    except GateError:
        raise
    except OSError as failure:
        raise _refused(
            relative, "unwritable", "the output can not be written", "check permissions and space"
        ) from failure


def _write_and_rename(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _refuse_shape(relative: str) -> None:
    if "\0" in relative:
        raise _refused("(output)", "null-byte", "the output path holds a null byte", "remove it")
    windows = PureWindowsPath(relative)
    if PurePosixPath(relative).is_absolute() or windows.is_absolute() or windows.drive or windows.root:
        raise _refused(
            relative, "absolute-path", "the output path is absolute", "give a path relative to the working folder"
        )
    parts = [part.rstrip(" .").casefold() or part for part in windows.parts]
    if ".." in windows.parts:
        raise _refused(relative, "traversal", "the output path leaves the workspace", "remove '..'")
    if ".git" in parts:
        raise _refused(relative, "git-folder", "the output path is inside .git", "write elsewhere")


def _refuse_component(relative: str, component: Path) -> None:
    mode = _mode(relative, component)
    if mode is None:
        return
    if stat.S_ISLNK(mode):
        raise _refused(relative, "symlink", "a folder on the way is a symlink", "use a real folder")
    if not stat.S_ISDIR(mode):
        raise _refused(relative, "not-a-folder", "something on the way is not a folder", "use a real folder")


def _refuse_destination(relative: str, target: Path) -> None:
    mode = _mode(relative, target)
    if mode is None:
        return
    if stat.S_ISLNK(mode):
        raise _refused(relative, "symlink", "the destination is a symlink", "remove it, or name another file")
    if not stat.S_ISREG(mode):
        raise _refused(relative, "not-a-file", "the destination is not a regular file", "name another file")


def _mode(relative: str, path: Path) -> int | None:
    """What stands at the path itself, links not followed; None where nothing does."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise _refused(
            relative, "unreadable-component", "a folder on the way can not be read", "check its permissions"
        ) from failure


def _refused(relative: str, code: str, what: str, fix: str) -> OutputError:
    return OutputError(code, what, fix=fix, where=Place(file=relative))
