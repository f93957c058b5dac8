"""Play a game with learnt rules: unchanged controllers plan in states of the learnt game (13.6)."""

from __future__ import annotations

import functools
import math
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, StateObservation, VGDLError, VGDLRuntimeError, Winner
from vgdl.competition.tracks.worldmodels.search.amend import Amendments, Evidence
from vgdl.competition.tracks.worldmodels.search.exploring import Explorer
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis
from vgdl.competition.tracks.worldmodels.search.perils import Perils
from vgdl.competition.tracks.worldmodels.search.records import Frame, Rules, layout_of, observe
from vgdl.competition.tracks.worldmodels.search.thinking import Staleness, Thinking, make_controller
from vgdl.competition.tracks.worldmodels.search.verify import changes, keys, place_frame
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.competition.tracks.worldmodels.texts.lasting import lasting
from vgdl.controllers import Controller, Timer
from vgdl.core.state import Meter
from vgdl.game import Game

SHADOWS = 16  #: states that are kept of a stochastic game
HASTY = 4  #: of these, those on which dangers are estimated if time is limited
RECENT = 100  #: last ticks that determine the trust in the rules
FOLLOWING = 0.005  #: seconds of CPU time per tick for following the game, if time is limited
TRUST = 0.8  #: changed-sprite F1 in those ticks below which a controller without a model takes over
FAITH = 20  #: right predictions that trust starts with, to survive the first few misses
PATIENCE = 300.0
"""Seconds of CPU time of a play after which planning stops: rules that slow every tick are useless."""


