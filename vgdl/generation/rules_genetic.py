"""`rules-genetic`: a genetic algorithm for rules, whose children compete by successive halving (generation, 5).

Few sets of rules have any skill depth, and the plays that measure it are dear. A set is therefore tried by random play
first; the better third of each generation is played by OLETS, a third of those by more judges, and so on, with
budgets that grow up to those of the referee. Values are such that a set that comes nearer to a win by skill is better,
long before it has depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from vgdl import Action, Winner
from vgdl.controllers.base import Timer
from vgdl.core.state import Meter, StateObservation
from vgdl.game import Board, Game
from vgdl.generation.interface import RuleGenerator, Rules, RulesRefused
from vgdl.generation.rules import Lines
from vgdl.generation.ruleset import EFFORT, RulesJudgement, idle_shares, judge_rules, rules_feasibility
from vgdl.judging.description import Ending, describe
from vgdl.judging.feasibility import IDLE_TICKS
from vgdl.judging.plays import JUDGES, STRONGEST, Effort, Played, seed_of
from vgdl.judging.profile import DIFFICULTY_JUDGE, Profile
from vgdl.language import VGDLError, VGDLRuntimeError

POPULATION = 50
CROSSOVER = 0.9
MUTATION = 0.1
MOST_LINES = 30  #: of interactions

GOOD = 0.8
"""Value, as the referee measures it, with which rules are good enough to stop before the budget is spent."""

RANDOM_PLAYS = 20
CROWD = 4
"""Sprites at the start, times this, that may be there at once. Games in which sprites multiply without end take seconds
per play; in 300 ticks of random play of the bundled games, the number grows to 1.4 times that of the start at most."""

QUIET_TESTS = 5
"""Tests of doing nothing before the first rung, each with as many plays as the referee's single one."""

ALMOST = 0.99
"""Feasibility of rules that pass the referee's test of doing nothing by luck."""


@dataclass(frozen=True)
class Rung:
    """Who plays the sets of rules that have come so far, and how long."""

    judges: tuple[str, ...]
    effort: Effort

    @property
    def calls(self) -> int:
        """Calls of the forward model, at most."""
        return len(self.judges) * self.effort.plays * self.effort.calls * self.effort.ticks


RUNGS = (
    Rung(("random", DIFFICULTY_JUDGE), Effort(1, 100, EFFORT.ticks)),
    Rung(("donothing", "random", "onesteplookahead", DIFFICULTY_JUDGE, STRONGEST), Effort(2, 300, EFFORT.ticks)),
    Rung(JUDGES, Effort(3, 500, EFFORT.ticks)),
    Rung(JUDGES, replace(EFFORT, plays=2 * EFFORT.plays)),
)
"""A third of the sets at each rung go on to the next. The last rung is what the referee does, with twice the plays.

The first player with foresight is OLETS: with 100 calls per tick, it wins where the champion needs 300.
"""

_KEPT = 3
_LAST = len(RUNGS) - 1


@dataclass
class Individual:
    """A set of rules and what is known of it."""

    rules: Rules
    game: Game | None = None
    feasible: float = 0.0  #: share to which it meets the constraints
    rung: int = -1  #: the last that it has been played at; -1 for random play alone
    value: float = 0.0
    judged: RulesJudgement | None = None  #: at that rung
    calls: int = 0  #: of the forward model at that rung
    ms: float = 0.0  #: that the plays of that rung took

    @property
    def fitness(self) -> tuple[float, float]:
        """Failure is minimised first."""
        return self.feasible, self.value

    @property
    def merit(self) -> tuple[float, float]:
        """What the result is chosen by: the value, less for few plays, as the best of many is often a lucky one."""
        plays = RUNGS[self.rung].effort.plays if self.rung >= 0 else 0
        return self.feasible, self.value * plays / (plays + 1)

    def is_promising(self, rung: int, best: float) -> bool:
        """Whether dearer plays can show more than those of a rung: the best value that is certain is known."""
        if self.judged is None or self.judged.profile is None:
            return False
        if rung == 0:
            return gap(self.judged.profile) > 0
        return self.judged.depth > 0 and (rung < _LAST - 1 or self.value > best)

    @property
    def is_good(self) -> bool:
        """Whether the search can stop."""
        return self.rung == _LAST and self.judged is not None and self.judged.value >= GOOD


