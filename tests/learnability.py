"""Whether each word of VGDL can be learnt: a small game per row of the ontology, made and judged by a program.

A game is made from a template: a walled room with an avatar and a few sprites, and the word in one of its lines. A word
can be seen if random plays of the game differ from those without the line. Then a learner plays the game, and its text
has to predict held-out plays without a difference that chance does not explain.

``python tests/learnability.py [WORD ...]`` prints a line per word.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import vgdl
from vgdl import ontology
from vgdl.cli import Parser
from vgdl.competition.tracks.worldmodels.lessons import teach, watch
from vgdl.core.state import StateObservation
from vgdl.game import Game
from vgdl.induction.amounts import names_type
from vgdl.induction.evidence import Evidence
from vgdl.induction.learner import Learner
from vgdl.induction.likelihood import Judge
from vgdl.induction.observations import Observer
from vgdl.induction.signatures import own_parameters
from vgdl.induction.spending import Budget
from vgdl.language import VGDLError
from vgdl.ontology.rows import Effect, Kind, Refers, SpriteClass, Termination, Word
from vgdl.option_types import positive, seed

TICKS, HELD_OUT = 500, 100  #: ticks of own play, and of the random plays that are to be predicted
LONGEST = 60  #: ticks of a play
BUDGET = Budget(hypotheses=2_500, ticks=150_000)
_SEEN = 240  #: ticks of random play in which the word has to show
_TEMPLATE = """BasicGame square_size=10 obs=wall
    SpriteSet
        wall > Immovable
        gem > Resource limit=9
        c > Missile orientation=LEFT
        b > {thing}
        you > {avatar}
    LevelMapping
        . > wall
        g > gem
        c > c
        b > b
        A > you
    InteractionSet
        you wall > stepBack
        c wall > reverseDirection
        {rule}
    TerminationSet
        {end}
"""
_LEVELS = (
    ".........\n.  b  g .\n. A b   .\n.   g b  \n.c      .\n.........\n",
    ".........\n. g  b  .\n.  b    .\n. bA  g  \n.      c.\n.........\n",
)
_AVATARS = ("MovingAvatar", "MovingAvatar healthPoints=3 limitHealthPoints=5")
_END = "SpriteCounter stype=you win=False"
_THINGS = ("Immovable", "Passive", "Resource", "Portal stype=c", "Missile orientation=UP", "Conveyor orientation=UP")
_PAIRS = ("b you", "you b", "b wall", "c b", "you EOS")
_NAMES = ("c", "gem", "b")


@dataclass(frozen=True)
class Result:
    """How a word was learnt.

    Attributes:
        word: its name.
        is_observed: whether plays of some game differ with it.
        text: the game.
        exact: share of held-out ticks that the learnt text predicts, except for chance.
        learnt: the learnt text.
        hypotheses: number of hypotheses that were compiled.
    """

    word: str
    is_observed: bool
    text: str = ""
    exact: float = 0.0
    learnt: str = ""
    hypotheses: int = 0


def games_of(row: Word) -> Iterator[tuple[str, str]]:
    """Texts of games with the word, each with one that lacks it."""
    if isinstance(row, Effect):
        for avatar, thing, pair, arguments in itertools.product(_AVATARS, _THINGS, _PAIRS, _argument_lists(row)):
            collect = "gem you > collectResource\n        " if "gem" in arguments else ""
            rule = f"{collect}{pair} > {row.name}{arguments}"
            yield _text(thing, avatar, rule), _text(thing, avatar, collect)
    elif isinstance(row, SpriteClass):
        own = "avatar" if row.avatar else "thing"
        for speed, arguments in itertools.product(("", " orientation=LEFT", " speed=0.5"), _argument_lists(row)):
            line = f"{row.name}{arguments}{speed}"
            rule = "" if row.avatar else "b wall > stepBack"
            plain = "NullAvatar" if row.avatar else "Immovable"
            yield _text(**{own: line}, rule=rule), _text(**{own: plain}, rule=rule)
    elif isinstance(row, Termination):
        for name, limit in itertools.product(("b", "gem"), ("1", "2", "3", "20")):
            arguments = "".join(f" {p.name}={name}" for p in own_parameters(row) if names_type(p))
            rule = "b you > killSprite"
            yield _text(rule=rule, end=f"{row.name}{arguments} limit={limit} win=True"), _text(rule=rule)


def _text(thing: str = "Immovable", avatar: str = _AVATARS[0], rule: str = "", end: str = _END) -> str:
    return _TEMPLATE.format(thing=thing, avatar=avatar, rule=rule, end=end)


def _argument_lists(row: Effect | SpriteClass) -> Iterator[str]:
    """Values for the parameters of a word that name types or effects."""
    named = [p.name for p in own_parameters(row) if names_type(p)]
    fixed = "".join(f" {p.name}=killSprite" for p in own_parameters(row) if p.refers is Refers.EFFECT)
    if isinstance(row, Effect):  # a limit of 0 makes most conditions true at all times
        fixed += "".join(f" {p.name}=1" for p in own_parameters(row) if p.kind is Kind.INT and p.default == 0)
    for start in range(len(_NAMES) if named else 1):
        names = itertools.cycle((*_NAMES[start:], *_NAMES[:start]))
        yield "".join(f" {key}={name}" for key, name in zip(named, names, strict=False)) + fixed


def _level(game: Game, number: int) -> str:
    """A level, without the sprites that only the line with the word would need."""
    text = _LEVELS[number]
    needed = "\n".join(
        line for line in game.text.splitlines() if line.startswith("        ") and line[8:9] not in "cg."
    )
    for symbol, name in (("g", "gem"), ("c", "c")):
        if f"={name}" not in needed and f" {name} " not in f" {needed} ":
            text = text.replace(symbol, " ")
    return text


def shows(text: str, plain: str) -> bool:
    """Whether random plays of two games differ."""
    try:
        games = [vgdl.loads(text), vgdl.loads(plain)]
        level = _level(games[0], 0)
        states = [game.start(level, seed=1) for game in games]
    except VGDLError:
        return False
    draws = random.Random(1)
    for tick in range(_SEEN):
        if tick % LONGEST == 0 or states[0].is_over:
            states = [game.start(level, seed=tick) for game in games]
        actions = states[0].actions_of(0, nil=True) or (vgdl.Action.NIL,)
        action = draws.choice(actions)
        for state in states:
            state.advance(action)
        if states[0].error is not None:
            return False
        if _shown(states[0]) != _shown(states[1]):
            return True
    return False


def _shown(state: StateObservation) -> tuple[object, ...]:
    avatar = state.avatar
    facts = None if avatar is None else (avatar.orientation, avatar.health, tuple(sorted(avatar.resources.items())))
    rows = sorted((number, kind, x, y) for number, kind, _, x, y in state.arrays.tolist())
    return rows, facts, state.score, state.is_over, state.winner


def learnable(row: Word, *, seed: int = 0, ticks: int = TICKS, budget: Budget = BUDGET) -> Result:
    """Learn the first game in which a word shows, and judge the text on held-out plays."""
    text = next((text for text, plain in games_of(row) if shows(text, plain)), None)
    if text is None:
        return Result(row.name, is_observed=False)
    game = vgdl.loads(text)
    observer, learner = Observer(seed), Learner(seed, budget)
    list(teach(game, learner, observer, ticks, seed, [_level(game, 0)], LONGEST))
    exact = held_out(game, _level(game, 1), learner, observer, seed + 1)
    return Result(row.name, True, text, exact, learner.text, learner.search.judge.judged)


def held_out(game: Game, level: str, learner: Learner, observer: Observer, seed: int, ticks: int = HELD_OUT) -> float:
    """Share of the ticks of random plays of a level that the learnt text predicts, except for chance."""
    evidence = Evidence()
    watch(evidence, game, level, learner, observer, seed, ticks, LONGEST)
    judge = Judge(evidence)
    report = judge.report(judge.world(learner.completed))
    return 1 - len(report.conflicts) / max(1, report.ticks)


def rows_of(words: Sequence[str]) -> list[Word]:
    """The rows with these names, or all effects, classes and terminations."""
    rows = [*ontology.ALL_EFFECTS, *ontology.ALL_SPRITE_CLASSES, *ontology.ALL_TERMINATIONS]
    return [row for row in rows if not words or row.name in words]


def main() -> None:
    """Print how words are learnt."""
    parser = Parser(description="Learn a small game for each word of VGDL.")
    parser.add_argument("words", nargs="*", help="the words; default: all")
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--ticks", type=positive, default=TICKS, help="ticks of own play")
    parser.add_argument("--texts", action="store_true", help="also print the games and the learnt texts")
    options = parser.parse_args()
    for row in rows_of(options.words):
        result = learnable(row, seed=options.seed, ticks=options.ticks)
        share = f"{result.exact:.3f}" if result.is_observed else "not seen"
        print(f"{type(row).__name__:12} {row.name:26} {share:9} {result.hypotheses:6} hypotheses", flush=True)
        if options.texts:
            print(result.text, result.learnt, sep="\n")


if __name__ == "__main__":
    main()
