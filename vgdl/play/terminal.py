"""Turn-based games in a terminal, using the strings that every game provides."""

from __future__ import annotations

from collections.abc import Callable

from vgdl.play.table import Table
from vgdl.tabletop import IllegalAction

_LISTED = 24  # maximum number of legal actions shown without being requested
_HELP = "Type an action, its number, ? for all actions, undo, or quit."

Read = Callable[[str], str]  #: asks for a line, as `input` does
Write = Callable[[str], None]


class Quit(Exception):
    """A person ended the game."""


def play(table: Table, read: Read = input, write: Write = print) -> bool:
    """Play a game to its end; returns whether it was finished.

    Args:
        table: the game and its players.
        read: asks for a line; EOFError ends the game.
        write: shows text.
    """
    people = table.names.count(None)
    write(f"{table.game.get_type().long_name}. {_HELP}" if people else str(table.game.get_type().long_name))
    try:
        while not table.is_over:
            if table.is_a_persons_turn:
                _ask(table, read, write)
            else:
                _proceed(table, write, open_game=people == 0 or _is_open(table))
    except (Quit, EOFError):
        return False
    write(str(table.state))
    write(
        table.error
        or "Returns: " + ", ".join(f"player {k + 1} {value:g}" for k, value in enumerate(table.state.returns()))
    )
    return not table.error


def _is_open(table: Table) -> bool:
    """Whether people may see everything."""
    return bool(table.game.get_type().information.name == "PERFECT_INFORMATION")


def _proceed(table: Table, write: Write, *, open_game: bool) -> None:
    """A step that no person makes; outcomes of chance are shown only where nothing is hidden."""
    before = len(table.moves)
    table.pass_time(0.0)
    table.wait()
    for move in table.moves[before:]:
        if move.player >= 0:
            write(f"Player {move.player + 1} ({table.names[move.player]}): {move.name}")
        elif open_game:
            write(f"Chance: {move.name}")


def _ask(table: Table, read: Read, write: Write) -> None:
    """Show what the person to move sees, and read until there is a legal action, an undo, or the end."""
    mover, legal = table.mover, table.state.legal_actions()
    shown = str(table.state) if _is_open(table) else str(table.state.observation_string(mover))
    names = {str(table.state.action_to_string(mover, action)): action for action in legal}
    write(f"\n{shown}")
    _list(names, write, _LISTED)
    while True:
        words = read(f"Player {mover + 1}> ").strip()
        if words in ("quit", "exit"):
            raise Quit
        if words == "undo":
            if table.undo():
                return
            write("You have no move to take back.")
        elif words in ("?", "help", ""):
            write(_HELP)
            _list(names, write, len(names))
        else:
            try:
                table.play(_action(words, names))
                return
            except IllegalAction:
                write(f"{words!r} is not a legal action here.")


def _action(words: str, names: dict[str, int]) -> int:
    """The action meant: by its name in any case, or by its number.

    Raises:
        IllegalAction: there is none.
    """
    folded = {name.casefold(): action for name, action in names.items()}
    if words.casefold() in folded:
        return folded[words.casefold()]
    if words.isdecimal() and int(words) in names.values():
        return int(words)
    raise IllegalAction(words)


def _list(names: dict[str, int], write: Write, most: int) -> None:
    shown = [f"{action}: {name}" for name, action in list(names.items())[:most]]
    more = f" … and {len(names) - most} more" if len(names) > most else ""
    write("Legal: " + ", ".join(shown) + more)