class GeneticRules(RuleGenerator):
    """A population of 50, three in four by templates; failures are minimised first, then the value is raised."""

    def generate(self, timer: Timer) -> Rules:
        lines = Lines(self.task)
        seen: set[str] = set()
        finalists: list[Individual] = []
        population: list[Individual] = []
        while not population or not (timer.exceeded or any(one.is_good for one in finalists)):
            children: list[Individual] = []
            for number in range(POPULATION):
                if timer.exceeded and children:
                    break
                children.append(self._quick(self._fresh(population, lines, number, seen)))
            self._halve(children, finalists, timer)
            population = sorted([*population, *children], key=lambda one: one.fitness, reverse=True)[:POPULATION]
        return max([*finalists, *population], key=lambda one: one.merit).rules

    # ---------------------------------------------------------------------------------------------- operators

    def _fresh(self, population: Sequence[Individual], lines: Lines, number: int, seen: set[str]) -> Rules:
        """A set of rules that was not tried before, as far as some draws find one."""
        for _ in range(20):
            if population:
                rules = self._child(population, lines)
            else:
                rules = (lines.at_random if number % 4 == 3 else lines.by_templates)(self.generator)
            text = "\n".join([*rules.interactions, *rules.terminations])
            if text not in seen:
                break
        seen.add(text)
        return rules

    def _child(self, parents: Sequence[Individual], lines: Lines) -> Rules:
        one, other = (self.generator.choices(parents, range(len(parents), 0, -1))[0].rules for _ in range(2))
        interactions, terminations = list(one.interactions), list(one.terminations)
        if self.generator.random() < CROSSOVER:
            cut, start = (self.generator.randint(0, len(rules.interactions)) for rules in (one, other))
            interactions = [*one.interactions[:cut], *other.interactions[start:]]
            terminations = [self.generator.choice((one, other)).terminations[place] for place in (0, 1)]
        if self.generator.random() < MUTATION or interactions == list(one.interactions):
            self._mutate(interactions, terminations, lines)
        unique = list(dict.fromkeys(interactions))[:MOST_LINES]
        return Rules(unique or [lines.interaction(self.generator)], terminations)

    def _mutate(self, interactions: list[str], terminations: list[str], lines: Lines) -> None:
        chance = self.generator.random()
        new = lines.interaction(self.generator)
        if self.generator.random() < 0.5:
            new = self.generator.choice(lines.by_templates(self.generator).interactions)
        if chance < 0.4 or not interactions:
            interactions.insert(self.generator.randint(0, len(interactions)), new)
        elif chance < 0.7:
            interactions.pop(self.generator.randrange(len(interactions)))
        elif chance < 0.9:
            interactions[self.generator.randrange(len(interactions))] = new
        else:
            terminations[:] = lines.terminations(self.generator)

    # ---------------------------------------------------------------------------------------------- judging

    def _quick(self, rules: Rules) -> Individual:
        """The constraints of the referee, and random play."""
        one = Individual(rules)
        try:
            one.game = self.task.game(rules)
            board = one.game.board(self.task.level)
            if is_crowded(board, self.task.meter):
                return one
        except (RulesRefused, VGDLError, VGDLRuntimeError):
            return one
        feasibility, _ = rules_feasibility(one.game, self.task.level, self._seed("quick"), meter=self.task.meter)
        one.feasible = 0.1 + 0.9 * feasibility.mean
        if feasibility.is_feasible:
            one.feasible = 1.0
            one.value = self._chance(board)
        return one

    def _chance(self, board: Board) -> float:
        """How near random play comes to a win at best: 0.1 for a win now and then, 0 if it wins every time."""
        goals, wins, nearest = Goals(board), 0, 0.0
        for number in range(RANDOM_PLAYS):
            seed = self._seed("chance", number)
            state = board.start(seed)
            state.meter = self.task.meter
            state.random_rollout(EFFORT.ticks, seed)
            wins += state.winner == Winner.PLAYER_WINS
            nearest = max(nearest, goals.nearness(state))
        return 0.1 * nearest * (1 - wins / RANDOM_PLAYS)

    def _halve(self, children: Sequence[Individual], finalists: list[Individual], timer: Timer) -> None:
        """Play the better third of some sets at each rung, as far as the budget allows."""
        left = [one for one in children if one.feasible == 1.0]
        for rung in range(len(RUNGS)):
            left = sorted(left, key=lambda one: one.value, reverse=True)[: -(-len(left) // _KEPT)]
            for one in left:
                if not self._affords(one, rung, timer):
                    return
                if rung == 0 and not self._is_quiet(one):
                    one.feasible = ALMOST
                    continue
                calls, began = self.task.meter.used, timer.elapsed_ms
                self._play(one, rung)
                one.calls, one.ms = self.task.meter.used - calls, timer.elapsed_ms - began
            if rung >= _LAST - 1:
                finalists += [one for one in left if one.rung == rung and one not in finalists]
            best = max((one.value for one in finalists if one.rung == _LAST), default=0.0)
            left = [one for one in left if one.rung == rung and one.is_promising(rung, best)]

    @staticmethod
    def _affords(one: Individual, rung: int, timer: Timer) -> bool:
        """Whether the plays of a rung fit into what is left of the budget, by those of the rung before."""
        more = RUNGS[rung].calls / RUNGS[rung - 1].calls if rung > 0 else 0.0
        return not timer.exceeded and more * one.calls <= timer.calls_left and more * one.ms <= timer.remaining_ms

    def _play(self, one: Individual, rung: int) -> None:
        """Let the judges of a rung play a set of rules, and value it."""
        assert one.game is not None
        judged = judge_rules(
            one.game, self.task.level, self._seed("rung", rung), RUNGS[rung].effort, judges=RUNGS[rung].judges,
            meter=self.task.meter,
        )  # fmt: skip
        one.rung, one.judged = rung, judged
        if judged.profile is None:  # an unlucky play in which doing nothing is lost
            one.feasible, one.value = 0.1 + 0.9 * judged.feasibility.mean, 0.0
            return
        goals = Goals(one.game.board(self.task.level))
        near = {row.judge: goals.mean_nearness(judged.profile.plays, row.judge) for row in judged.profile.judges}
        progress = max(0.0, near[judged.profile.judges[-1].judge] - near["random"]) + judged.profile.score_value
        one.value = 0.2 * max(0.0, gap(judged.profile)) + 0.05 * progress
        if rung > 0:
            one.value += judged.value

    def _is_quiet(self, one: Individual) -> bool:
        """Whether doing nothing is survived in many more plays than the referee looks at."""
        assert one.game is not None
        board = one.game.board(self.task.level)
        return all(
            share == 1.0
            for number in range(QUIET_TESTS)
            for share in idle_shares(board, self._seed("quiet", number), meter=self.task.meter).values()
        )

    def _seed(self, *labels: str | int) -> int:
        return seed_of("rules-genetic", *labels)


class Goals:
    """How near the states of a level are to a win, by the numbers of sprites that its winning terminations count."""

    def __init__(self, board: Board) -> None:
        """Count what is there at the start."""
        description = describe(board.game)
        self._names = board.game.types
        start = self._counts(board.start(0))
        self._goals = [
            (leaves, ending, self._number(start, leaves))
            for ending in description.endings
            if ending.win
            for leaves in [description.leaves(ending.types)]
        ]
        self._board = board

    def nearness(self, state: StateObservation) -> float:
        """1 for a win; otherwise the share of sprites that are gone, or of the ticks that have passed."""
        if state.winner == Winner.PLAYER_WINS:
            return 1.0
        counts = self._counts(state)
        return max((self._share(ending, start, self._number(counts, leaves), state) for leaves, ending, start
                    in self._goals), default=0.0)  # fmt: skip

    def mean_nearness(self, plays: Sequence[Played], judge: str) -> float:
        """The mean over the plays of a judge."""
        return fmean(self.nearness(self._end(played)) for played in plays if played.judge == judge)

    def _end(self, played: Played) -> StateObservation:
        state = self._board.start(played.seed)
        state.rollout(played.actions)
        return state

    @staticmethod
    def _share(ending: Ending, start: int, number: int, state: StateObservation) -> float:
        if ending.class_name == "Timeout":
            return 0.0 if state.is_over else min(1.0, state.tick / ending.limit)
        if ending.class_name != "SpriteCounter" or start <= ending.limit:
            return 0.0
        return min(1.0, max(0.0, (start - number) / (start - ending.limit)))

    def _counts(self, state: StateObservation) -> dict[str, int]:
        counts: dict[str, int] = {}
        for record in state._records():
            name = self._names[record[1]]
            counts[name] = counts.get(name, 0) + 1
        return counts

    @staticmethod
    def _number(counts: dict[str, int], leaves: frozenset[str]) -> int:
        return sum(counts.get(name, 0) for name in leaves)


def gap(found: Profile) -> float:
    """The win rate of the strongest judge that has played minus that of random play."""
    return found.judges[-1].win_rate - found.result("random").win_rate


def is_crowded(board: Board, meter: Meter | None = None) -> bool:
    """Whether sprites multiply: in one play of doing nothing, or one at random."""
    most = CROWD * len(board.start(0).arrays)
    for ticks, is_random in ((IDLE_TICKS, False), (EFFORT.ticks, True)):
        state = board.start(0)
        state.meter = meter
        for tick in range(ticks):
            if state.is_over:
                break
            if is_random:
                state.random_rollout(1, tick)
            else:
                state.advance(Action.NIL)
            if len(state.arrays) > most:
                return True
    return False