class LearntGame:
    """Shadows of a game: states of the learnt rules that match the last observation.

    Args:
        rules: the learnt rules.
        state: the state at the start of a play.
        seed: seed of the shadows' random events.
        limit: limit of CPU time of `follow` in seconds, after which no more shadows are advanced. None: no limit, which
            makes the shadows reproducible.
        evidence: what the rules were learnt from, if they may be amended in what it does not show; None: they may not.
    """

    def __init__(
        self,
        rules: Rules,
        state: StateObservation,
        seed: int = 0,
        limit: float | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        first = rules.renumbered(observe(state))
        self.amended = 0  #: number of times that the rules were amended, or refuted lines left out
        self.is_still = False  #: whether nothing changed in the last tick
        self._amendments: Amendments | None = None
        if evidence is not None and isinstance(rules, Hypothesis):
            self._amendments = Amendments(rules, evidence, first)
            rules = self._amendments.rules
        self._rules = rules
        self._limit = limit
        self._draws = random.Random(seed)
        self._layout = layout_of(first)
        self._board = rules.board(self._layout)
        self._count = SHADOWS if rules.has_chance else 1
        self._last, self._keys = first, keys(first.arrays)
        self._recent: deque[tuple[int, int]] = deque(maxlen=RECENT)  # by tick: sprites predicted right, and wrong
        self._vain: set[tuple[object, ...]] = set()
        self._perils = Perils(lambda frame: place_frame(self._board, frame, None, 0))
        seeds = [self._draws.getrandbits(31) for _ in range(self._count)]
        self.shadows = [place_frame(self._board, first, None, s, recording=True) for s in seeds]

    def follow(self, action: Action, state: StateObservation) -> None:
        """Advance the shadows by the action taken, and match them to the present observation.

        Shadows that predicted it are kept and replace the others; if none did, the closest one does.
        """
        start = time.process_time()
        after = self._rules.renumbered(observe(state))
        was, seen = self._keys, keys(after.arrays)
        best: tuple[int, StateObservation] | None = None
        kept: list[StateObservation] = []
        lacking, added = _without(seen, was), np.zeros(0, np.int64)  # fates that no shadow predicted, or all wrongly
        fact, ends = (after.score, after.is_over, after.winner), set()
        for shadow in self.shadows:
            if best is not None and self._is_late(start, 0.6):
                break
            shadow.advance(action)
            ends.add((shadow.score, shadow.is_over, int(shadow.winner)))
            predicted = keys(shadow.arrays)
            surplus = _without(predicted, seen)
            if not len(surplus) and np.array_equal(predicted, seen):
                kept.append(shadow)
            added = _without(surplus, was) if best is None else np.intersect1d(added, surplus)
            lacking = _without(lacking, predicted)
            if best is None or len(surplus) < best[0]:
                best = (len(surplus), shadow)
        self._perils.note(self._last, after, lacking)
        self.is_still = np.array_equal(seen, was)
        changed = changes(self._last, after)
        self._recent.append((max(0, changed - len(lacking)), len(lacking) + len(added)))
        if not kept and self.is_still:
            self._vain.add(self._choice(action))
        assert best is not None
        sources: Sequence[StateObservation | None] = kept or [best[1]]
        self.shadows = []
        if self._amendments is not None:
            paused = time.process_time()
            self._amendments.note(action, after, len(lacking) + len(added) > 0 or fact not in ends)
            if self._amendments.improve():
                self._change(self._amendments.rules)
                sources = [None]  # states of the former rules fit no other board
            start += time.process_time() - paused  # too few shadows would make chance look like errors
        if not after.is_over and any(shadow.winner == Winner.PLAYER_WINS for shadow in kept) and self._outlasted(after):
            sources = [None]
        for k in range(self._count):
            if k and self._is_late(start, 1.0):
                break
            seed = self._draws.getrandbits(31)
            source = sources[k % len(sources)]
            self.shadows.append(place_frame(self._board, after, source, seed, last=self._last, recording=True))
        self._last, self._keys = after, seen

    def _outlasted(self, after: Frame) -> bool:
        """Whether the rules are another author's text, which now lacks lines that this state refutes."""
        lasts = lasting(self._rules, after, self._layout) if isinstance(self._rules, Candidate) else self._rules
        if lasts is self._rules:
            return False
        self._change(lasts)
        return True

    def _change(self, rules: Rules) -> None:
        self._rules = rules
        self._board = rules.board(self._layout)
        self._perils.reconsider()
        self.amended += 1

    def is_vain(self, action: Action) -> bool:
        """Whether this action, taken before in the same state, changed nothing although the rules predicted a change.

        A controller that plans with wrong rules would repeat it for ever.
        """
        return self._choice(action) in self._vain

    def danger(self, action: Action) -> float:
        """Share of the shadows in which this action loses the game at once, or leaves only actions that do.

        A controller that has seen a plan succeed once may follow it where chance decides.
        """
        shadows = self.shadows if self._limit is None else self.shadows[:HASTY]
        peril = functools.cache(lambda place: self._perils.of(self._last, place))  # mostly one place in all shadows
        lost = 0.0
        for shadow in shadows:
            ahead = shadow.copy(seed=self._draws.getrandbits(31), history=False)
            ahead.advance(action)
            actions = (Action.NIL,) if ahead.is_over else ahead.actions_of(0, nil=True)
            risk = 0.0 if ahead.is_over or ahead.avatar is None else peril(ahead.avatar.position)
            lost += max(risk, all(_loses(ahead, other) for other in actions))
        return lost / len(shadows)

    def _choice(self, action: Action) -> tuple[object, ...]:
        return self._keys.tobytes(), action

    def _is_late(self, start: float, share: float) -> bool:
        return self._limit is not None and time.process_time() - start > share * self._limit

    @property
    def trust(self) -> float:
        """Changed-sprite F1 over the last ticks; a sprite counts as right if one shadow predicted it."""
        hits = 2 * (FAITH + sum(right for right, _ in self._recent))
        return hits / (hits + sum(wrong for _, wrong in self._recent))

    def state(self) -> StateObservation:
        """Return a state for a controller: a copy of a shadow with another seed."""
        shadow = self._draws.choice(self.shadows)
        return shadow.copy(seed=self._draws.getrandbits(31))


@dataclass(frozen=True)
class Outcome:
    """The outcome of a play."""

    won: bool
    score: float
    ticks: int
    trusted: float  #: share of the ticks in which the learnt rules were trusted; 1 with the true model


def play(
    game: Game,
    level: int,
    controller: str,
    rules: Rules | None,
    *,
    seed: int,
    milliseconds: float | None = None,
    calls: int | None = None,
    most: int = 2000,
    patience: float = PATIENCE,
    frames: list[Frame] | None = None,
    evidence: Evidence | None = None,
    explorer: Explorer | None = None,
    thoughts: int | None = None,
) -> Outcome:
    """Let a bundled controller play a level of the true game, planning with learnt or the true rules.

    If the learnt rules raise an error, the rest of the play is random. Actions that were in vain in the same state, or
    that lose at once by the learnt rules, are replaced by random ones that are neither. Where the play shows nothing
    new, it is explored for some ticks (`exploring`).

    Args:
        game: the true game.
        level: number of the level.
        controller: name of the controller.
        rules: the rules that it plans with; None: the true rules.
        seed: seed of the game and the controller.
        milliseconds: CPU time per tick, including following.
        calls: forward model calls per tick, instead of a time.
        most: most ticks of the play.
        patience: seconds of CPU time after which planning stops.
        frames: the observations are appended to it, tick by tick.
        evidence: what the rules were learnt from; they are amended in what it does not show. None: never.
        explorer: explores where the play shows nothing new; None: one with the usual patience, if the rules are learnt.
        thoughts: how often the controller may think without a tick where it stands still; then it is replaced by one
            that does not wait, and a stale play ends. None: thinking takes ticks, and there are no such limits.
    """
    state = game.start(level, seed=seed)
    if explorer is None and rules is not None:
        explorer = Explorer(rules, seed)
    meter = Meter()

    def timer() -> Timer:
        if calls is not None:
            return Timer(budget_calls=calls, meter=meter)
        return Timer(milliseconds if milliseconds is not None else 40.0)

    limit = FOLLOWING if calls is None else None
    planner = _Planner(controller, rules, state, seed, timer, meter, limit, evidence, explorer, thoughts)
    stale = Staleness()
    ticks = trusted = 0
    action = Action.NIL
    began, failed = time.thread_time(), False
    while not state.is_over and ticks < most:
        try:
            if not failed:
                action = planner.act(action)
        except (VGDLError, VGDLRuntimeError, ValueError):
            if rules is None:
                raise
            failed = True
        failed = failed or (rules is not None and time.thread_time() > began + patience)
        if failed:
            action = planner.draws.choice(state.actions_of(0, nil=True))
        if action not in state.actions_of(0, nil=True):
            action = Action.NIL
        if frames is not None:
            frames.append(observe(state, action))
        state.advance(action)
        ticks += 1
        trusted += planner.is_sure and not failed
        if thoughts is not None and stale.note(state):
            break
    if frames is not None:
        frames.append(observe(state))
    won = state.winner == Winner.PLAYER_WINS
    return Outcome(won, state.score, ticks, trusted / max(1, ticks))


class _Planner:
    """A controller that plans in a play with learnt or the true rules, and the safeguards against wrong ones.

    Args:
        name: name of the controller.
        rules: the rules that it plans with; None: the true rules.
        state: the state of the true game, which the caller advances.
        seed: seed of the controllers and of all random choices.
        timer: starts the budget of an answer.
        meter: counts the forward model calls.
        limit: limit of CPU time for following the game, in seconds; None: no limit.
        evidence: what the rules were learnt from, as in `play`.
        explorer: explores where the play shows nothing new; None: it is not explored.
        thoughts: how often the controller may think without a tick, as in `play`.
    """

    def __init__(
        self,
        name: str,
        rules: Rules | None,
        state: StateObservation,
        seed: int,
        timer: Callable[[], Timer],
        meter: Meter,
        limit: float | None,
        evidence: Evidence | None,
        explorer: Explorer | None,
        thoughts: int | None,
    ) -> None:
        self.draws = random.Random(seed)
        self.is_sure = False  #: whether the rules were trusted in the last tick
        self._name, self._rules, self._state, self._seed = name, rules, state, seed
        self._timer, self._meter = timer, meter
        self._limit, self._evidence, self._explorer = limit, evidence, explorer
        self._thinking = Thinking(thoughts or 0)
        self._may_wait = thoughts is None  # else it stops waiting once its thoughts are used up
        self._learnt: LearntGame | None = None
        self._players: tuple[Controller, Controller] | None = None  # the controller, and one without a model
        self._amended = 0

    def act(self, last: Action) -> Action:
        """Return the next action; ``last`` is the action of the tick before.

        Raises:
            VGDLError: the rules cannot be compiled.
            VGDLRuntimeError: the rules fail.
        """
        is_first = self._players is None
        if self._rules is not None and self._learnt is None:
            self._learnt = LearntGame(self._rules, self._state, self._seed, self._limit, self._evidence)
        if self._players is None:
            self._players = (self._controller(self._name, self._timer()), self._controller("random", self._timer()))
        watch, learnt = self._timer(), self._learnt
        if learnt is not None and not is_first:
            learnt.follow(last, self._state)
            if learnt.amended > self._amended:  # what the controller knows is of other rules
                self._players = (self._controller(self._name, watch), self._players[1])
                self._amended = learnt.amended
        self.is_sure = learnt is None or learnt.trust >= TRUST
        actions = self._state.actions_of(0, nil=True)
        explores = False
        if self._explorer is not None:
            self._explorer.note(self._state, waits=last == Action.NIL and learnt is not None and learnt.is_still)
            explores = self._explorer.is_active and self.is_sure
        if self._explorer is not None and explores:
            action = self._explorer.act(self._view(), watch, actions)
        else:
            action = self._choose(self._players, watch)
        if learnt is not None:
            action = _cautious(learnt, action, actions, self.draws)
        return action

    def _choose(self, players: tuple[Controller, Controller], watch: Timer) -> Action:
        """The action of the controller, or of the one without a model where the rules are not trusted."""
        action = self._thinking.act(players[0 if self.is_sure else 1], self._view, self._timer, watch)
        if self._may_wait or self._thinking.left:
            return action
        self._may_wait = True
        impatient = self._controller(self._name, self._timer(), waiting=False)
        self._players = (impatient, players[1])
        return Action(impatient.act(self._view(), self._timer()))

    def _controller(self, name: str, timer: Timer, *, waiting: bool = True) -> Controller:
        return make_controller(name, self._view(), timer, self._seed, waiting=waiting)

    def _view(self) -> StateObservation:
        """A state for the controller."""
        seen = self._state.copy(seed=self.draws.getrandbits(31)) if self._learnt is None else self._learnt.state()
        seen.meter = self._meter
        return seen


def _without(numbers: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sorted numbers that are not among other sorted ones; twelve times as fast as `numpy.isin` for 250 numbers."""
    if not len(others):
        return numbers
    places = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
    found: NDArray[np.int64] = numbers[others[places] != numbers]
    return found


def _cautious(learnt: LearntGame, action: Action, actions: Sequence[Action], draws: random.Random) -> Action:
    """This action if it is neither vain nor dangerous; otherwise the least dangerous one of those that are not vain."""
    options = [action, *draws.sample(actions, len(actions))]
    fresh = [option for option in options if not learnt.is_vain(option)] or options[-1:]
    least, chosen = math.inf, fresh[0]
    for option in dict.fromkeys(fresh):
        danger = learnt.danger(option)
        if danger < least:
            least, chosen = danger, option
        if not danger:
            break
    return chosen


def _loses(state: StateObservation, action: Action) -> bool:
    """Whether a play is lost after an action; one that is over stays as it is."""
    ahead = state.copy(history=False)
    ahead.advance(action)
    return ahead.is_over and ahead.winner != Winner.PLAYER_WINS
