"""The command ``vgdl``, which runs every command of the framework: ``vgdl play aliens`` for ``vgdl-play aliens``."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from vgdl import __version__
from vgdl.language import VGDLWarning, suggestion

_EPILOG = """\
vgdl VERB --help explains a verb. Each one is also a command of its own: vgdl-play for vgdl play."""


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in two lines: the usage and the error."""

    AS_WRITTEN = argparse.RawDescriptionHelpFormatter
    """Keeps the lines of the description and of the epilog as they are."""

    def error(self, message: str) -> NoReturn:
        """Print an error and exit with status 2; for an option that there is not, the nearest is suggested."""
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown != message:
            message += suggestion(unknown.split()[0].partition("=")[0], self._option_string_actions)
        self.exit(2, f"usage: {self.prog} [OPTIONS]; {self.prog} --help explains them\n{self.prog}: error: {message}\n")

    def refuse_word(self, words: Sequence[str], commands: Collection[str], kind: str = "command") -> None:
        """Exit with an error if a command line begins with a word that is not an option.

        Args:
            words: the command line, whose first word is not one of the commands.
            commands: the commands that there are, of which the nearest is suggested.
            kind: what they are called.
        """
        if words and not words[0].startswith("-"):
            verb = "is only" if len(commands) == 1 else "are"
            there = f"; there {verb} {', '.join(commands)}" if commands else ""
            self.error(f"there is no {kind} {words[0]!r}{suggestion(words[0], commands)}{there}")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb, whose function takes the arguments after the verb and returns an exit status."""

    module: str  #: imported when the verb is used
    doc: str
    function: str = "main"

    def run(self, arguments: Sequence[str]) -> int:
        """Run the command; raises `SystemExit` for a wrong command line."""
        status: int = getattr(import_module(self.module), self.function)(arguments)
        return status


VERBS: Mapping[str, Verb] = {
    "play": Verb("vgdl.play", "play a game in a window, watch a controller, edit a level"),
    "compete": Verb("vgdl.competition.cli", "play controllers against the clock and rank them"),
    "check": Verb("vgdl.check", "find mistakes in game and level files"),
    "replay": Verb("vgdl.replay_cli", "play recorded games again, verify and show them"),
    "bench": Verb("vgdl.bench", "measure the forward model, or fingerprint the behaviour of games"),
    "doctor": Verb("vgdl.competition.doctor", "report versions, extras and isolation, for bug reports and organisers"),
}
"""All verbs; ``[project.scripts]`` of pyproject.toml has a command ``vgdl-VERB`` for each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb; returns its exit status, or raises `SystemExit` with 2 for a wrong command line."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in VERBS:
        return VERBS[words[0]].run(words[1:])
    parser = _parser()
    parser.parse_args(words[:1])
    parser.refuse_word(words, VERBS, "verb")
    parser.print_help()
    return 2


@contextlib.contextmanager
def writing_output() -> Iterator[None]:
    """Exit with status 1 if standard output cannot be written: silently if its reader has ended, as in ``| head``.

    Exit with status 2 if an argument is too long for the name of a file: the system refuses even to look for it.
    Warnings about games, such as that part of a text is not read, are printed as `vgdl-check` prints them.
    """
    try:
        try:
            with _plain_warnings():
                yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            print(f"vgdl: {error.filename}: {error.strerror}", file=sys.stderr)
            sys.exit(2)
        if error.filename is not None or error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit succeeds
        if error.errno == errno.ENOSPC:
            print(f"vgdl: cannot write the output: {error.strerror}", file=sys.stderr)
        sys.exit(1)


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print warnings about games to standard error, once each, without the line of Python that loaded the game."""
    with warnings.catch_warnings():
        usual = warnings.showwarning
        printed: set[str] = set()

        def show(message: Warning | str, *facts: Any, **others: Any) -> None:
            if not isinstance(message, VGDLWarning):
                usual(message, *facts, **others)
            elif str(message) not in printed:
                printed.add(str(message))
                print(f"warning: {message}", file=sys.stderr)

        warnings.showwarning = show
        yield


def program(verb: str) -> str:
    """A command's name in its help: ``vgdl play`` or ``vgdl-play``, depending on how it was started."""
    started = Path(sys.argv[0])
    as_verb = started.stem == "vgdl" or (started.stem == "__main__" and started.parent.name == "vgdl")
    return f"vgdl {verb}" if as_verb else f"vgdl-{verb}"


def counted(number: int, noun: str) -> str:
    """A number with a regular noun: ``1 tick``, ``2 ticks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _parser() -> Parser:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name:{width}}  {verb.doc}" for name, verb in VERBS.items())
    parser = Parser(
        prog="vgdl",
        usage="vgdl VERB ...",
        description=f"General video game playing: games, controllers, competitions.\n\nverbs:\n{verbs}",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vgdl {__version__}")
    parser.add_argument("verb", nargs="?", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
