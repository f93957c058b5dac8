"""VGDL games as ARC games: ids, levels, keys, colours and the position of every pixel (spec, 6)."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import vgdl
from vgdl import Action, games
from vgdl.competition.tracks.arc import colors as palettes
from vgdl.competition.tracks.arc import measured
from vgdl.competition.tracks.arc.determinism import is_deterministic
from vgdl.competition.tracks.arc.frame import CLICK, SIZE, SPECIAL, UNDO, Layer
from vgdl.competition.tracks.arc.options import Clicks, Options, Way
from vgdl.competition.tracks.arc.painting import HEALTH, Painter
from vgdl.competition.tracks.arc.playable import GameInfo
from vgdl.competition.tracks.arc.vgdl_play import VgdlPlay
from vgdl.core.data.layout import SpriteOp, TerminationOp
from vgdl.core.data.tables import RulesTables
from vgdl.game import Board, Game
from vgdl.language import Level, VGDLError, read_level_file

MOST_LEVELS = 254  #: the protocol counts levels from 0 to 254
HUD_ROWS = 2
MOST_PER_PIXEL = 2  #: most cells per pixel along a side, in levels with more cells per side than a frame has pixels
FPS = 5  #: frames per second that clients show by default
KEYS: Mapping[Action, int] = MappingProxyType(
    {Action.UP: 1, Action.DOWN: 2, Action.LEFT: 3, Action.RIGHT: 4, Action.USE: SPECIAL}
)
NIL_IDS = (5, 2, 1, 3, 4)  #: NIL, which ARC does not have, gets the first free one of these


class UnfitGameError(ValueError):
    """A VGDL game that cannot be offered as an ARC game; the message says why."""


class VgdlGame:
    """A VGDL game, playable with keys or clicks.

    Immutable. Created by `bundled` and `from_folder`.

    Args:
        game: with at least one level file.
        way: whether it is played with keys, clicks or both.
        clicks: the meaning of a click; required unless it is played with keys only.
        base: the first part of its id.
        options: options of all games offered together.
        nil_id: the id of the action that waits; by default the first free one of `NIL_IDS`.

    Raises:
        UnfitGameError: it does not have one player and 1 to `MOST_LEVELS` levels, the meaning of clicks is not given,
            or a level does not fit a frame even with `MOST_PER_PIXEL` cells to a pixel along each side.
    """

    def __init__(
        self,
        game: Game,
        way: Way = Way.KEYBOARD,
        clicks: Clicks | None = None,
        *,
        base: str,
        options: Options | None = None,
        nil_id: int | None = None,
    ) -> None:
        self.game = game
        self.way = way
        self.clicks = clicks if way is not Way.KEYBOARD else None
        self.base = base
        self.options = options or Options()
        self._nil_id = nil_id
        if game.n_players != 1:
            raise UnfitGameError(f"{game.name}: {game.n_players} players, expected 1")
        if way is not Way.KEYBOARD and clicks is None:
            raise UnfitGameError(f"{game.name}: the meaning of clicks is not defined: expected clicks = in its facts")
        if not 1 <= len(game.levels) <= MOST_LEVELS:
            raise UnfitGameError(f"{game.name}: {len(game.levels)} levels, expected 1 to {MOST_LEVELS}")
        self._levels = tuple(read_level_file(path) for path in game.levels)
        self.version = self._version()
        self.id = f"{base}-{self.version}"
        self.title = base.upper()
        self._layouts = tuple(_layout(game.name, level, len(self._hud)) for level in self._levels)

    # ------------------------------------------------------------------------------------------ what agents know

    @property
    def win_levels(self) -> int:
        return len(self._levels)

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def about(self) -> str:
        return f"{self.way}, {self.clicks}" if self.clicks else self.way.value

    @property
    def fresh_chance(self) -> bool:
        return self.options.fresh_chance

    @cached_property
    def avatar_keys(self) -> frozenset[Action]:
        """The keys that some avatar of the game understands."""
        table = self._rules.table["types"]
        bits = [int(table[number]["action_bits"]) for number in self._drawn_or_born if table[number]["avatar_object"]]
        return frozenset(action for action in KEYS if any(some >> action & 1 for some in bits))

    @cached_property
    def keys(self) -> Mapping[int, Action]:
        """The keys by action id, including NIL if there is a free id for it (spec, 6.2)."""
        keys = {KEYS[action]: action for action in self.avatar_keys}
        if self.options.nil:
            free = [number for number in (self._nil_id, *NIL_IDS) if number is not None and number not in keys]
            if free:
                keys[free[0]] = Action.NIL
        return MappingProxyType(dict(sorted(keys.items())))

    @cached_property
    def actions(self) -> tuple[int, ...]:
        """Ids of the actions that are offered, without RESET."""
        keys = tuple(self.keys) if self.way is not Way.CLICK else ()
        clicks = (CLICK,) if self.way is not Way.KEYBOARD else ()
        return keys + clicks + ((UNDO,) if self.options.undo else ())

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The way of playing, and optionally ``deterministic`` and ``survival`` (spec, 6.1)."""
        known = measured.entries().get(self.version)
        deterministic = known["deterministic"] if known else is_deterministic(self.boards)
        survival = is_survival(self.game)
        return (self.way.value, *(("deterministic",) * deterministic), *(("survival",) * survival))

    @cached_property
    def info(self) -> GameInfo:
        return GameInfo(self.id, self.title, self.tags)

    # ------------------------------------------------------------------------------------------ levels and pictures

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """The compiled levels. Raises VGDLError for one that cannot be compiled."""
        return tuple(self.game.drawn(self.seed(k)).board(k) for k in range(self.win_levels))

    def seed(self, level: int) -> int:
        """The seed of a level, the same in every play: 31 bits of a hash of the game's id and the level's number."""
        return int.from_bytes(hashlib.blake2b(f"{self.id} {level}".encode()).digest()[:4], "big") & 0x7FFFFFFF

    def start(self, level: int, seed: int | None = None) -> vgdl.StateObservation:
        """The state before the first tick of a level; ``seed`` replaces the seed of the level."""
        return self.boards[level].start(self.seed(level) if seed is None else seed)

    def begin(self, level: int, chance: int | None = None) -> VgdlPlay:
        """Start a play of a level; ``chance`` replaces the seed of the level."""
        return VgdlPlay(self, level, self.start(level, chance))

    def paint(self, level: int, state: vgdl.StateObservation) -> Layer:
        """Draw a state of a level as a layer."""
        return self._painters[level].paint(state)

    def cell(self, level: int, x: int, y: int) -> tuple[int, int] | None:
        """Column and row of the cell at a pixel; None outside the playfield."""
        pixels, cells, left, top = self._layouts[level]
        shown = self._levels[level]
        column, row = (x - left) * cells // pixels, (y - top) * cells // pixels
        return (column, row) if 0 <= column < shown.width and 0 <= row < shown.height else None

    def pixel(self, level: int, column: int, row: int) -> tuple[int, int]:
        """x and y of the pixel in the middle of a cell."""
        pixels, cells, left, top = self._layouts[level]
        half = pixels // cells // 2
        return left + column * pixels // cells + half, top + row * pixels // cells + half

    @cached_property
    def colors(self) -> palettes.Colors:
        shown = [number for number in self._drawn_or_born if self._is_visible(number)]
        held = [number for number in self._hud if number != HEALTH and number not in shown]  # bars, never sprites
        permuted = palettes.permutation(self.base, self.version, self.options.palette_seed)
        return palettes.deal(self.options.palette, permuted, len(self.game.types), shown + held, self._scenery)

    @cached_property
    def _painters(self) -> tuple[Painter, ...]:
        colors = self.colors
        ground = colors.letterbox, colors.background, colors.marker
        return tuple(
            Painter(board.tables, (pixels, cells), (left, top), ground, colors.types, colors.corners, self._hud)
            for board, (pixels, cells, left, top) in zip(self.boards, self._layouts, strict=True)
        )

    # ------------------------------------------------------------------------------------------ of the VGDL game

    @property
    def _rules(self) -> RulesTables:
        return self.game._rules.tables

    @cached_property
    def _drawn_or_born(self) -> tuple[int, ...]:
        """The types that appear in a level of the game or that the rules can create, ascending."""
        mapping = self.game.level_mapping
        used = set("".join(level.source.text for level in self._levels))
        names = {name for character, stands_for in mapping.items() if character in used for name in stands_for}
        order = sorted(self.game.order)
        return tuple(number for number in order if number in self.game.created or self.game.types[number] in names)

    def _is_visible(self, number: int) -> bool:
        row = self._rules.table["types"][number]
        is_pointer = row["op"] == SpriteOp.CLICK_AVATAR  # it would cover the clicked sprite
        return bool(row["creatable"]) and not row["hidden"] and not self.game.looks[number].invisible and not is_pointer

    @cached_property
    def _hud(self) -> tuple[int, ...]:
        """The contents of the bars at the bottom; empty if avatars carry nothing and have no health."""
        table = self._rules.table["types"]
        avatars = [number for number in self._drawn_or_born if table[number]["avatar_object"]]
        health = (HEALTH,) if any(table[number]["max_health_points"] > 0 for number in avatars) else ()
        return (*(int(number) for number in self._rules.table["resources"]), *health)

    @cached_property
    def _scenery(self) -> frozenset[int]:
        """Leaf types that take part in no effect."""
        rows = self._rules.table
        pool, types = rows["pool"], rows["types"]
        taking_part: set[int] = set()
        for pair in rows["pairs"]:
            for number in (int(pair["first"]), int(pair["second"])):
                if number >= 0:
                    start = int(types[number]["subtypes_start"])
                    taking_part.update(int(x) for x in pool[start : start + int(types[number]["subtypes_len"])])
        return frozenset(range(len(types))) - taking_part

    def _version(self) -> str:
        """Eight hexadecimal digits that change with the rules, the levels or the meaning of actions."""
        mapped = (self.way, self.clicks or "", self._nil_id or "", self.options.nil, self.options.undo)
        parts = [_without_comments(self.game.text), *(level.source.text for level in self._levels), *map(str, mapped)]
        key = hashlib.blake2b()
        for part in parts:
            key.update(hashlib.blake2b(part.encode()).digest())
        return key.hexdigest()[:8]

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.game, self.way, self.clicks, self.base, self.options, self._nil_id)

    def __repr__(self) -> str:
        return f"<VgdlGame {self.id}: {self.game.name}, {self.way}>"


