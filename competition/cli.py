"""The command ``vgdl-compete``: tracks and commands by name; without a name, the planning track."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from vgdl.cli import program
from vgdl.competition import commands, track
from vgdl.competition.options import Parser
from vgdl.competition.running import DEFAULT, command
from vgdl.competition.store import OLDEST_TRACK, Store, StoreError
from vgdl.competition.track import Played, Track, TrackNotFound


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    first = words[0] if words else ""
    if first in commands.names():
        status: int = _command(first).main(words[1:])
        return status
    parser = Parser(prog=program("compete"))
    parser.refuse_word(words if first not in track.names() else [], [*commands.names(), *track.names()])
    try:
        if first in track.names():
            return _run(track.find(first), words[1:])
        return _run(track.find(_resumed(words)), words, epilog=_others() if {"-h", "--help"} & set(words) else "")
    except TrackNotFound as error:
        parser.error(str(error))


def _run(selected: Track[object], words: Sequence[str], epilog: str = "") -> int:  # type: ignore[type-var]
    """Run the command line of a track; one that is no run of plays has commands only."""
    if isinstance(selected, Played):
        return command(selected, words, epilog)
    name = f"{program('compete')} {selected.name}"
    if words and words[0] in selected.commands:
        return selected.commands[words[0]].run(words[1:])
    listed = "\n".join(f"  {name} {word:<10} {one.summary}" for word, one in selected.commands.items())
    parser = Parser(
        prog=name,
        usage=f"{name} COMMAND ...",
        description=f"{selected.summary[:1].upper()}{selected.summary[1:]}.\n\n{listed}",
        epilog="Each has a --help of its own.",
        formatter_class=Parser.AS_WRITTEN,
    )
    parser.refuse_word(words, selected.commands)
    parser.parse_args(words)
    parser.print_help()
    return 2


def _resumed(words: Sequence[str]) -> str:
    """The track of the store that a command line continues, whichever it is; by default the planning track."""
    finder = Parser(add_help=False, allow_abbrev=False)
    finder.add_argument("--resume", nargs="?", default="")
    path = finder.parse_known_args(words)[0].resume
    if not path or not Path(path).is_file():
        return DEFAULT
    try:
        with Store.open(Path(path), read_only=True) as store:
            return store.track if store.has_competition else OLDEST_TRACK
    except StoreError:
        return DEFAULT  # which says what is wrong


def _command(name: str) -> ModuleType:
    return import_module(f"{commands.__name__}.{name}")


def _others() -> str:
    """The other commands and the tracks, for the end of the help."""
    lines = [f"  {program('compete')} {name:<12} {_command(name).SUMMARY}" for name in commands.names()]
    for name in track.names():
        try:
            summary = track.find(name).summary
        except TrackNotFound as error:
            summary = str(error)
        lines.append(f"  {program('compete')} {name:<12} {summary}")
    return "\n\nother commands and tracks, each with a --help of its own:\n" + "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
