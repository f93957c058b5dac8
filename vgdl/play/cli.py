"""The command ``vgdl-play``."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import vgdl
from vgdl import Game, VGDLError, VGDLRuntimeError, games
from vgdl.cli import Parser, counted, program
from vgdl.controllers import registry
from vgdl.game import LevelLike
from vgdl.option_types import above_zero, number, seed, whole
from vgdl.play import saving, turn_based
from vgdl.play.keys import key_handler
from vgdl.play.match import Match
from vgdl.play.players import Machine, Person, Player
from vgdl.registry import Entry, EntryInvalid
from vgdl.render import Images, Palette
from vgdl.render.ansi import has_display

if TYPE_CHECKING:  # imported only once the command line has been checked, since they import pygame
    from vgdl.play.app import Screen
    from vgdl.play.settings import Settings
    from vgdl.play.table import Table

_DESCRIPTION = """\
Play a game in a window or in the terminal, watch a controller play it, or draw a level for it.

Without a game there is a menu of all of them. Keys are shown in the window; H explains them all."""

_EXAMPLES = """\
examples:
  vgdl-play                                   choose a game
  vgdl-play aliens --level 2                  play a level
  vgdl-play --game my_game.txt                play a game of your own
  vgdl-play aliens --controller samplemcts    watch a controller
  vgdl-play duel.txt --controller random      a two-player game against a controller
  vgdl-play othello --controller mcts         a turn-based game; other than Othello in the terminal
  vgdl-play nim.py:Nim                        a turn-based game of your own: a class in a Python file
  vgdl-play aliens --terminal                 play in the terminal, for example over ssh
  vgdl-play --edit my_game_lvl0.txt           draw a level of my_game.txt"""

_LEVEL_FILE = re.compile(r"(?P<game>.+)_lvl\w*")
_FASTEST = 8.0
_LONGEST = 3_600_000  # milliseconds per move


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit status: 0; 1 if a program failed in a game in the terminal; 2 for wrong arguments or if no window can
        be opened.
    """
    options = _options(arguments)
    table = _in_terminal(options)
    if table is not None:
        from vgdl.play import terminal

        return 0 if terminal.play(table) or not table.error else 1
    if options.terminal or not (has_display() or options.edit):
        return _play_in_terminal(options)
    title, first = plan(arguments)

    from vgdl.play.app import App
    from vgdl.render.display import NoDisplay

    try:
        app = App(title)
    except NoDisplay as error:
        if options.edit or not sys.stdin.isatty():
            _parser().error(str(error))
        return _play_in_terminal(options)
    try:
        app.push(first())
        app.run()
    except KeyboardInterrupt:
        app.close()
    return 0


Plan = tuple[str, Callable[[], "Screen"]]  # the title of the window, and a function that makes its first screen


def _in_terminal(options: argparse.Namespace) -> Table | None:
    """The turn-based game that the command line requests, if it is played in the terminal: it has no board to draw, or
    no window can be opened."""
    if not turn_based.is_turn_based(options.name):
        return None
    with _errors_of_users():
        table = turn_based.table(options)
    return None if turn_based.has_board(table) and not options.terminal and has_display() else table