def _without_comments(text: str) -> str:
    """The rules without comments, so that changing a comment does not change the game's version."""
    lines = (line.partition("#")[0].rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def is_survival(game: Game) -> bool:
    """Whether a game can be won only by surviving until a time limit, so that efficiency is meaningless."""
    wins = [row["op"] for row in game._rules.tables.table["terminations"] if row["win"][0]]
    return bool(wins) and all(op == TerminationOp.TIMEOUT for op in wins)


class _Layout(NamedTuple):
    """The position of a level's playfield (spec, 6.3): pixels per cell, as a fraction, and its corner."""

    pixels: int
    cells: int
    left: int
    top: int


def _layout(name: str, level: Level, n_bars: int) -> _Layout:
    """The largest playfield of whole pixels per cell; with more cells than pixels along a side, cells share pixels."""
    columns, rows = level.width, level.height
    height = SIZE - (HUD_ROWS if n_bars else 0)
    pixels, cells = min(SIZE // columns, height // rows), 1
    if pixels == 0:
        pixels, cells = (SIZE, columns) if SIZE * rows <= height * columns else (height, rows)
    if cells > MOST_PER_PIXEL * pixels:
        most = f"{MOST_PER_PIXEL * SIZE} by {MOST_PER_PIXEL * height}"
        raise UnfitGameError(f"{name}: a level of {columns} by {rows} cells, expected at most {most}")
    return _Layout(pixels, cells, (SIZE - pixels * columns // cells) // 2, (height - pixels * rows // cells) // 2)


def _restored(game: Game, way: Way, clicks: Clicks | None, base: str, options: Options, nil_id: int | None) -> VgdlGame:
    """Unpickle a game."""
    return VgdlGame(game, way, clicks, base=base, options=options, nil_id=nil_id)


# ---------------------------------------------------------------------------------------------- collections


def bundled(ways: Iterable[Way] = (Way.KEYBOARD, Way.CLICK), options: Options | None = None) -> list[VgdlGame]:
    """The bundled single-player games, except those that are only about surviving.

    Args:
        ways: keyboard versions are made of all games of the planning sets, others of games whose facts give the meaning
            of clicks.
        options: for all of them.
    """
    return list(_bundled(tuple(ways), options or Options()))


@lru_cache(maxsize=8)
def _bundled(ways: tuple[Way, ...], options: Options) -> tuple[VgdlGame, ...]:
    sets = (*(set for set in games.SETS if set != "two_player"), games.CLICK_SET)
    paths = [games.path(name) for set in sets for name in games.names(set)]
    return tuple(game for game in _offered(paths, ways, options) if not is_survival(game.game))


def from_folder(
    path: str | os.PathLike[str],
    ways: Iterable[Way] = (Way.KEYBOARD, Way.CLICK),
    options: Options | None = None,
    skip: Callable[[UnfitGameError | VGDLError], None] | None = None,
) -> list[VgdlGame]:
    """All VGDL games in a folder: ``<game>.txt`` with ``<game>_lvl0.txt`` and so on.

    An optional ``<game>.toml`` may contain ``clicks`` (``"step"``, ``"walk"`` or ``"point"``), without which there is
    no version with clicks, and ``nil``, the id of the action that waits.

    Args:
        path: path of the folder.
        ways: versions of each game.
        options: for all of them.
        skip: called with the reason if a game cannot be offered, which is an error by default.

    Raises:
        UnfitGameError: the folder has no game that can be offered, or, without ``skip``, one that cannot.
        VGDLError: without ``skip``, a game cannot be read.
    """
    folder = Path(path)
    paths = [file for file in sorted(folder.glob("*.txt")) if file.with_name(f"{file.stem}_lvl0.txt").is_file()]
    if not paths:
        raise UnfitGameError(f"{folder}: no games, expected <game>.txt and <game>_lvl0.txt")
    wanted, chosen = tuple(ways), options or Options()
    taken: set[str] = set()
    offered: list[VgdlGame] = []
    for file in paths:
        try:
            found = _versions(file, wanted, chosen, taken)
            for game in found:
                _ = game.boards  # reports a level that cannot be compiled now rather than during a play
        except (UnfitGameError, VGDLError) as error:
            if skip is None:
                raise
            skip(error)
        else:
            offered += found
    if not offered:
        raise UnfitGameError(f"{folder}: none of its {len(paths)} games can be offered")
    return sorted(offered, key=lambda game: game.title)


def _offered(paths: Iterable[Path], ways: Iterable[Way], options: Options) -> list[VgdlGame]:
    """Every version of every game, with unique ids, sorted by title."""
    wanted = tuple(ways)
    taken: set[str] = set()
    ordered = sorted(paths, key=lambda path: path.stem)
    offered = [game for path in ordered for game in _versions(path, wanted, options, taken)]
    return sorted(offered, key=lambda game: game.title)


def _versions(path: Path, ways: Iterable[Way], options: Options, taken: set[str]) -> list[VgdlGame]:
    """The versions of a game; their bases are added to ``taken``."""
    game = vgdl.load(path)
    clicks, nil_id = _facts(path)
    versions = []
    for way in ways:
        if way is not Way.KEYBOARD and clicks is None:
            continue
        if way is Way.BOTH and clicks is Clicks.STEP:
            continue  # its clicks are its keys
        if way is not Way.CLICK and clicks is Clicks.POINT:
            continue  # made for clicks
        base = _base(path.stem, way, options, taken)
        taken.add(base)
        versions.append(VgdlGame(game, way, clicks, base=base, options=options, nil_id=nil_id))
    return versions


def _base(name: str, way: Way, options: Options, taken: set[str]) -> str:
    """Two letters and two digits that reveal nothing about the game's name and are not taken (spec, 6.4)."""
    if options.plain_ids:
        return f"{name.replace('-', '_')}.{way}"
    attempt = 0
    while True:
        key = f"{name} {way} {options.palette_seed} {attempt}"
        number = int.from_bytes(hashlib.blake2b(key.encode()).digest()[:8], "big")
        letters, digits = divmod(number % (26 * 26 * 100), 100)
        base = f"{chr(97 + letters // 26)}{chr(97 + letters % 26)}{digits:02}"
        if base not in taken:
            return base
        attempt += 1


def _facts(path: Path) -> tuple[Clicks | None, int | None]:
    """The meaning of clicks and the id of the action that waits, from a game's facts."""
    file = path.with_suffix(".toml")
    if not file.is_file():
        return None, None
    try:
        facts = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or nested too deeply
        raise UnfitGameError(f"{file}: {error}") from None
    clicks, nil_id = facts.get("clicks"), facts.get("nil")
    if clicks is not None and clicks not in list(Clicks):
        raise UnfitGameError(f"{file}: clicks = {clicks!r}, expected one of {', '.join(Clicks)}")
    if nil_id is not None and nil_id not in NIL_IDS:
        raise UnfitGameError(f"{file}: nil = {nil_id!r}, expected one of {sorted(NIL_IDS)}")
    return (Clicks(clicks) if clicks else None), nil_id
