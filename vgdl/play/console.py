"""Video games in a terminal: the same plays as in the window, drawn with two pixels per character."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import COLOR_SYSTEMS, Console

from vgdl import Game, VGDLError, VGDLRuntimeError, games, text
from vgdl.cli import counted
from vgdl.language import suggestion
from vgdl.play import keyboard, saving
from vgdl.play.keyboard import ESCAPE, HeldByRepeating, Keyboard
from vgdl.play.keys import key_handler
from vgdl.play.match import Match, in_words
from vgdl.play.players import Machine, Person
from vgdl.render.ansi import Canvas, thumbnail
from vgdl.render.palettes import Palette

TICK_S = 0.04  #: real time of a tick at speed 1, as in the competition
SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_IDLE_S = 0.5  # between looks at the size of the terminal while time stands still
_MOST_LATE = 8  # ticks that are made up for after a delay
_HEAD, _FOOT = 1, 2  # lines above and below the board
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"  # another screen, without a cursor
_LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"
_KEYS = (
    ("arrows or W A S D, Space", "play (two people: W A S D and Tab for the second)"),
    ("P", "pause and continue"),
    (".", "play one tick"),
    ("+  -", "faster, slower"),
    ("R", "restart the level"),
    ("N  B", "next level, previous level"),
    ("C", "colours for colour-blind people"),
    ("H", "this help"),
    ("Q  Esc", "quit"),
)


class NoTerminal(RuntimeError):
    """Standard input and output are no terminal that a game can be played in; the message says why."""


def check() -> None:
    """Raise NoTerminal unless a game can be played in this terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminal("standard input and output are no terminal")
    if os.environ.get("TERM", "dumb" if sys.platform != "win32" else "") == "dumb":
        raise NoTerminal("the terminal cannot place its cursor (TERM is dumb)")


