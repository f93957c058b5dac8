"""Finding the controllers, or other programs, in submitted files, by importing these in an isolated process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from vgdl import Meter
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Clock, Method, Patience, Service
from vgdl.competition.agents.voids import Voids
from vgdl.competition.agents.worker import describe
from vgdl.competition.entering import Programs
from vgdl.controllers import Timer
from vgdl.registry import Entry

MAX_NAME = 100
"""Maximum length of the name of a class, in characters."""

IMPORT_S = 20.0
"""Seconds of CPU time and sleep allowed for importing the files."""

_ADAPTER = "vgdl.competition.submissions.finder:FinderAdapter"


@dataclass(frozen=True, slots=True)
class Found:
    """The contents of imported files, as reported by their own process, which is not trusted."""

    classes: list[tuple[Path, str]]  #: programs, by file and name
    errors: dict[Path, str]  #: tracebacks of files that cannot be imported


class FinderAdapter:
    """Imports files, in the worker's process."""

    def __init__(self, entry: Entry, meter: Meter) -> None:
        """Import nothing yet; the entry's file is one of those passed to ``find``."""

    def find(self, *, files: list[str], listed: str, timer: Timer) -> dict[str, dict[str, list[str] | str]]:
        """The programs in some files, by file, and the tracebacks of files that cannot be imported."""
        module, _, function = listed.partition(":")
        names_in = getattr(import_module(module), function)
        classes: dict[str, list[str] | str] = {}
        errors: dict[str, list[str] | str] = {}
        for file in files:
            try:
                classes[file] = names_in(Path(file))
            except BaseException as error:  # a file may raise anything, SystemExit included
                errors[file] = describe(error)
        return {"classes": classes, "errors": errors}


def find(files: Sequence[Path], programs: Programs, sandbox: Sandbox) -> Found:
    """Import files in a process of their own, and return the programs found in them.

    Raises:
        AgentFailed: the import ended the process or took too long, or the answer was invalid.
        IsolationError: no process can be started.
        MachineBusy: the machine was repeatedly too busy to judge it.
    """
    by_text = {os.fspath(file): file for file in files}

    def read(value: Any) -> Found:
        classes = [(by_text[file], _identifier(name)) for file, names in value["classes"].items() for name in names]
        return Found(classes, {by_text[file]: str(text) for file, text in value["errors"].items()})

    method = Method(IMPORT_S * 1000, read, ("files", "listed"))
    service = Service(_ADAPTER, {"find": method}, clock=Clock.WALL, patience=Patience(factor=1.0))
    entry = Entry("submission", "submission", os.fspath(files[0]), "")
    voids = Voids("check")

    def look() -> Found:
        with AgentProcess(entry, service, sandbox) as agent, voids.judging(entry.name):
            agent.prepare()
            found: Found = agent.call("find", files=list(by_text), listed=programs.listed).value
        return found

    return voids.repeated(look, title=f"the check of {files[0].name}")


def _identifier(name: object) -> str:
    """Validate the name of a class reported by an untrusted process."""
    if not (isinstance(name, str) and name.isidentifier() and len(name) <= MAX_NAME):
        raise ValueError(f"{name!r:.100} is not a name of a class")
    return name
