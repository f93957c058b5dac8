"""How people enter programs of theirs into a track's competitions on a site: what they send, and how it went.

A site checks, plays and ranks the programs of any track that says so in `Played.entering`: nothing there knows a
particular track.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from vgdl.competition.store import Store
from vgdl.registry import Registry


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of a kind, in files that people send."""

    noun: str  #: what one is called: "controller"
    suffixes: tuple[str, ...]  #: of the files at the top of an archive that may contain one; the first is ``.py``
    listed: str  #: ``module:function``: the names of those in a file, which it imports; called in an isolated process
    needs: str  #: what a class or a script must have to be one, for messages

    @property
    def files(self) -> str:
        """The kinds of files in words."""
        return " or ".join(_LANGUAGES.get(suffix, suffix) for suffix in self.suffixes)

    @property
    def example(self) -> str:
        """How one in an archive is named."""
        return "FILE.py:CLASS"


_LANGUAGES = {".py": "Python", ".js": "JavaScript"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a program did in a run that has ended, for its owner."""

    message: str  #: in a sentence
    details: str = ""  #: figures, and the traceback of a failure
    failed: bool = False  #: whether it failed anywhere, so that it must not replace an earlier program by itself


class Entering(ABC):
    """How people enter programs into competitions of a track.

    Attributes:
        programs: what they send.
        registry: finds the bundled programs, with which all are compared.
        option: the option of the track that names all who take part.
        baselines: names of bundled programs that a new competition is offered.
        options: ``NAME=VALUE`` of the track's other options, which a new competition is offered.
        example: the smallest program, in Python.
    """

    programs: ClassVar[Programs]
    registry: ClassVar[Registry[Any]]
    option: ClassVar[str]
    baselines: ClassVar[tuple[str, ...]]
    options: ClassVar[tuple[str, ...]]
    example: ClassVar[str]

    @abstractmethod
    def verdict(self, store: Store, name: str) -> Verdict:
        """How a program did.

        Args:
            store: all results of the run, which has ended.
            name: the program's name in rankings.
        """

    def public(self, row: Any) -> Any:
        """A row of the track's store without what only owners of programs may see, such as tracebacks."""
        return row
