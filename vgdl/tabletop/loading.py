"""Turn-based games by name: those of this package, and OpenSpiel's if it is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from vgdl.extras import needs
from vgdl.language import suggestion
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

_NAME = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class UnknownGame(LookupError):
    """There is no turn-based game of this name; the message lists the known ones."""


def load(name: str) -> TurnBasedGame:
    """Load a turn-based game by name, with parameters in parentheses.

    Games of this package take precedence over OpenSpiel's, which must be installed (``pip install "vgdl[tabletop]"``).

    Args:
        name: such as ``othello``, ``othello(stage=csquares,ignore_occlusion=true)`` or ``mnk(m=6,n=6,k=4)``.

    Raises:
        UnknownGame: there is no game of this name.
        ValueError: the parameters are wrong.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"a game is written NAME or NAME(key=value,...), not {name!r}")
    if found[1] in OWN:
        return OWN[found[1]](_parameters(found[2] or "", name))
    return _from_open_spiel(name.strip(), found[1])


def names() -> list[str]:
    """The games that `load` accepts without parameters: those of this package, then OpenSpiel's."""
    spiel = _open_spiel()
    return [*OWN, *(name for name in (spiel.registered_names() if spiel else []) if name not in OWN)]


def has_open_spiel() -> bool:
    """Whether OpenSpiel is installed."""
    return _open_spiel() is not None


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
