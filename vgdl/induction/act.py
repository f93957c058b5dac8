"""Acting: plans that win, experiments, and novelty, all in simulations of the learnt text.

One search serves all three: from the observed state, the avatar's actions are simulated breadth first, and a state is
expanded only if it shows something that no earlier one showed: the avatar or another sprite of a changing type in a new
cell, or a new amount. The most interesting plan is followed. Of interest are meetings that were seen least often or on
which the kept hypotheses have different rules, victories that were seen seldom, scores, and places. Two sprites meet in
the same cell or in neighbouring ones, which are different meetings, and those of the avatar are others while it holds
other amounts. What is too far away for the search attracts the avatar by what a meeting there would be worth, less a
share for each cell on the way. Every second play is a controller's, which takes hypothesis and guesses to be true.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, Winner
from vgdl.controllers import Controller, Timer
from vgdl.controllers.registry import load
from vgdl.core.observation import Avatar
from vgdl.core.state import Meter, StateObservation
from vgdl.induction.evidence import STEPS
from vgdl.induction.hypothesis import EDGE, Hypothesis, has_chance
from vgdl.induction.likelihood import Difference, World, cost, differences
from vgdl.induction.observations import Cell, Fate, Frame, layout_of
from vgdl.language import VGDLError, VGDLRuntimeError

_LONGEST = 60  #: ticks of a plan
_RECENT = 30  #: ticks from which the trust in a hypothesis follows
_TRUST = 0.6  #: share of right predictions below which half of the actions are random
_DEATH = -4.0  #: interest in a plan that loses: less than that of any meeting; a part of it for a part of the health
_DARING = 0.3  #: the same if it meets what has killed it with something in hand with which it has not met that yet
_WIN = 3.0  #: interest in a plan that wins, as long as no play was won: more than that of two new meetings
_HOLDING = 0.5  #: interest in a meeting that is only new with what the avatar holds
_SCORE = 0.5  #: interest in a plan per point
_NEARER = 0.9  #: by which the attraction of a meeting is multiplied per cell on the way to it
_EFFORT = 0.01  #: interest that a tick of a plan costs; attraction below it is not followed any further
_STRIVER, _CALLS = "champion", 400  #: the controller that plays every second time, and its calls per tick
_THOUGHTS = 100  #: how often it may think again in a play where it stands still
_DOUBTS, _STUCK = 5, 40  #: wrong predictions in a play, and ticks at one place, after which it plays no longer
_FUTURES = 8  #: futures in which an action is tried, if chance may make it lose
_RANDOM = 0.1  #: share of random actions in half of the plays, so that nothing is left out for ever

Pair = tuple[int, int]
Held = tuple[tuple[int, int], ...]  #: for each type that is held, in ascending order, the number of binary digits
Meeting = tuple[int, int, bool, Held]
"""Two types in ascending order, whether they are in the same cell, and what the avatar holds; empty: in any case."""


@dataclass
class _Node:
    state: StateObservation
    actions: tuple[Action, ...]


class Actor:
    """Chooses actions in one play.

    Args:
        draws: the source of random choices.
        meetings: how often each meeting was seen, over all plays; kept up by `note`.
        planned: ticks that are simulated for a plan, each by its cost.
        strives: whether a controller plays every second time as if the hypothesis were true.
    """

    def __init__(self, draws: random.Random, meetings: Counter[Meeting], planned: int, *, strives: bool = True) -> None:
        self.draws = draws
        self.meetings = meetings
        self.planned = planned
        self.wins = 0  #: plays won so far
        self._may_strive, self._plays = strives, 0
        self._meter = Meter()  # of the controller's calls
        self.is_surprised = False  #: whether the last tick had another outcome than predicted
        self._recent: deque[bool] = deque(maxlen=_RECENT)
        self._plan: deque[Action] = deque()
        self._shadow: StateObservation | None = None
        self._world: World | None = None
        self._last: Frame | None = None
        self._visits: Counter[tuple[int, int] | None] = Counter()

    @property
    def trust(self) -> float:
        """Share of the last ticks in which the avatar's fate, the score and the end were predicted."""
        return (1 + sum(self._recent)) / (1 + len(self._recent))

    @property
    def types(self) -> int:
        """The number of types that the compiled hypothesis knows."""
        return 0 if self._world is None else len(self._world.numbers)

    def start(self, hypotheses: Sequence[Hypothesis], world: World | None, *, goes_on: bool = False) -> None:
        """Begin a play with these hypotheses, of which the first one is compiled, or go on with new ones."""
        self._world, self._hypotheses = world, tuple(hypotheses)
        self._plan.clear()
        self._shadow = self._last = None
        self.is_surprised = False
        self._random = self.draws.choice((0.0, _RANDOM))  # these lose what flees a tenth slower
        self._plays += not goes_on
        ends = () if world is None or not self._may_strive else world.hypothesis.ends
        self._strives = self._plays % 2 == 0 and any(end.get("win") == "True" for end in ends)
        self._striver: Controller | None = None
        if not goes_on:
            self._thoughts, self._doubts = _THOUGHTS, 0
        self._visits.clear()
        self._winning = _WIN / (1 + self.wins)  # not in the same way again and again

    def note(self, frame: Frame, steady: frozenset[int]) -> None:
        """Take in the next state of the play."""
        ground = Ground(frame, steady)
        self.meetings.update(ground.met(ground.moving(frame.arrays), frame.avatar))
        self.wins += frame.is_over and frame.winner == Winner.PLAYER_WINS
        if self._world is None:
            return
        shown = frame.renumbered(self._world.numbers)
        if self._last is None or self._shadow is None:
            numbers = self._world.numbers
            self._ground = Ground(shown, frozenset(numbers[kind] for kind in steady), self._world.own)
            self._board = self._world.board(layout_of(frame, steady))
            self._shadow = self._world.placed(self._board, shown, None, None, self.draws.getrandbits(20))
        else:
            self._shadow.advance(self._last.action)
            difference = differences(self._last, self._shadow, shown)
            self.is_surprised = difference is not None and difference.end
            self._recent.append(difference is None or _foreseen(difference, self._shadow.avatar, shown.avatar))
            self._doubts += not self._recent[-1]
            if difference is not None:
                self._plan.clear()
            seed = self.draws.getrandbits(20)
            self._shadow = self._world.placed(self._board, shown, self._shadow, self._last, seed)
        self._last = shown

    def act(self, frame: Frame) -> Action:
        """The next action in the state that was noted last."""
        actions = (*frame.actions, Action.NIL)
        if self._world is None or self._shadow is None or (self.trust < _TRUST and self.draws.random() < 0.5):
            self._plan.clear()
            action = self.draws.choice(actions)
        elif self._strives and self._doubts < _DOUBTS and self._visits[frame.avatar and frame.avatar.position] < _STUCK:
            action = self._striven(actions)
        elif self.draws.random() < self._random:
            self._plan.clear()
            action = self.draws.choice(self._survived(actions))
        else:
            if not self._plan:
                self._plan.extend(self._planned(frame.actions) or (self.draws.choice(self._survived(actions)),))
            action = self._plan.popleft()
        if self._shadow is not None and 0 < self._risk(action) < 1:  # what chance decides is not what was planned
            self._plan.clear()
            action = self.draws.choice(self._survived(actions))
        self._visits[frame.avatar and frame.avatar.position] += 1
        if self._last is not None:
            self._last = replace(self._last, action=action)
        return action

    # ------------------------------------------------------------------------------------------------- planning

    def _striven(self, actions: Sequence[Action]) -> Action:
        """What a controller does that takes the hypothesis to be true; it may think without a tick for some time."""
        assert self._shadow is not None
        still = self._shadow.copy(history=False)
        still.advance(Action.NIL)
        while not self._shadow.is_over:
            view = self._shadow.copy(seed=self.draws.getrandbits(31))
            view.meter, timer = self._meter, Timer(budget_calls=_CALLS, meter=self._meter)
            try:
                if self._striver is None:
                    self._striver = load(_STRIVER)(view, timer, seed=self.draws.getrandbits(31))  # type: ignore[call-arg]
                    continue
                action = Action(self._striver.act(view, timer))
            except (VGDLError, VGDLRuntimeError, ValueError):  # rules fail where they were never tried
                break
            if action != Action.NIL or not self._thoughts or still.key() != self._shadow.key():
                return action if action in actions else Action.NIL
            self._thoughts -= 1
        self._strives = False
        return self.draws.choice(actions)

    def _survived(self, actions: Sequence[Action]) -> Sequence[Action]:
        """The actions that lose least often."""
        risks = {action: self._risk(action) for action in actions}
        return [action for action in actions if risks[action] == min(risks.values())]

    def _risk(self, action: Action) -> float:
        """The share of futures in which an action loses at once."""
        assert self._shadow is not None
        assert self._world is not None
        seeds = [self.draws.getrandbits(31) for _ in range(_FUTURES if has_chance(self._world.hypothesis) else 1)]
        ahead = [self._shadow.copy(seed=seed, history=False) for seed in seeds]
        for state in ahead:
            state.advance(action)
        return sum(state.is_over and state.winner != Winner.PLAYER_WINS for state in ahead) / len(ahead)

    def _planned(self, actions: Sequence[Action]) -> tuple[Action, ...]:
        """The plan of most interest; empty if nothing is of any."""
        assert self._shadow is not None
        assert self._last is not None
        disputed = self._disputed()
        seen: set[object] = set()
        queue: deque[_Node] = deque([_Node(self._shadow.copy(history=False), ())])
        rest: deque[_Node] = deque()  # states that show nothing new, but together: a way around a box
        moving = self._ground.moving(self._shadow.arrays)
        self._news(self._shadow, moving, seen)
        known = self._ground.met(moving, self._shadow.avatar)
        lures = self._lures(self._shadow)
        here = self._lure(self._shadow, lures)
        best: tuple[float, tuple[Action, ...]] = (0.0, ())
        each, spent = cost(self._last), 0.0
        while (queue or rest) and spent < self.planned:
            node = (queue or rest).popleft()
            for action in self.draws.sample(list(actions), len(actions)):
                state = node.state.copy(history=False)
                state.advance(action)
                spent += each
                plan = (*node.actions, action)
                moving = self._ground.moving(state.arrays)
                interest = self._interest(state, moving, node.state, known, disputed) - _EFFORT * len(plan)
                if interest <= _DEATH and self._is_untried(node.state, action):
                    interest += _DARING - _DEATH
                interest += self._lure(state, lures) - here
                if interest > best[0]:
                    best = interest, plan
                if not state.is_over and len(plan) < _LONGEST and (news := self._news(state, moving, seen)):
                    (rest if news == 1 else queue).append(_Node(state, plan))
        return best[1]

    def _interest(
        self,
        state: StateObservation,
        moving: Sequence[Fate],
        before: StateObservation,
        known: set[Meeting],
        disputed: Set[Pair],
    ) -> float:
        """How much a transition would show: rare and disputed meetings, victories, scores, rarely visited places."""
        if state.is_over:
            return self._winning if state.winner == Winner.PLAYER_WINS else _DEATH
        interest = _SCORE * (state.score - before.score)
        for meeting in self._ground.met(moving, state.avatar) - known:
            one, other, _, held = meeting
            weight = _HOLDING if held else 3.0 if (one, other) in disputed else 1.0
            interest += weight / (1 + self.meetings[meeting])
        if state.avatar is not None:
            interest += 0.2 / (1 + self._visits[state.avatar.position])
            if before.avatar is not None and before.avatar.health > 0:
                interest += _DEATH * max(0.0, 1 - state.avatar.health / before.avatar.health)
        return interest

    def _is_untried(self, state: StateObservation, action: Action) -> bool:
        """Whether an action leads the avatar to what it has not met yet with what it holds now."""
        if state.avatar is None or self._world is None or not (held := _held(state.avatar, self._world.own)):
            return False
        (x, y), block, (dx, dy) = state.avatar.position, self._ground.block, STEPS.get(action.name, (0, 0))
        cell = int(x) // block + dx, int(y) // block + dy
        body = self._world.own.get(state.avatar.type, EDGE)
        kinds = [
            self._world.own.get(kind, EDGE)
            for _, kind, _, x, y in state.arrays.tolist()
            if (x // block, y // block) == cell
        ]
        return any(not self.meetings[min(body, kind), max(body, kind), True, held] for kind in kinds if kind != body)

    def _lures(self, state: StateObservation) -> dict[Cell, float]:
        """How much each cell attracts the avatar: the worth of the best meeting that can be had from there."""
        assert self._world is not None
        assert self._last is not None
        if state.avatar is None:
            return {}
        block = self._ground.block
        sprites = [(kind, (x // block, y // block)) for _, kind, _, x, y in state.arrays.tolist()]
        worth = self._worth(state.avatar)
        walls = {self._world.numbers[kind] for kind in self._world.hypothesis.obstacles}
        blocked = {cell for kind, cell in sprites if kind in walls}
        waiting = [(-worth[kind], cell, True) for kind, cell in sprites if kind in worth]
        heapq.heapify(waiting)
        width, height = (length // block for length in self._last.world_dimension)
        found: dict[Cell, float] = {}
        while waiting:
            value, cell, starts = heapq.heappop(waiting)
            inside = 0 <= cell[0] < width and 0 <= cell[1] < height
            if inside and cell not in found and (starts or cell not in blocked):
                found[cell] = -value
                if -value > _EFFORT:
                    for other in _beside(cell):
                        heapq.heappush(waiting, (_NEARER * value, other, False))
        return found

    def _worth(self, avatar: Avatar) -> dict[int, float]:
        """By type, what a meeting of the avatar would show, as it is now."""
        assert self._world is not None
        own = self._world.own
        body, held = own.get(avatar.type, EDGE), _held(avatar, own)
        worth: dict[int, float] = {}
        for kind in own.keys() - {avatar.type}:
            pair = min(body, own[kind]), max(body, own[kind])
            worth[kind] = 1 / (1 + self.meetings[*pair, False, ()])
            if held:
                worth[kind] += _HOLDING / (1 + self.meetings[*pair, False, held])
        return worth

    def _lure(self, state: StateObservation, lures: Mapping[Cell, float]) -> float:
        """How much the avatar's cell attracts it."""
        if state.avatar is None:
            return 0.0
        x, y = state.avatar.position
        return lures.get((int(x) // self._ground.block, int(y) // self._ground.block), 0.0)

    @staticmethod
    def _news(state: StateObservation, moving: Sequence[Fate], earlier: set[object]) -> int:
        """How many sprites, amounts, or all of them together, a state shows that no earlier one did; this is noted."""
        avatar = state.avatar
        atoms: set[tuple[object, ...]] = set(moving)
        if avatar is not None:
            atoms |= {("held", number, amount) for number, amount in avatar.resources.items()}
            atoms.add((avatar.position, avatar.orientation))
        atoms.add(("score", state.score))
        fresh = len(atoms - earlier) + ((whole := frozenset(atoms)) not in earlier)
        earlier |= {*atoms, whole}
        return fresh

    def _disputed(self) -> set[Pair]:
        """The pairs of types on which the hypotheses have different rules."""
        rules = [set(hypothesis.rules) for hypothesis in self._hypotheses]
        return {
            (min(rule.first, rule.second), max(rule.first, rule.second))
            for rule in set().union(*rules)
            if any(rule not in other for other in rules)
        }


def _foreseen(difference: Difference, predicted: Avatar | None, shown: Avatar | None) -> bool:
    """Whether a prediction is wrong about other sprites only, which chance may move."""
    is_wrong = difference.score or difference.end or difference.avatar or difference.failed
    return not is_wrong and (predicted is None or shown is None or predicted.position == shown.position)


class Ground:
    """The sprites of a play that never change, by cell, so that only the others are looked at in every state.

    Args:
        frame: the first state of the play.
        steady: the types of sprites that never change.
        own: the learner's number of each type of the frame; None: the frame has these.
    """

    def __init__(self, frame: Frame, steady: frozenset[int], own: Mapping[int, int] | None = None) -> None:
        self.steady = steady
        self.block = frame.block_size
        self._own = own
        resting = [fate for fate in frame.fates.values() if fate[0] in steady]
        self._here = self._by_cell(resting)
        self._beside: dict[Cell, int] = {}  # types in the four cells next to a cell
        for cell, kinds in self._here.items():
            for other in _beside(cell):
                self._beside[other] = self._beside.get(other, 0) | kinds
        self._known: dict[tuple[int, int, bool], frozenset[tuple[int, int, bool]]] = {}

    def moving(self, arrays: NDArray[np.void]) -> list[Fate]:
        """The sprites of all other types."""
        return [(kind, x, y) for _, kind, _, x, y in arrays.tolist() if kind not in self.steady]

    def met(self, moving: Sequence[Fate], avatar: Avatar | None) -> set[Meeting]:
        """The meetings of different types in a state with these moving sprites, of which at least one may change."""
        cells = self._by_cell(moving)
        sides: set[tuple[int, int, bool]] = set()  # sets of types that meet, and whether they share a cell
        for cell, kinds in cells.items():
            sides.add((kinds, kinds | self._here.get(cell, 0), True))
            near = self._beside.get(cell, 0)
            for other in _beside(cell):
                near |= cells.get(other, 0)
            sides.add((kinds, near, False))
        pairs = set().union(*map(self._pairs, sides))
        found: set[Meeting] = {(*pair, ()) for pair in pairs}
        held = () if avatar is None else _held(avatar, self._own)
        if held and avatar is not None:
            body = self._named(avatar.type)
            found |= {(*pair, held) for pair in pairs if body in pair[:2]}
        return found

    def _by_cell(self, fates: Iterable[Fate]) -> dict[Cell, int]:
        """The types in each cell, as bits: sets would take most of the time of planning."""
        found: dict[Cell, int] = {}
        for kind, x, y in fates:
            cell = x // self.block, y // self.block
            found[cell] = found.get(cell, 0) | 1 << kind
        return found

    def _pairs(self, sides: tuple[int, int, bool]) -> frozenset[tuple[int, int, bool]]:
        """The pairs of a type of one set and another type of a second one, in the learner's numbers."""
        if sides not in self._known:
            one, other, same = sides
            pairs = ((self._named(a), self._named(b)) for a in _bits(one) for b in _bits(other) if a != b)
            self._known[sides] = frozenset((min(pair), max(pair), same) for pair in pairs)
        return self._known[sides]

    def _named(self, kind: int) -> int:
        return kind if self._own is None else self._own.get(kind, EDGE)


def _held(avatar: Avatar, own: Mapping[int, int] | None) -> Held:
    """What an avatar holds, with the learner's numbers of types."""
    amounts = [(kind, amount) for kind, amount in avatar.resources.items() if amount > 0]
    return tuple(sorted((kind if own is None else own.get(kind, EDGE), n.bit_length()) for kind, n in amounts))


def _bits(kinds: int) -> Iterator[int]:
    """The types in a set of bits."""
    return (kind for kind in range(kinds.bit_length()) if kinds >> kind & 1)


def _beside(cell: Cell) -> tuple[Cell, ...]:
    """The four cells next to a cell."""
    column, row = cell
    return ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
