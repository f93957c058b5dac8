"""Sets of games: folders with ``<game>.txt`` and its levels ``<game>_lvl<number>.txt``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from vgdl.language.errors import nearest
from vgdl.replay import text_sha256

_LEVEL = re.compile(r"(?P<game>.+)_lvl(?P<number>\d+)\.txt")


class SetNotFound(ValueError):
    """There is no such set, game or level; the message says what there is."""


@dataclass(frozen=True, slots=True)
class GameFiles:
    """One game of a set."""

    name: str
    path: Path
    levels: tuple[Path, ...]  #: by number

    @property
    def sha256(self) -> str:
        """Hash of the game's text."""
        return text_sha256(self.path)

    @property
    def level_sha256s(self) -> tuple[str, ...]:
        """Hashes of the levels' texts."""
        return tuple(text_sha256(level) for level in self.levels)


@dataclass(frozen=True, slots=True)
class GameSet:
    """A named list of games, in the order of their names."""

    name: str
    games: tuple[GameFiles, ...]

    def only(self, names: list[str]) -> GameSet:
        """The same set with these games only, in this order.

        Raises:
            SetNotFound: a game is not in the set; with the nearest name.
        """
        by_name = {game.name: game for game in self.games}
        for name in names:
            if name not in by_name:
                raise SetNotFound(_unknown("game", name, list(by_name), f" in the set {self.name}"))
        return GameSet(self.name, tuple(by_name[name] for name in names))


def bundled_sets() -> dict[str, Path]:
    """The folders of the sets that come with the package, by name."""
    root = Path(str(files("vgdl"))) / "games"
    return {folder.name: folder for folder in sorted(root.iterdir()) if folder.is_dir() and _game_paths(folder)}


def find_set(name: str) -> GameSet:
    """Find a bundled set by its name, or any folder with games by its path.

    Raises:
        SetNotFound: there is no such set; with the nearest name.
    """
    bundled = bundled_sets()
    folder = bundled.get(name) or Path(name)
    if not folder.is_dir():
        raise SetNotFound(_unknown("set of games or folder", name, list(bundled)))
    games = tuple(GameFiles(path.stem, path, _levels(path)) for path in _game_paths(folder))
    if not games:
        raise SetNotFound(f"the folder {name} holds no games (<game>.txt with <game>_lvl0.txt ...)")
    return GameSet(folder.name, games)


def _game_paths(folder: Path) -> list[Path]:
    """Games that have a level beside them."""
    return [path for path in sorted(folder.glob("*.txt")) if not _LEVEL.fullmatch(path.name) and _levels(path)]


def _levels(game: Path) -> tuple[Path, ...]:
    """Levels 0, 1 ... of a game, up to the first that is missing."""
    numbers = set()
    for path in game.parent.glob(f"{game.stem}_lvl*.txt"):
        if (match := _LEVEL.fullmatch(path.name)) and match["game"] == game.stem:
            numbers.add(int(match["number"]))
    count = next(n for n in range(len(numbers) + 1) if n not in numbers)
    return tuple(game.with_name(f"{game.stem}_lvl{number}.txt") for number in range(count))


def _unknown(what: str, name: str, known: list[str], where: str = "") -> str:
    near = nearest(name, known)
    suggestion = f" (did you mean {near!r}?)" if near else ""
    return f"there is no {what} {name!r}{where}{suggestion}; there are: {', '.join(known) or 'none'}"