class TerminalScreen:
    """Plays a `Match` in a terminal."""

    def __init__(
        self,
        match: Match,
        write: Callable[[str], object],
        *,
        speed: float = 1.0,
        paused: bool = False,
        palette: Palette = Palette.STANDARD,
        replays: Path | None = None,
        color_system: str | None = "truecolor",
        size: Callable[[], tuple[int, int]] = lambda: shutil.get_terminal_size(),
    ) -> None:
        """Show a match.

        Args:
            match: to play.
            write: writes to the terminal, and flushes.
            speed: as a multiple of 25 ticks per second.
            paused: whether to begin paused.
            palette: of the colours.
            replays: folder to which plays are saved when they end; None: they are not saved.
            color_system: as rich names them; None: the board is shown as letters.
            size: columns and lines of the terminal.
        """
        self.match = match
        self.speed = speed
        self.paused = paused
        self.is_over = False  #: whether the player has quit
        self._palette = palette
        self._replays = replays
        self._help = False
        self._message = ""
        self._write, self._size = write, size
        self._system = None if color_system is None else COLOR_SYSTEMS[color_system]
        self._canvas: Canvas | None = None
        self._drawn: object = None  # what the canvas was made for
        self._lines: dict[int, str] = {}  # the texts shown, by line
        people = [player for player in match.players if isinstance(player, Person)]
        self._hands = [HeldByRepeating(person.keys) for person in people]
        self._saved = False

    # ------------------------------------------------------------------------------------ time

    def run(self, keys: Keyboard, clock: Callable[[], float] = time.monotonic) -> None:
        """Play until the player quits, or the terminal is closed."""
        due = clock()
        self.draw()
        while not self.is_over:
            try:
                pressed = keys.read(_IDLE_S if self._waits else due - clock())
            except EOFError:
                return
            for key in pressed:
                self.press(key)
            now = clock()
            if self._waits:
                due = now
            elif now >= due:
                self.tick()
                due = max(due + TICK_S / self.speed, now - _MOST_LATE * TICK_S / self.speed)
            self.draw()

    @property
    def _waits(self) -> bool:
        """Whether time stands still until a key is pressed."""
        return self.paused or self._help or self.match.is_over

    def tick(self) -> None:
        """Play a tick, and save the play if it has ended."""
        self.match.tick()
        for hand in self._hands:
            hand.tick()
        if self.match.is_over and self._replays is not None and self.match.actions and not self._saved:
            self._saved = True
            try:
                self._message = f"saved {saving.save(self.match, self._replays).name}"
            except (OSError, ValueError) as error:
                self._message = f"not saved: {error}"

    # ------------------------------------------------------------------------------------ keys

    def press(self, key: int) -> None:
        """Handle a key."""
        name = "esc" if key == ESCAPE else chr(key) if key < 0x110000 else ""
        if self._help:
            self._help = False
            self._forget()
        elif name in ("q", "esc"):
            self.is_over = True
        elif name == "p":
            self.paused = not self.paused
        elif name == ".":
            self.paused = True
            self.tick()
        elif name in ("+", "=", "-"):
            nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.speed))
            self.speed = SPEEDS[max(0, min(nearest + (-1 if name == "-" else 1), len(SPEEDS) - 1))]
        elif name in ("r", "\r", "\n") and (name == "r" or self.match.is_over):
            self._begin(self.match.restart)
        elif name == "n":
            self._begin(self.match.go_on)
        elif name == "b":
            self._begin(self.match.go_back)
        elif name == "c":
            self._palette = Palette.STANDARD if self._palette is Palette.SAFE else Palette.SAFE
        elif name == "h":
            self._help = True
            self._forget()
        else:
            for hand in self._hands:
                hand.press(key)

    def _begin(self, begin: Callable[[], None]) -> None:
        self._message = ""
        try:
            begin()
            self._saved = False
        except (VGDLError, VGDLRuntimeError) as error:
            self._message = str(error).splitlines()[0]
        for hand in self._hands:
            hand.clear()

    # ------------------------------------------------------------------------------------ drawing

    def _forget(self) -> None:
        """Draw everything anew."""
        self._canvas, self._lines = None, {}
        self._write("\x1b[0m\x1b[2J")

    def draw(self) -> None:
        """Write what has changed."""
        columns, lines = self._size()
        setting = columns, lines, self.match.state.world_dimension, self._palette
        if setting != self._drawn:
            self._drawn = setting
            self._forget()
        room = max(1, lines - _HEAD - _FOOT)
        parts = [self._line(0, self._headline(), columns)]
        if self._help:
            parts += [self._line(_HEAD + k, line, columns) for k, line in enumerate(self._help_lines(columns)[:room])]
        elif self._system is None:
            rows = text.read(self.match.state).split("\n\n")[1].split("\n")
            parts += [self._line(_HEAD + k, row, columns) for k, row in enumerate(rows[:room])]
        else:
            picture = thumbnail(self.match.state, columns, room, self._palette)
            if self._canvas is None:
                self._canvas = Canvas(self._system, (columns - picture.shape[1]) // 2, _HEAD)
            parts.append(self._canvas.draw(picture))
        parts.append(self._line(lines - 2, self._status(), columns))
        parts.append(self._line(lines - 1, self._hints(), columns))
        changes = "".join(parts)
        if changes:
            self._write(changes)

    def _line(self, line: int, words: str, columns: int) -> str:
        """The characters that show a line of text, if it is not shown already."""
        shown = "".join(character if character.isprintable() else " " for character in words)[: columns - 1]
        if self._lines.get(line) == shown:
            return ""
        self._lines[line] = shown
        return f"\x1b[{line + 1};1H\x1b[0m{shown}\x1b[K"

    def _headline(self) -> str:
        state = self.match.state
        scores = " : ".join(f"{score:g}" for score in state.scores)
        rate = "paused" if self.paused else f"x{self.speed:g}"
        return f"{self.match.title}   score {scores}   tick {state.tick}   {rate}"

    def _status(self) -> str:
        if self.match.is_over:
            ticks = counted(self.match.state.tick, "tick")
            failure = f": {self.match.failure.splitlines()[0]}" if self.match.failure else ""
            saved = f"   ({self._message})" if self._message else ""
            return f"{self.match.outcome}{failure}   after {ticks}{saved}"
        answers = [f"{one.title}: {one.answered.name}" for one in self.match.players
                   if isinstance(one, Machine) and one.answered is not None]  # fmt: skip
        return self._message or "   ".join(answers)

    def _hints(self) -> str:
        if self._help:
            return "any key: back to the game"
        if self.match.is_over:
            following = "" if self.match.next_level is None else "   N next level"
            return f"R again{following}   Q quit"
        play = "arrows and Space play   " if self._hands else ""
        return f"{play}P pause   R restart   H help   Q quit"

    def _help_lines(self, columns: int) -> list[str]:
        name = self.match.game.name
        is_bundled = name in games.names() and games.path(name) == self.match.game.path
        words = games.facts(name).rules.split() if is_bundled else []
        lines = [""]
        for word in words:
            if len(lines[-1]) + len(word) + 2 > columns:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
        width = max(len(key) for key, _ in _KEYS)
        keys = [f"{key:{width}}  {meaning}" for key, meaning in _KEYS]
        letters = (
            [] if self._system else [f"{symbol}  {name}" for symbol, name in text.legend(self.match.state).items()]
        )
        return [*lines, "", *keys, "", *letters]


def show(screen: Callable[[Callable[[str], object], str | None], TerminalScreen]) -> None:
    """Play in this terminal until the player quits.

    Args:
        screen: makes the screen from the function that writes, and the terminal's colours as rich names them.

    Raises:
        NoTerminal: standard input or output is no such terminal.
    """
    check()
    console = Console()

    def write(words: str) -> None:
        sys.stdout.write(words)
        sys.stdout.flush()

    made = screen(write, None if console.no_color else console.color_system)
    with keyboard.opened() as keys:
        write(_ENTER)
        try:
            made.run(keys)
        except KeyboardInterrupt:
            pass
        finally:
            write(_LEAVE)


def choose_game(read: Callable[[str], str] = input, write: Callable[[str], None] = print) -> str | None:
    """Let the player choose a bundled game; None at the end of input."""
    for set_name in games.SETS:
        write(f"{in_words(set_name)}: {', '.join(games.names(set_name))}")
    while True:
        try:
            name = read("Game: ").strip()
        except (EOFError, KeyboardInterrupt):
            return None
        if name in games.names():
            return name
        write(f"there is no game {name!r}{suggestion(name, games.names())}")


def people_of(game: Game, people: int) -> list[Person]:
    """The people who play at this terminal."""
    return [Person(key_handler(game, keyboard.bindings(person, people))) for person in range(people)]