def plan(arguments: Sequence[str] | None = None) -> Plan:
    """Parse the command line. Errors in it end the program here, before a window is opened."""
    options = _options(arguments)
    with _errors_of_users():
        return _plan(options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    options = _parser().parse_args(arguments)
    with _errors_of_users():
        _check(options)
    return options


@contextlib.contextmanager
def _errors_of_users() -> Iterator[None]:
    """End the program with a message for errors that a command line can lead to."""
    try:
        yield
    except (ValueError, LookupError, OSError, VGDLError, VGDLRuntimeError, EntryInvalid) as error:
        _parser().error(str(error))


def _play_in_terminal(options: argparse.Namespace) -> int:
    """Play a game in the terminal; returns the exit status."""
    from vgdl.play import console

    try:
        console.check()
    except console.NoTerminal as error:
        why = "" if options.terminal else "no window can be opened here: there is no display. In the terminal: "
        _parser().error(f"{why}{error}")
    name = options.name or console.choose_game()
    if name is None:
        return 0
    with _errors_of_users():
        game = _game(name)
        level = _level(0 if options.level is None else options.level)
        _warn(game, level)
        lineup = Lineup(game, options)
        match = Match(game, level, lineup.players(console.people_of(game, lineup.people)), options.seed)
    wanted = not options.no_replays and (lineup.people or options.replays)
    console.show(
        lambda write, system: console.TerminalScreen(
            match,
            write,
            speed=options.speed,
            paused=options.paused,
            palette=Palette(options.palette),
            replays=(options.replays or saving.replay_folder()) if wanted else None,
            color_system=system,
        )
    )
    return 0


def _check(options: argparse.Namespace) -> None:
    """Raise ValueError for mutually exclusive options."""
    if options.game and options.name:
        raise ValueError(f"which game: {options.name} or {options.game}?")
    options.name = options.name or options.game
    if options.edit and options.controller:
        raise ValueError("--edit and --controller exclude each other")
    if options.edit and options.terminal:
        raise ValueError("--edit needs a window; a level is a text file that any editor can change")
    if not options.name and not options.edit and (options.level is not None or options.controller):
        raise ValueError("say which game, as in: vgdl-play aliens --level 2")
    if options.sprites and not options.sprites.is_dir():
        raise ValueError(f"there is no folder {options.sprites}")
    if options.replays and options.replays.exists() and not options.replays.is_dir():
        raise ValueError(f"--replays takes a folder; {options.replays} is a file")


def _plan(options: argparse.Namespace) -> Plan:
    """The screen to show."""
    if options.edit:
        return _plan_editor(options)
    if not options.name:
        return "VGDL games", lambda: _menu(options)
    if turn_based.is_turn_based(options.name):
        table = turn_based.table(options)
        return str(options.name), lambda: turn_based.board(table, paused=options.paused)
    game = _game(options.name)
    level: LevelLike = _level(0 if options.level is None else options.level)
    lineup = Lineup(game, options)
    _warn(game, level)
    return game.name, lambda: _playing(lineup, level, options, _settings(options))


def _game(name: str) -> Game:
    """The video game with a name or in a file."""
    if not games.is_bundled(name) and not Path(name).exists():
        raise turn_based.unknown(name)
    return vgdl.load(name)


def _warn(game: Game, level: LevelLike) -> None:
    """Say how many warnings there are; those about parts that are not played have been shown in full."""
    found = (*game.warnings, *game.board(level).warnings)
    warnings = [warning for warning in found if not isinstance(warning, vgdl.TruncatedGameWarning)]
    if warnings:
        print(f"{game.name}: {counted(len(warnings), 'warning')}; see vgdl-check", file=sys.stderr)


def _menu(options: argparse.Namespace) -> Screen:
    from vgdl.play.menu import game_menu

    settings = _settings(options)

    def opening(name: str, level: LevelLike) -> Screen:
        return _playing(Lineup(vgdl.load(name), options), level, options, settings)

    return game_menu(opening, settings)


def _plan_editor(options: argparse.Namespace) -> Plan:
    from vgdl.play.sketch import Sketch, background_of, mapping_of

    path: Path = options.edit
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder for {path}")
    game = vgdl.load(options.name or _game_of(path))
    background = background_of(game, mapping_of(game))
    columns, rows = options.size
    is_old = path.exists()
    sketch = Sketch.of_file(path, background) if is_old else Sketch.empty(columns, rows, background)
    sketch.saved = is_old

    def first() -> Screen:
        from vgdl.play.editor import EditScreen

        settings = _settings(options)

        def opening(level: LevelLike) -> Screen:
            return _playing(Lineup(game, options), level, options, settings, keep=False)

        return EditScreen(game, sketch, path, opening, settings)

    return f"{path.name} – level editor", first


def _game_of(level: Path) -> str:
    """The game to which a level belongs, according to the name of its file."""
    name = _LEVEL_FILE.fullmatch(level.stem)
    if name is None:
        raise ValueError(f"say which game {level.name} is a level of: vgdl-play GAME --edit {level.name}")
    beside = level.with_name(f"{name['game']}.txt")
    return str(beside) if beside.is_file() else name["game"]


class Lineup:
    """The players of a game: the named controllers, and people for the others."""

    def __init__(self, game: Game, options: argparse.Namespace) -> None:
        """Find the controllers that the options name.

        Raises:
            ValueError: there are more controllers than players, one is unknown, or the person's number is too large.
        """
        named: list[str] = options.controller
        if len(named) > game.n_players:
            players = "one player" if game.n_players == 1 else f"{game.n_players} players"
            raise ValueError(f"{game.name} is for {players}, and --controller was given {len(named)} times")
        if options.player > game.n_players:
            raise ValueError(f"{game.name} is for one player; there is no player {options.player}")
        self.game = game
        entries: list[Entry | None] = [registry.find(name) for name in named]
        people: list[Entry | None] = [None] * (game.n_players - len(named))
        first = people + entries if options.player == 1 else entries + people
        self.machines = [None if entry is None else Machine(entry, options.seed) for entry in first]

    @property
    def people(self) -> int:
        """The number of people who play."""
        return self.machines.count(None)

    def players(self, people: Sequence[Person]) -> list[Player]:
        """The players by their numbers, with these people."""
        waiting = iter(people)
        return [next(waiting) if machine is None else machine for machine in self.machines]


def _playing(
    lineup: Lineup, level: LevelLike, options: argparse.Namespace, settings: Settings, *, keep: bool = True
) -> Screen:
    """The screen that plays a level; ``keep`` says whether plays by hand are saved."""
    from vgdl.play.controls import bindings
    from vgdl.play.playing import PlayScreen

    handlers = [key_handler(lineup.game, bindings(person, lineup.people)) for person in range(lineup.people)]
    players = lineup.players([Person(handler) for handler in handlers])
    wanted = keep and not options.no_replays and (lineup.people or options.replays)
    return PlayScreen(
        Match(lineup.game, level, players, options.seed),
        settings,
        speed=options.speed,
        paused=options.paused,
        replays=(options.replays or saving.replay_folder()) if wanted else None,
    )


def _settings(options: argparse.Namespace) -> Settings:
    from vgdl.play.settings import Settings

    settings = Settings(Images(options.sprites) if options.sprites else None, Palette(options.palette))
    if options.sound:
        settings.sounds.switch()
    return settings


def _level(level: str | int) -> LevelLike:
    """A level by number or path.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(level, int) or level.isdecimal():
        return int(level)
    if not Path(level).is_file():
        raise ValueError(f"--level takes a number, or a file; there is no file {level}")
    return Path(level)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program("play"),
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("game")
    what.add_argument("name", nargs="?", metavar="GAME", help="name of a bundled game, a game file, or FILE.py:CLASS")
    what.add_argument("--game", metavar="FILE", help="the same as GAME")
    what.add_argument("--level", metavar="N", help="number of a level, or a level file (default: 0)")
    what.add_argument("--seed", type=seed, metavar="S", help="seed of every play (default: a fresh one each)")
    who = parser.add_argument_group("players")
    who.add_argument(
        "--controller", action="append", default=[], metavar="NAME",
        help=f"a controller: {', '.join(registry.names())}, or FILE.py:CLASS; twice for both of two players",
    )  # fmt: skip
    who.add_argument(
        "--player",
        type=whole(1, 2),
        metavar="{1,2}",
        default=1,
        help="which player you are, against a controller (default: 1)",
    )
    who.add_argument(
        "--think", type=above_zero(_LONGEST, "milliseconds"), default=1000.0, metavar="MS",
        help="milliseconds per move of mcts, ismcts or alphabeta, which play turn-based games (default: 1000)",
    )  # fmt: skip
    how = parser.add_argument_group("window")
    how.add_argument(
        "--speed", type=_speed, default=1.0, metavar="X", help="times 25 ticks per second, up to 8 (default: 1)"
    )
    how.add_argument(
        "--terminal",
        action="store_true",
        help="play in this terminal, in colours, also over ssh (default without a display)",
    )
    how.add_argument("--paused", action="store_true", help="begin with a pause")
    how.add_argument(
        "--sprites", type=Path, metavar="DIR", help="folder of PNG images for the img= of game texts, where it has them"
    )
    how.add_argument(
        "--palette", choices=[*map(str, Palette)], default=Palette.STANDARD,
        help="colours; safe: for colour-blind people (default: standard; C changes it)",
    )  # fmt: skip
    how.add_argument("--sound", action="store_true", help="begin with sounds (M switches them on and off)")
    keeping = parser.add_argument_group("replays")
    keeping.add_argument(
        "--replays", type=Path, metavar="DIR",
        help=f"folder that finished plays are saved to (default: plays by hand to {saving.replay_folder()})",
    )  # fmt: skip
    keeping.add_argument("--no-replays", action="store_true", help="save no play unless F2 is pressed")
    edit = parser.add_argument_group("level editor")
    edit.add_argument("--edit", type=Path, metavar="FILE", help="draw a level; named GAME_lvl0.txt, it finds its game")
    edit.add_argument(
        "--size", type=_size, default=(20, 12), metavar="WxH", help="cells of a new level (default: 20x12)"
    )
    return parser


def _speed(text: str) -> float:
    speed = number(text)
    if not 0.01 <= speed <= _FASTEST:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a speed between 0.01 and {_FASTEST:g}")
    return speed


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})[x×](\d{1,3})", text)
    columns, rows = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (1 <= columns <= 100 and 1 <= rows <= 100):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a size like 20x12, at most 100x100")
    return columns, rows


if __name__ == "__main__":
    sys.exit(main())
