"""Sets of games: those bundled with the package, and folders of the user's own games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vgdl import games
from vgdl.competition.errors import CompetitionError
from vgdl.language import suggestion


class SetNotFound(CompetitionError):
    """There is no such set or game; the message lists what exists."""


@dataclass(frozen=True, slots=True)
class GameSet:
    """A named list of game files."""

    name: str
    paths: tuple[Path, ...]

    def only(self, names: Sequence[str]) -> GameSet:
        """The same set restricted to the given games, in the given order.

        Args:
            names: names of games in the set, or paths of any game files, such as ``moles.txt``.

        Raises:
            SetNotFound: a game is not in the set (the message suggests the nearest name), or a file does not exist.
        """
        by_name = {path.stem: path for path in self.paths}
        files = {name: Path(name).resolve() for name in names if name.endswith(".txt")}
        for name, file in files.items():
            if not file.is_file():
                raise SetNotFound(f"there is no game file {name}")
        by_name |= files
        for name in names:
            if name not in by_name:
                if name in games.names():
                    raise SetNotFound(f"{name} is in the set {games.facts(name).set}, not in {self.name}: say --set")
                raise SetNotFound(_unknown("game", name, list(by_name), f" in the set {self.name}"))
        title = self.name if len(files) < len(names) else ", ".join(file.stem for file in files.values())
        return GameSet(title, tuple(by_name[name] for name in names))


def bundled_sets() -> tuple[str, ...]:
    """Names of the bundled sets that contain games."""
    return tuple(name for name in games.SETS if games.names(name))


def find_set(name: str) -> GameSet:
    """Find a bundled set by name, or a folder of games by path.

    Raises:
        SetNotFound: there is no such set; the message suggests the nearest name.
    """
    if name in bundled_sets():
        return GameSet(name, tuple(games.path(game) for game in games.names(name)))
    if not Path(name).is_dir():
        raise SetNotFound(_unknown("set of games or folder", name, bundled_sets()))
    return folder_set(Path(name))


def folder_set(folder: Path) -> GameSet:
    """The games in a folder.

    Raises:
        SetNotFound: there is no such folder, or it contains no games.
    """
    if not folder.is_dir():
        raise SetNotFound(f"there is no folder {folder}")
    folder = folder.resolve()
    paths = tuple(path for path in sorted(folder.glob("*.txt")) if path.with_name(f"{path.stem}_lvl0.txt").is_file())
    if not paths:
        raise SetNotFound(f"the folder {folder} contains no games (<game>.txt with <game>_lvl0.txt ...)")
    return GameSet(folder.name, paths)


def _unknown(what: str, name: str, known: Sequence[str], where: str = "") -> str:
    hint = suggestion(name, known)
    return f"there is no {what} {name!r}{where}{hint}; there are: {', '.join(known) or 'none'}"
