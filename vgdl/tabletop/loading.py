"""Turn-based games by name: those of this package, of installed packages, of files, and of OpenSpiel if installed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vgdl.extras import needs
from vgdl.language import suggestion
from vgdl.registry import EntryInvalid, Registry, described_failure
from vgdl.tabletop.army import Army
from vgdl.tabletop.bargaining import Bargaining
from vgdl.tabletop.hand_of_war import HandOfWar
from vgdl.tabletop.othello_game import Othello
from vgdl.tabletop.pong import Pong
from vgdl.tabletop.protocols import TurnBasedGame
from vgdl.tabletop.quadranto import Quadranto
from vgdl.tabletop.surround import Surround

OWN: dict[str, Callable[[Mapping[str, str]], TurnBasedGame]] = {
    "othello": Othello.of,
    "pong": Pong.of,
    "surround": Surround.of,
    "bargaining_rounds": Bargaining.of,
    "army5x5a": Army.of,
    "quadranto": Quadranto.of,
    "hand_of_war": HandOfWar.of,
}  #: constructors by short name, which take the parameters

GAMES: Registry[TurnBasedGame] = Registry(
    "turn-based game",
    (),
    base=TurnBasedGame,
    methods=("new_initial_state(self)", "num_distinct_actions(self)", "max_game_length(self)"),
    group="vgdl.tabletop",
    example="nim.py:Nim",
    needs_base=False,
)
"""Games of others: classes in files, and entry points of installed packages."""

_IN_FILE = re.compile(r"\s*(.*?\.py(?::\w*)?)\s*(?:\((.*)\))?\s*", re.DOTALL)
_NAME = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class UnknownGame(LookupError):
    """There is no turn-based game of this name; the message lists the known ones.

    >>> from vgdl import tabletop
    >>> try:
    ...     tabletop.load("othelo")
    ... except tabletop.UnknownGame as error:
    ...     print(str(error).split(".")[0])
    there is no turn-based game 'othelo' (did you mean 'othello'?)
    """


def load(name: str) -> TurnBasedGame:
    """Load a turn-based game by name, with parameters in parentheses.

    Games of this package take precedence over those of other packages (entry points of the group ``vgdl.tabletop``),
    and these over OpenSpiel's, which must be installed (``pip install "vgdl[tabletop]"``). A file is imported, so it
    can do anything that you can do.

    >>> from vgdl import tabletop
    >>> game = tabletop.load("othello(size=4)")
    >>> game.num_players(), len(game.new_initial_state().legal_actions())
    (2, 4)

    Args:
        name: such as ``othello``, ``othello(stage=csquares,ignore_occlusion=true)`` or ``mnk(m=6,n=6,k=4)``; or a class
            in a file, ``nim.py:Nim`` or ``nim.py:Nim(heaps=3)``, whose parameters are those of the constructor. A
            value is a whole number, a decimal one, ``true``, ``false`` or text.

    Raises:
        UnknownGame: there is no game of this name.
        EntryInvalid: a class is no game, or fails to construct one.
        ValueError: the parameters are wrong; or there is no such file or class (`vgdl.registry.EntryNotFound`).
    """
    own = _IN_FILE.fullmatch(name)
    if own is not None:
        return _constructed(own[1], _parameters(own[2] or "", name))
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"a game is written NAME or NAME(key=value,...), not {name!r}")
    if found[1] in OWN:
        return OWN[found[1]](_parameters(found[2] or "", name))
    if found[1].lower() in GAMES.known:
        return _constructed(found[1], _parameters(found[2] or "", name))
    return _from_open_spiel(name.strip(), found[1])


def is_in_file(name: str) -> bool:
    """Whether a name is one of a class in a Python file."""
    return _IN_FILE.fullmatch(name) is not None


def file_of(name: str) -> Path | None:
    """The Python file in which a game is, as a path; None if its name is not one of a class in a file."""
    found = _IN_FILE.fullmatch(name)
    return None if found is None else Path(found[1].rpartition(".py")[0] + ".py")


def absolute(name: str) -> str:
    """The name of a game, with the path of its file made absolute if it is in one."""
    path = file_of(name)
    return name if path is None else name.strip().replace(str(path), str(path.resolve()), 1)


def names() -> list[str]:
    """The games that `load` accepts by name: those of this package, of other packages, then OpenSpiel's.

    >>> from vgdl import tabletop
    >>> tabletop.names()[:3]
    ['othello', 'pong', 'surround']
    """
    spiel = _open_spiel()
    return list(dict.fromkeys([*OWN, *GAMES.names(), *(spiel.registered_names() if spiel else [])]))


def has_open_spiel() -> bool:
    """Whether OpenSpiel is installed."""
    return _open_spiel() is not None


def _constructed(name: str, parameters: Mapping[str, str]) -> TurnBasedGame:
    """A game of others, with these parameters of its constructor."""
    entry = GAMES.find(name)
    found: Any = GAMES.load(entry)
    accepted = inspect.signature(found).parameters
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in accepted.values())
    for key in parameters:
        if key not in accepted and not takes_any:
            there = f"it has {', '.join(accepted)}" if accepted else "it has none"
            raise ValueError(f"{entry.class_name} has no parameter {key!r}{suggestion(key, list(accepted))}; {there}")
    for key, each in accepted.items():
        variadic = each.kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        if each.default is inspect.Parameter.empty and not variadic and key not in parameters:
            raise ValueError(f"{entry.class_name} needs the parameter {key}: {name}({key}=...)")
    try:
        game: TurnBasedGame = found(**{key: _value(text) for key, text in parameters.items()})
        game.get_type().short_name  # noqa: B018  (every message and the searches need it)
    except Exception as error:
        raise EntryInvalid(f"{name} cannot be constructed: {described_failure(entry.location, error)}") from error
    return game


def _value(text: str) -> int | float | bool | str:
    """The value of a parameter."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _parameters(text: str, name: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"{name}: a parameter is written key=value, not {part!r}")
        if key.strip() in pairs:
            raise ValueError(f"{name}: {key.strip()} is given twice")
        pairs[key.strip()] = value.strip()
    return pairs


def _from_open_spiel(name: str, short: str) -> TurnBasedGame:
    spiel = _open_spiel()
    known = names()
    if spiel is None or short not in known:
        hint = suggestion(short, known)
        more = "" if spiel else f"; {needs('any other game', 'OpenSpiel', 'tabletop')}"
        raise UnknownGame(
            f"there is no turn-based game {short!r}{hint}. There are {', '.join(known[:12])}"
            f"{' and others' if len(known) > 12 else ''}{more}"
        )
    try:
        game: TurnBasedGame = spiel.load_game(name)
    except spiel.SpielError as error:
        raise ValueError(f"{name}: {str(error).splitlines()[0]}") from None
    return game


def _open_spiel() -> Any:
    """The module ``pyspiel``, or None."""
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel
