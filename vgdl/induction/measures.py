"""The measures of a learner, in one table: ``python -m vgdl.induction.measures --games sokoban,chase --seeds 5``.

A learner plays the first levels of a game by itself. Then its text predicts plays of held-out levels, and a controller
plays these levels twice, planning on the learnt and on the true text with the same budget. Intervals are bootstrapped
over games and seeds.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import vgdl
from vgdl import Action, Winner
from vgdl.cli import Parser
from vgdl.controllers import Controller, Timer
from vgdl.controllers.base import takes_seed
from vgdl.controllers.registry import load
from vgdl.core.state import Meter, StateObservation
from vgdl.game import Game
from vgdl.induction.evidence import Evidence
from vgdl.induction.learner import Learner
from vgdl.induction.likelihood import Judge, World, differences
from vgdl.induction.observations import Frame, Observer
from vgdl.induction.prior import half_of
from vgdl.induction.shadow import Shadow
from vgdl.induction.spending import Budget
from vgdl.language import VGDLError
from vgdl.option_types import count, positive

LEARNT_FROM, HELD_OUT = (0, 1, 2), (3, 4)  #: numbers of levels
TICKS, TEST_TICKS = 2000, 200  #: of own play; of the held-out plays, by level
LONGEST_LESSON, LONGEST_PLAY = 300, 1000  #: ticks of a play, of the learner and of the controller
PLAYER, CALLS = "champion", 400  #: the controller, and its forward model calls per tick
DISTRACTORS = 8  #: false next states among which the true one is ranked
_RESAMPLES = 2000  #: bootstrap samples of an interval


@dataclass(frozen=True)
class Measures:
    """What was learnt of a game with a seed.

    Attributes:
        game, seed: which run.
        half: whether the game is one for development, by a hash of its name; the other half is for validation.
        explained: share of held-out ticks without a difference that chance does not explain.
        bits: bits per held-out tick.
        rank: mean reciprocal rank of the true next state among those of other actions and ticks.
        won, won_true: plays of held-out levels won with the learnt and with the true text, of ``plays``.
        lessons: ticks of own play and plays won in them, cumulated, at the end of each play.
        hypotheses, ticks: what the search compiled and simulated.
    """

    game: str
    seed: int
    half: str
    explained: float
    bits: float
    rank: float
    won: int
    won_true: int
    plays: int
    lessons: tuple[tuple[int, int], ...]
    hypotheses: int
    ticks: int


def measure(name: str, *, seed: int, ticks: int = TICKS, budget: Budget | None = None, plays: int = 1) -> Measures:
    """Let a learner play a bundled game, and measure what it has learnt.

    Args:
        name: name of the game.
        seed: of the learner, the numbers of types, the plays and the controller.
        ticks: of own play.
        budget: of the search.
        plays: plays of each held-out level with either text.
    """
    game = vgdl.load(name)
    observer, learner = Observer(seed), Learner(seed, budget)
    lessons = tuple(teach(game, learner, observer, ticks, seed))
    levels = [level for level in HELD_OUT if level < len(game.levels)]
    tests = Evidence()
    for level in levels:
        watch(tests, game, level, learner, observer, seed, TEST_TICKS, TEST_TICKS)
    explained, bits, rank = _judged(learner, tests, random.Random(seed))
    won = [_won(game, level, learner, observer, seed + k) for level in levels for k in range(plays)]
    true = [_won(game, level, None, observer, seed + k) for level in levels for k in range(plays)]
    judge = learner.search.judge
    return Measures(
        name, seed, half_of(name), explained, bits, rank, sum(won), sum(true), len(won), lessons, judge.judged,
        judge.simulated,
    )  # fmt: skip


def names_of(game: Game, learner: Learner, observer: Observer) -> dict[int, str]:
    """The names in a learnt text by the numbers of types in the true game; of types never seen, unused ones."""
    numbers = {number: observer.number_of(number) for number in range(len(game.types))}
    return {number: learner.names.get(seen, f"unseen{number}") for number, seen in numbers.items()}


def teach(
    game: Game,
    learner: Learner,
    observer: Observer,
    ticks: int,
    seed: int,
    levels: Sequence[int | str] = LEARNT_FROM,
    longest: int = LONGEST_LESSON,
) -> Iterator[tuple[int, int]]:
    """Let a learner play levels in turn, each for ``longest`` ticks at most; yields ticks and wins after each play."""
    draws = random.Random(seed)
    turns = itertools.cycle(levels)
    played = wins = 0
    while played < ticks:
        level = next(turns)
        state = game.start(level if isinstance(level, str) else level % len(game.levels), seed=draws.getrandbits(31))
        learner.observe(observer.observe(state), starts=True)
        for _ in range(min(longest, ticks - played)):
            if state.is_over:
                break
            state.advance(learner.act())
            learner.observe(observer.observe(state))
            played += 1
        wins += state.winner == Winner.PLAYER_WINS
        yield played, wins
    learner.learn(is_last=True)


def watch(
    evidence: Evidence,
    game: Game,
    level: int | str,
    learner: Learner,
    observer: Observer,
    seed: int,
    ticks: int,
    longest: int,
) -> None:
    """Add random plays of a level to the evidence, in the learner's numbers: so many ticks, ``longest`` in a play."""
    draws = random.Random(seed)
    last = evidence.ticks + ticks
    while evidence.ticks < last:
        state = game.start(level, seed=draws.getrandbits(31))
        evidence.add(learner.numbered(observer.observe(state)), starts=True)
        for _ in range(min(longest, last - evidence.ticks)):
            if state.is_over:
                break
            action = draws.choice(state.actions_of(0, nil=True) or (Action.NIL,))
            evidence.act(action)
            state.advance(action)
            evidence.add(learner.numbered(observer.observe(state)), starts=False)


