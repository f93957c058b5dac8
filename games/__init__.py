"""The games that come with the framework, and what is known about each: names and files only, nothing is parsed here.

A game is three kinds of files in the folder of its set: ``<game>.txt`` (VGDL), ``<game>_lvl0.txt`` and on (levels) and
``<game>.toml`` (facts).

>>> from vgdl import games
>>> games.SETS
('training', 'validation', 'test', 'two_player')
>>> games.names(games.CLICK_SET)
('colourcycle', 'gophers', 'lightswitches', 'meteors', 'pegs', 'slide')
>>> sorted(games.ACTION_SETS[games.facts("sokoban").actions])
['DOWN', 'LEFT', 'RIGHT', 'UP']
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

__all__ = ["ACTION_SETS", "CLICK_SET", "SETS", "Facts", "facts", "is_bundled", "levels", "names", "path"]

#: The sets of the planning competition.
SETS = ("training", "validation", "test", "two_player")
#: Games that are played with a mouse: a set of their own, which `names` lists only if asked for it.
CLICK_SET = "click"

#: The action sets by their usual names: what a player can do besides nothing.
ACTION_SETS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "A0": frozenset({"LEFT", "RIGHT", "UP", "DOWN", "USE"}),
        "A1": frozenset({"LEFT", "RIGHT", "UP", "DOWN"}),
        "A2": frozenset({"LEFT", "RIGHT", "USE"}),
        "A3": frozenset({"UP", "DOWN"}),
    }
)

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Facts:
    """What the literature tells about a game.

    >>> from vgdl import games
    >>> facts = games.facts("sokoban")
    >>> facts.title, facts.set, facts.actions
    ('Sokoban', 'training', 'A1')
    """

    title: str
    set: str  #: one of ``SETS``, or ``CLICK_SET``
    score_system: str  #: ``B`` binary (only winning counts), ``I`` incremental (small steps), ``D`` discontinuous
    npcs: tuple[str, ...]  #: kinds of characters that move by themselves: ``enemies``, ``friendly``
    several_npc_types: bool  #: whether the literature tells more than one type of them apart
    resources: bool  #: whether the avatar collects things
    terminations: tuple[str, ...]  #: how it ends: ``counters``, ``timeout``, ``exit``
    actions: str  #: a key of ``ACTION_SETS``
    rules: str  #: in words, one paragraph
    clicks: str | None = None  #: what a click means: ``step``, ``walk`` or ``point``; None: only keys


@cache
def names(set: str | None = None) -> tuple[str, ...]:
    """The games of a set, or of all sets of the planning competition, sorted.

    >>> from vgdl import games
    >>> games.names("two_player")
    ('pong', 'snowballs', 'surround2', 'tandem')

    Raises:
        LookupError: no such set.
    """
    if set is None:
        return tuple(sorted(name for name, folder in _folders().items() if folder.name in SETS))
    if set not in (*SETS, CLICK_SET):
        raise LookupError(f"no set called {set!r}; there are {', '.join((*SETS, CLICK_SET))}")
    return tuple(sorted(name for name, folder in _folders().items() if folder.name == set))


def is_bundled(name: str) -> bool:
    """Whether there is a game of that name, in whatever set.

    >>> from vgdl import games
    >>> games.is_bundled("sokoban"), games.is_bundled("chess")
    (True, False)
    """
    return name in _folders()


def path(name: str) -> Path:
    """The VGDL file of a game.

    >>> from vgdl import games
    >>> games.path("sokoban").name
    'sokoban.txt'

    Raises:
        LookupError: no such game.
    """
    return _folder(name) / f"{name}.txt"


def levels(name: str) -> tuple[Path, ...]:
    """The level files of a game, in order.

    >>> from vgdl import games
    >>> [path.name for path in games.levels("sokoban")][:2]
    ['sokoban_lvl0.txt', 'sokoban_lvl1.txt']

    Raises:
        LookupError: no such game.
    """
    prefix = f"{name}_lvl"
    files = _folder(name).glob(f"{prefix}*.txt")
    return tuple(sorted(files, key=lambda file: int(file.stem.removeprefix(prefix))))


@cache  # files of the package, which many pages of a site name
def facts(name: str) -> Facts:
    """What is known about a game.

    >>> from vgdl import games
    >>> games.facts("aliens").score_system
    'I'

    Raises:
        LookupError: no such game.
    """
    folder = _folder(name)
    entries = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return Facts(
        title=entries["title"],
        set=folder.name,
        score_system=entries["score_system"],
        npcs=tuple(entries["npcs"]),
        several_npc_types=entries["several_npc_types"],
        resources=entries["resources"],
        terminations=tuple(entries["terminations"]),
        actions=entries["actions"],
        rules=" ".join(entries["rules"].split()),
        clicks=entries.get("clicks"),
    )


@lru_cache(maxsize=1)
def _folders() -> Mapping[str, Path]:
    """The folder of every game by the game's name; a game is what has facts."""
    return {file.stem: file.parent for set in (*SETS, CLICK_SET) for file in (_HERE / set).glob("*.toml")}


def _folder(name: str) -> Path:
    folder = _folders().get(name)
    if folder is None:
        close = difflib.get_close_matches(name, _folders(), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names())}"
        raise LookupError(f"no bundled game called {name!r}; {hint}")
    return folder
