"""Checks of an upload that read it: in a process of its own, isolated and limited like an entry's, with a deadline.

The web process only passes the bytes on. Python's parser can take minutes for a file of a few hundred kilobytes, and
holds the interpreter's lock all the while, so a hostile upload must not be parsed where pages are made. The process
parses, and runs nothing of the upload. Whether the class can be imported is checked by a worker later.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import threading
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from vgdl import Meter, python_source
from vgdl.competition.agents.failure import AgentFailed, MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Restrictions, Sandbox
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.service import Clock, Method, Patience, Service, text
from vgdl.competition.agents.view import view
from vgdl.competition.entering import Programs
from vgdl.competition.submissions import archive
from vgdl.controllers import Timer
from vgdl.registry import ENTRY_SUFFIXES, Entry

LARGEST_SOURCE = 1 << 20
"""Maximum size of one file with a program, in bytes."""

LARGEST_SOURCES = 8 << 20
"""Maximum size of the programs at the top of an archive together, in bytes."""

LARGEST_FILE = 50 << 20
"""Maximum size of any unpacked file, in bytes."""

CHECK_S = 5.0
"""Seconds of CPU time after which an upload is refused."""

WAIT_S = 10.0
"""Seconds for which an upload waits for the checks of others."""

MOST_AT_ONCE, MOST_WAITING = 2, 6
"""Maximum number of uploads that are checked, and that wait for it, in a web process."""

LONGEST_REFUSAL = 4000
"""Maximum length of the words of a refusal."""

RESTRICTIONS = Restrictions(memory_mb=1024, processes=4, scratch_mb=1)

_running = threading.BoundedSemaphore(MOST_AT_ONCE)
_present = threading.BoundedSemaphore(MOST_AT_ONCE + MOST_WAITING)

_ENTRY = Entry("upload", "upload", "", "")


class CheckAdapter:
    """Checks an upload, in the process of the check."""

    def __init__(self, entry: Entry, meter: Meter) -> None:
        """Import nothing: the upload is an argument of ``check``."""

    def check(self, *, data: bytes, suffixes: list[str], noun: str, needs: str, timer: Timer) -> str:
        """Why the zip file is refused; empty if it is accepted."""
        try:
            files = archive.members(data)
            check_sizes(files)
            programs = Programs(noun, tuple(suffixes), "", needs)
            check_sources(data, [file.filename for file in files], programs)
        except archive.ArchiveError as error:
            return str(error)[:LONGEST_REFUSAL]
        return ""


class NotChecked(Exception):
    """There was no room or no time for a check here; the worker finds out what is wrong."""


def refusal(data: bytes, programs: Programs) -> str:
    """Why a zip file is refused as an upload; empty if it is accepted.

    Args:
        data: the zip file; it is not read in this process.
        programs: what must be in it.

    Raises:
        NotChecked: too many uploads are checked at this moment, or no process could be started.
    """
    with _turn():
        try:
            with AgentProcess(_ENTRY, _service(), _sandbox()) as process:
                process.prepare()
                try:
                    found: str = process.call(
                        "check",
                        data=data,
                        suffixes=list(programs.suffixes),
                        noun=programs.noun,
                        needs=programs.needs,
                    ).value
                except AgentFailed as failure:
                    return f"its Python files cannot be parsed within {CHECK_S:g} seconds and 1 GiB: {failure.cause}"
        except (AgentFailed, IsolationError, MachineBusy, OSError) as error:
            raise NotChecked(str(error)) from None
    return "\n".join(printable(line, 300) for line in found.split("\n"))


def _service() -> Service:
    method = Method(CHECK_S * 1000, text, ("data", "suffixes", "noun", "needs"))
    patience = Patience(factor=1.0, busy_factor=4.0, busy_floor_s=20.0)
    return Service(f"{__name__}:CheckAdapter", {"check": method}, clock=Clock.WALL, patience=patience, import_s=20.0)


@functools.cache
def _sandbox() -> Sandbox:
    """The best sandbox that works here; the process sees Python and this package only."""
    return working_sandbox([_ENTRY], _service(), RESTRICTIONS, view(), "auto")


@contextlib.contextmanager
def _turn() -> Iterator[None]:
    """Wait for a turn.

    Raises:
        NotChecked: too many others wait, or they take too long.
    """
    if not _present.acquire(blocking=False):
        raise NotChecked("too many uploads are checked")
    try:
        if not _running.acquire(timeout=WAIT_S):
            raise NotChecked("the checks of other uploads take long")
        try:
            yield
        finally:
            _running.release()
    finally:
        _present.release()


def check_sizes(files: Sequence[zipfile.ZipInfo]) -> None:
    """Check the sizes of the unpacked files, one by one.

    Raises:
        ArchiveError: one is too large.
    """
    for file in files:
        is_source = file.filename.endswith(ENTRY_SUFFIXES)
        most = LARGEST_SOURCE if is_source else LARGEST_FILE
        if file.file_size > most:
            raise archive.ArchiveError(
                f"{file.filename} has {file.file_size / archive.MIB:.1f} MiB when unpacked; "
                f"{most // archive.MIB} are allowed for {'a program' if is_source else 'a file'}"
            )


def check_sources(data: bytes, names: Sequence[str], programs: Programs) -> None:
    """Check that there is valid Python code at the top level with a class in it, or a program in another language.

    Raises:
        ArchiveError: there is none; the message has line and column of a syntax error.
    """
    tops = _tops(names, programs)
    if not tops:
        raise archive.ArchiveError(f"there is no {programs.files} file at the top of the archive")
    found = 0
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        if sum(opened.getinfo(name).file_size for name in tops) > LARGEST_SOURCES:
            most = LARGEST_SOURCES // archive.MIB
            raise archive.ArchiveError(f"the {programs.files} files at the top have more than {most} MiB together")
        for name in tops:
            if name.endswith(".py"):
                found += sum(isinstance(node, ast.ClassDef) for node in ast.walk(_parsed(opened, name)))
            else:
                found += 1  # a worker lets its interpreter parse it
    if not found:
        raise archive.ArchiveError(f"there is no class in {', '.join(tops)}: a {programs.noun} is {programs.needs}")


def _tops(names: Sequence[str], programs: Programs) -> list[str]:
    """The programs at the top; in the only folder, if the archive has just one."""
    paths = {name: PurePosixPath(name) for name in names}
    inner = len({path.parts[0] for path in paths.values()}) == 1 and all(len(path.parts) > 1 for path in paths.values())
    depth = 2 if inner else 1
    return [name for name, path in paths.items() if path.suffix in programs.suffixes and len(path.parts) == depth]


def _parsed(opened: zipfile.ZipFile, name: str) -> ast.Module:
    try:
        with opened.open(name) as packed:
            source = packed.read(LARGEST_SOURCE + 1)  # whatever size the archive declares
        return python_source.parse(source)  # without its name: Python would quote a file of that name here
    except SyntaxError as error:
        raise archive.ArchiveError(_syntax(name, error)) from None
    except archive.DAMAGED as error:
        is_source = type(error) is ValueError
        kind = "not Python" if is_source else "damaged"
        raise archive.ArchiveError(f"{name} is {kind}: {printable(str(error), 200)}") from None
    except (RecursionError, MemoryError):
        raise archive.ArchiveError(f"{name} is not Python: an expression is nested too deeply") from None


def _syntax(name: str, error: SyntaxError) -> str:
    """Describe a syntax error, with the line and a caret if Python knows where it is."""
    if not error.lineno:
        return f"{name}: {printable(error.msg, 200)}"
    words = f"{name}, line {error.lineno}, column {error.offset}: {printable(error.msg, 200)}"
    line = printable((error.text or "").rstrip("\n"), 120)
    caret = " " * max(0, min(120, (error.offset or 1) - 1)) + "^"
    return f"{words}\n{line}\n{caret}" if line.strip() else words