def _judged(learner: Learner, evidence: Evidence, draws: random.Random) -> tuple[float, float, float]:
    """Share of explained ticks, bits per tick, and mean reciprocal rank of the true next states."""
    judge = Judge(evidence)
    try:
        world = judge.world(learner.completed)
        report = judge.report(world)
    except VGDLError:
        return 0.0, float("inf"), 0.0
    ranks = [1 / rank for rank in _ranks(evidence, world, draws)]
    ticks = max(1, report.ticks)
    return 1 - len(report.conflicts) / ticks, report.total / ticks, sum(ranks) / max(1, len(ranks))


def _ranks(evidence: Evidence, world: World, draws: random.Random) -> Iterator[float]:
    """Per tick, the rank of the true next state among other observed states of the play, by differing sprites."""
    for number, play in enumerate(evidence.plays):
        frames = evidence.frames(number, world.hypothesis)
        if play.ticks <= DISTRACTORS:
            continue
        board = world.board(evidence.layouts[number])
        for k in range(0, play.ticks, max(1, play.ticks // 20)):
            state = world.placed(board, frames[k], None, frames[k - 1] if k else None, k)
            state.advance(frames[k].action)
            others = draws.sample([tick for tick in range(len(frames)) if tick != k + 1], DISTRACTORS)
            costs = [_cost(frames[k], state, frames[tick]) for tick in (k + 1, *others)]
            yield 1 + sum(cost < costs[0] for cost in costs[1:]) + 0.5 * sum(cost == costs[0] for cost in costs[1:])


def _cost(before: Frame, state: StateObservation, after: Frame) -> float:
    found = differences(before, state, after)
    return 0 if found is None else len(found.misses) + bool(found.score) + len(found.avatar) + found.end


def _won(game: Game, level: int, learner: Learner | None, observer: Observer, seed: int) -> bool:
    """Whether a controller wins a level, planning on the learnt text, or on the true one without a learner."""
    state = game.start(level, seed=seed)
    meter = Meter()
    draws = random.Random(seed)
    shadow = Shadow(learner, observer.observe(state), draws) if learner is not None else None

    def fresh_view() -> StateObservation:
        if shadow is not None:
            seen = shadow.view()
        else:
            seen = state.copy()
            seen.reseed(draws.getrandbits(31))
        seen.meter = meter
        return seen

    def fresh_controller() -> Controller:
        found: Any = load(PLAYER)
        timer = Timer(budget_calls=CALLS, meter=meter)
        made: Controller = found(fresh_view(), timer, **({"seed": seed} if takes_seed(found) else {}))
        return made

    try:
        controller = fresh_controller()
        for _ in range(LONGEST_PLAY):
            if state.is_over:
                break
            action = Action(controller.act(fresh_view(), Timer(budget_calls=CALLS, meter=meter)))
            if action not in state.actions_of(0, nil=True):
                action = Action.NIL
            state.advance(action)
            if shadow is not None and shadow.follow(action, observer.observe(state)):
                controller = fresh_controller()
    except (VGDLError, ValueError):  # a learnt text that fails wins nothing
        if learner is None:
            raise
    return bool(state.winner == Winner.PLAYER_WINS)


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """Mean and bounds of a bootstrapped 95 % interval."""
    draws = random.Random(seed)
    means = sorted(sum(draws.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES))
    return sum(values) / len(values), means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]


def results_table(rows: Sequence[Measures]) -> Table:
    """A row per game and seed, and one per half with intervals."""
    table = Table(title="Learning the rules from own play", box=box.SIMPLE, pad_edge=False)
    for column in ("game", "seed", "explained", "bits/tick", "MRR", "won", "true text", "wins in lessons"):
        table.add_column(column, justify="left" if column == "game" else "right")
    for row in rows:
        lessons = row.lessons[-1][1] if row.lessons else 0
        numbers = (f"{row.explained:.3f}", f"{row.bits:.1f}", f"{row.rank:.2f}")
        wins = (f"{row.won}/{row.plays}", f"{row.won_true}/{row.plays}", f"{lessons}/{len(row.lessons)}")
        table.add_row(row.game, str(row.seed), *numbers, *wins)
    for half in ("development", "validation"):
        part = [row for row in rows if row.half == half]
        if part:
            table.add_row(half, "", *(_in_words(column) for column in _columns(part)), "", "")
    return table


def _columns(rows: Sequence[Measures]) -> Iterator[list[float]]:
    for name in ("explained", "bits", "rank"):
        yield [getattr(row, name) for row in rows]
    yield [min(1.0, row.won / row.won_true) for row in rows if row.won_true]


def _in_words(values: Sequence[float]) -> str:
    if not values:
        return "–"
    mean, low, high = interval(values)
    return f"{mean:.2f} ({low:.2f}–{high:.2f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure a learner on bundled games."""
    parser = Parser(description="Learn the rules of games from own play, and measure what was learnt.")
    parser.add_argument("--games", default="sokoban", help="names of bundled games, with commas")
    parser.add_argument("--seeds", type=positive, default=1, help="number of seeds, from 0")
    parser.add_argument("--ticks", type=positive, default=TICKS, help="ticks of own play")
    parser.add_argument("--hypotheses", type=positive, default=Budget().hypotheses, help="hypotheses that are compiled")
    parser.add_argument("--simulated", type=positive, default=Budget().ticks, help="ticks that the search simulates")
    parser.add_argument("--plays", type=count, default=1, help="plays of each held-out level with either text; 0: none")
    parser.add_argument("--output", type=Path, help="JSON file for the results")
    options = parser.parse_args(arguments)
    budget = Budget(options.hypotheses, options.simulated)
    rows: list[Measures] = []
    for name in options.games.split(","):
        for seed in range(options.seeds):
            rows.append(measure(name.strip(), seed=seed, ticks=options.ticks, budget=budget, plays=options.plays))
            if options.output is not None:
                facts: list[Mapping[str, object]] = [asdict(row) for row in rows]
                options.output.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
            Console().print(results_table(rows[-1:]))
    Console().print(results_table(rows))


if __name__ == "__main__":
    main()
