"""The interface of generators of levels, rules and games (generation, 8)."""

from __future__ import annotations

import abc
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vgdl.controllers.base import Timer
from vgdl.core.state import Meter, StateObservation
from vgdl.game import Board, Game
from vgdl.judging.description import GameDescription, describe
from vgdl.language import VGDLError, VGDLRuntimeError

MOST_SIDE = 100
"""Greatest number of columns and of rows of a generated level."""


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes that a level may have, borders included; both ends of a range belong to it.

    >>> from vgdl.generation import Size
    >>> Size.parse("10-14x8").fits(columns=12, rows=8)
    True
    """

    columns: tuple[int, int]
    rows: tuple[int, int]

    @classmethod
    def of(cls, columns: int, rows: int) -> Size:
        """Exactly one size."""
        return cls((columns, columns), (rows, rows))

    @classmethod
    def parse(cls, text: str) -> Size:
        """Read ``12x9`` or ``10-14x8-10``.

        Raises:
            ValueError: it is neither, or a side is not 3 to 100 cells long.
        """
        try:
            columns, rows = (_range(side) for side in text.lower().split("x"))
        except ValueError:
            raise ValueError(f"{text!r} is not a size such as 12x9, or 10-14x8-10 for a range") from None
        if not all(3 <= low <= high <= MOST_SIDE for low, high in (columns, rows)):
            raise ValueError(f"{text!r}: a level has 3 to {MOST_SIDE} columns and rows")
        return cls(columns, rows)

    def draw(self, generator: random.Random) -> tuple[int, int]:
        """Columns and rows, at random."""
        return generator.randint(*self.columns), generator.randint(*self.rows)

    def fits(self, columns: int, rows: int) -> bool:
        """Whether a level of so many columns and rows is allowed."""
        return self.columns[0] <= columns <= self.columns[1] and self.rows[0] <= rows <= self.rows[1]

    def __str__(self) -> str:
        return "x".join(f"{low}" if low == high else f"{low}-{high}" for low, high in (self.columns, self.rows))


def _range(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    return int(low), int(high if dash else low)


@dataclass(frozen=True, slots=True)
class Level:
    """A generated level.

    >>> from vgdl.generation import Level
    >>> Level("xxxxx\\nxA$Gx\\nxxxxx", mapping={"G": ["floor", "hole"]}).mapping
    {'G': ['floor', 'hole']}
    """

    text: str
    mapping: Mapping[str, Sequence[str]] = field(default_factory=dict)  #: own characters, with the types they place


@dataclass(frozen=True, slots=True)
class Rules:
    """Generated rules: the lines below ``InteractionSet`` and ``TerminationSet``, without indentation.

    ``groups`` are further lines for the SpriteSet, a group's name with the sprites that it should hold.

    >>> from vgdl.generation import Rules
    >>> rules = Rules(["goal avatar > killSprite"], ["SpriteCounter stype=goal limit=0 win=True"])
    >>> rules.terminations
    ['SpriteCounter stype=goal limit=0 win=True']
    """

    interactions: Sequence[str]
    terminations: Sequence[str]
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameTexts:
    """A generated game and one to five levels.

    >>> from vgdl.generation import GameTexts
    >>> game = vgdl.load("sokoban")
    >>> texts = GameTexts(game.text, [path.read_text() for path in game.levels])
    >>> vgdl.loads(texts.game, name="mine").start(texts.levels[0], seed=1)
    <StateObservation of mine, <text>, tick 0, score 0, running>
    """

    game: str
    levels: Sequence[str]


class LevelRefused(ValueError):
    """A level cannot be played; the message says why.

    >>> from vgdl.generation import LevelRefused, LevelTask
    >>> try:
    ...     LevelTask(vgdl.load("sokoban")).board("")
    ... except LevelRefused as error:
    ...     print(error)
    <text>: the level is empty
    expected at least one line
    """


class RulesRefused(ValueError):
    """A set of rules or a game cannot be played; the message says why.

    >>> from vgdl.generation import Rules, RulesRefused, rules_task
    >>> task, _ = rules_task(vgdl.load("sokoban"), "xxxxx\\nxA$ox\\nxxxxx\\n", seed=1)
    >>> try:
    ...     task.game(Rules(["sprite_1 EOS > stepBack"], ["SpriteSet"]))
    ... except RulesRefused as error:
    ...     print(str(error).splitlines()[0])
    'SpriteSet' begins a section: expected a rule
    """


class LevelTask:
    """A game that needs levels: its description, and plays of levels.

    >>> from vgdl.generation import LevelTask
    >>> task = LevelTask(vgdl.load("sokoban"))
    >>> state = task.play("xxxxx\\nxA$ox\\nxxxxx")
    >>> state.advance(vgdl.Action.RIGHT)
    >>> state.winner, task.meter.used
    (<Winner.PLAYER_WINS: 1>, 1)
    """

    def __init__(self, game: Game, meter: Meter | None = None) -> None:
        """Prepare the task.

        Args:
            game: for one player.
            meter: counts the forward model calls of all states; by default one of its own.

        Raises:
            ValueError: the game is for two players.
        """
        if game.n_players != 1:
            raise ValueError(f"{game.name} is for {game.n_players} players: levels are generated for one")
        self.game = game.drawn(0)
        self.meter = meter or Meter()
        self.description: GameDescription = describe(self.game)

    def board(self, level: Level | str) -> Board:
        """The rules on a level.

        Raises:
            LevelRefused: the level cannot be built.
        """
        level = Level(level) if isinstance(level, str) else level
        text = level.text if level.text.endswith("\n") else f"{level.text}\n"
        try:
            game = with_mapping(self.game, level.mapping) if level.mapping else self.game
            board = game.board(text)
            board.start(0)
        except (VGDLError, VGDLRuntimeError) as error:
            raise LevelRefused(str(error)) from None
        return board

    def play(self, level: Level | str, seed: int = 0) -> StateObservation:
        """The first state of a play of a level.

        Raises:
            LevelRefused: the level cannot be built.
        """
        state = self.board(level).start(seed)
        state.meter = self.meter
        return state


class LevelGenerator(abc.ABC):
    """Makes levels for a game.

    >>> from vgdl.controllers import Timer
    >>> from vgdl.generation import Level, LevelGenerator, LevelTask, Size
    >>> class Corridor(LevelGenerator):
    ...     def generate(self, size, timer, *, difficulty=None):
    ...         columns, rows = size.draw(self.generator)
    ...         return Level("A$o".ljust(columns, "."))
    >>> generator = Corridor(LevelTask(vgdl.load("sokoban")), Timer(1000), seed=1)
    >>> generator.generate(Size.of(8, 1), Timer(1000)).text
    'A$o.....'
    """

    def __init__(self, game: LevelTask, timer: Timer, *, seed: int) -> None:
        """Prepare for a game.

        Args:
            game: its description, and its forward model.
            timer: time or calls allowed for the preparation.
            seed: of all random numbers.
        """
        self.game = game
        self.generator = random.Random(seed)

    @abc.abstractmethod
    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        """Return a level.

        Args:
            size: the sizes allowed.
            timer: time or calls allowed.
            difficulty: ``easy``, ``medium`` or ``hard``; None for any.
        """


@dataclass(frozen=True)
class RulesTask:
    """Sprites and a level that need rules; names say nothing (generation, 4).

    >>> from vgdl.generation import Rules, rules_task
    >>> task, names = rules_task(vgdl.load("sokoban"), "xxxxx\\nxA$ox\\nxxxxx\\n", seed=1)
    >>> state = task.play(Rules([], ["Timeout limit=2 win=True"]))
    >>> state.rollout([vgdl.Action.NIL] * 9), state.winner
    (3, <Winner.PLAYER_WINS: 1>)
    """

    sprites: str  #: the SpriteSet and the LevelMapping as text, with scrambled names
    description: GameDescription  #: of a game with these sprites and no rules
    level: str  #: text
    meter: Meter = field(default_factory=Meter)

    def game(self, rules: Rules) -> Game:
        """The game with these rules.

        Raises:
            RulesRefused: the rules cannot be read.
        """
        from vgdl.generation.ruleset import compose

        return compose(self.sprites, rules)

    def play(self, rules: Rules, seed: int = 0) -> StateObservation:
        """The first state of a play with these rules.

        Raises:
            RulesRefused: the rules cannot be read, or the level cannot be built with them.
        """
        try:
            state = self.game(rules).board(self.level).start(seed)
        except (VGDLError, VGDLRuntimeError) as error:
            raise RulesRefused(str(error)) from None
        state.meter = self.meter
        return state


class RuleGenerator(abc.ABC):
    """Makes rules for sprites.

    >>> from vgdl.controllers import Timer
    >>> from vgdl.generation import RuleGenerator, Rules, rules_task
    >>> class Waiting(RuleGenerator):
    ...     def generate(self, timer):
    ...         return Rules([], ["Timeout limit=100 win=True"])
    >>> task, _ = rules_task(vgdl.load("sokoban"), "xxxxx\\nxA$ox\\nxxxxx\\n", seed=1)
    >>> Waiting(task, Timer(1000), seed=1).generate(Timer(1000)).terminations
    ['Timeout limit=100 win=True']
    """

    def __init__(self, task: RulesTask, timer: Timer, *, seed: int) -> None:
        """Prepare for some sprites and a level; arguments as for `LevelGenerator`."""
        self.task = task
        self.generator = random.Random(seed)

    @abc.abstractmethod
    def generate(self, timer: Timer) -> Rules:
        """Return a set of rules with a termination that wins and one that loses."""


class GameGenerator(abc.ABC):
    """Makes whole games.

    >>> from vgdl.controllers import Timer
    >>> from vgdl.generation import GameGenerator, GameTexts
    >>> class Copier(GameGenerator):
    ...     def generate(self, idea, timer):
    ...         game = vgdl.load("sokoban")
    ...         return GameTexts(game.text, [game.levels[0].read_text()])
    >>> vgdl.loads(Copier(Timer(1000), seed=1).generate("", Timer(1000)).game).n_players
    1
    """

    def __init__(self, timer: Timer, *, seed: int, meter: Meter | None = None) -> None:
        """Prepare; arguments as for `LevelGenerator`.

        Args:
            timer: time or calls allowed for the preparation.
            seed: of all random numbers.
            meter: to be set as the meter of states, so that their calls count.
        """
        self.generator = random.Random(seed)
        self.meter = meter or Meter()

    @abc.abstractmethod
    def generate(self, idea: str, timer: Timer) -> GameTexts:
        """Return a game.

        Args:
            idea: a sentence that says what game is wanted; empty for any.
            timer: time or calls allowed.
        """


def with_mapping(game: Game, mapping: Mapping[str, Sequence[str]]) -> Game:
    """A game with further level characters, which replace its own of the same name.

    Raises:
        LevelRefused: a character is not one printable character, or a type is unknown.
    """
    from vgdl.game import loads

    for character, names in mapping.items():
        if len(character) != 1 or not character.isprintable() or character in " #":
            raise LevelRefused(f"{character!r:.20} is not a level character: expected one printable character")
        unknown = [name for name in names if name not in game.types]
        if unknown or not names:
            raise LevelRefused(f"{character!r} stands for {unknown[0]!r:.60}, which is no sprite" if unknown
                               else f"{character!r} stands for nothing")  # fmt: skip
    lines = [f"        {character} > {' '.join(names)}" for character, names in mapping.items()]
    return loads("\n".join([game.text.rstrip("\n"), "    LevelMapping", *lines, ""]), name=game.name)
