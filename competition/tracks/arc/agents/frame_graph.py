"""The graph of the frames of a level, and which untested action to take next."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.pairs import PRIOR
from vgdl.competition.tracks.arc.agents.responses import Responses, prior
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.selection import Selection
from vgdl.competition.tracks.arc.agents.things import Thing
from vgdl.competition.tracks.arc.agents.twins import Place, Twins
from vgdl.competition.tracks.arc.frame import CLICK, RESET, UNDO

PATIENCE = 0.8  #: factor of an action's value per step on the way to it
WON_BEFORE = 1.5  #: factor for actions like one that has ended a level
JITTER = 0.05  #: size of the random part of values
HIGHEST = WON_BEFORE * (1 + JITTER) / PRIOR  #: bound of values
RESET_STEPS = 5  #: steps that a reset counts for on the way to an action
LATER = 120  #: actions of exploring in a level after which every other turn is without experience
TURN = 60  #: actions of a turn
KNOWN = 0.1  #: factor for actions whose outcome is expected to be a frame that is known
REFRESH = 12  #: actions after which the best option of a frame is looked up again


@dataclass(slots=True, eq=False)
class Option:
    """An action in a frame, and where it led."""

    key: int
    thing: Thing | None = None
    target: bytes | None = None  #: the frame after it; None before the first try, and after a lost level
    tries: int = 0
    lost: bool = False  #: whether it lost the level
    prior: float = 1.0  #: factor of its value before the first try

    @property
    def place(self) -> Place:
        """Where it clicks."""
        assert self.thing is not None
        return self.thing.x, self.thing.y


@dataclass(slots=True)
class Node:
    """A frame, with its counters hidden."""

    pixels: Pixels  #: as it was first seen, with counters
    options: list[Option]
    best: Option | None = None  #: the untested option of the highest value
    value: float = 0.0  #: its value
    looked: int = -REFRESH  #: the moment at which it was looked up
    is_plain: bool = False  #: whether it was looked up without experience


@dataclass(slots=True)
class FrameGraph:
    """The frames of one level, and what actions do in them.

    Attributes:
        nodes: frames by their keys.
        first: the frame in which the level begins.
    """

    random: random.Random
    responses: Responses
    twins: Twins | None = None
    refine: Callable[[], bool] | None = None  #: adds untested options where there are none; says whether it did
    selection: Selection | None = None  #: knows where clicks are the second ones of pairs
    nodes: dict[bytes, Node] = field(default_factory=dict)
    first: bytes = b""
    clock: int = 0
    chosen: int = 0  #: actions of exploring
    is_plain: bool = False  #: whether experience does not count at present
    path: deque[tuple[Option, bytes]] = field(default_factory=deque)  #: the rest of a known path, with expected frames

    def record(self, here: bytes, option: Option, target: bytes | None) -> None:
        """Record where an option led; None if it lost the level."""
        option.tries += 1
        option.lost = target is None
        option.target = target
        node = self.nodes[here]
        if self.twins is not None and option.thing is not None:
            self._compare(self.twins, here, option)
        if node.best is option:
            node.looked = self.clock - REFRESH
        self.clock += 1

    def forget_idle(self) -> None:
        """Options that changed nothing may do so after others: they are untested again."""
        for key, node in self.nodes.items():
            node.looked = self.clock - REFRESH
            for option in node.options:
                if option.target == key:
                    option.target, option.tries = None, 0

    def look_again(self) -> None:
        """Options were added: the best ones of all frames may be others."""
        for node in self.nodes.values():
            node.looked, node.best = self.clock - REFRESH, None

    def choose(self, here: bytes, past: list[bytes], *, may_reset: bool) -> Option:
        """The next action: an untested one that is likely to change something, near by.

        Args:
            here: the present frame.
            past: the frames that undo leads back to, the latest one last; empty if undo is not offered.
            may_reset: whether the level may be reset.
        """
        node = self.nodes[here]
        self.chosen += 1
        self.is_plain = self.chosen > LATER and self.chosen // TURN % 2 == 0
        if self.path:
            option, _ = self.path[0]
            if any(option is known for known in node.options) or option.key in (RESET, UNDO):
                self.path.popleft()
                return option
            self.path.clear()
        found = self._search(here, past, may_reset=may_reset)
        if found is None and self.refine is not None and self.refine():
            found = self._search(here, past, may_reset=may_reset)
        found = found or self._repeated(here)
        if found is None and may_reset:
            found = Option(RESET)
        if found is None:
            alive = [option for option in node.options if not option.lost] or node.options
            found = self.random.choice(alive)
        return found

    def leads_back(self, here: bytes) -> bool:
        """Whether known actions lead from a frame to the one in which the level begins."""
        seen, waiting = {here}, [here]
        while waiting:
            key = waiting.pop()
            if key == self.first:
                return True
            targets = {option.target for option in self.nodes[key].options if option.target in self.nodes}
            new = {target for target in targets if target is not None} - seen
            seen |= new
            waiting += new
        return False

    def _repeated(self, here: bytes) -> Option | None:
        """One of the tested actions that change a frame; where nothing has ever shown, a key or a click on a thing."""
        tested = [option for option in self.nodes[here].options if option.tries and not option.lost]
        worth = [option for option in tested if option.target != here]
        if not worth and len(self.nodes) == 1:
            worth = [option for option in tested if option.thing is None or not option.thing.is_ground]
        if not worth:
            return None
        least = min(option.tries for option in worth)
        return self.random.choice([option for option in worth if option.tries == least])

    def arrived(self, here: bytes, expected: bytes | None) -> None:
        """Drop the path if the frame is not the one that was expected."""
        if expected is not None and expected != here:
            self.path.clear()

    def _search(self, here: bytes, past: list[bytes], *, may_reset: bool) -> Option | None:
        """Search known paths for the best untested option; keeps the path to it. Returns its first action."""
        came: dict[bytes, tuple[bytes, Option] | None] = {here: None}
        layers: defaultdict[int, list[tuple[bytes, tuple[bytes, Option] | None]]] = defaultdict(list)
        layers[0].append((here, None))
        best, value, end = None, 0.0, here
        depth = 0
        while layers and PATIENCE**depth * HIGHEST > value:
            for key, step in layers.pop(depth, ()):
                if step is not None and key in came:
                    continue
                came[key] = step
                option, found = self._best(key)
                if option is not None and found * PATIENCE**depth > value:
                    best, value, end = option, found * PATIENCE**depth, key
                for known in self.nodes[key].options:
                    if known.target is not None and known.target not in came and known.target in self.nodes:
                        layers[depth + 1].append((known.target, (key, known)))
                if key == here and may_reset:
                    layers[RESET_STEPS].append((self.first, (key, Option(RESET))))
                if key == here and past:
                    layers[1].append((past[-1], (key, Option(UNDO))))
            depth += 1
        if best is None:
            return None
        self.path.clear()
        self.path.append((best, b""))
        while (step := came[end]) is not None:
            self.path.appendleft((step[1], end))
            end = step[0]
        return self.path.popleft()[0]

    def _compare(self, twins: Twins, here: bytes, option: Option) -> None:
        """Learn whether other clicks had the outcome of this one."""
        outcome = option.target, option.lost
        same, other = list[Place](), list[Place]()
        for each in self.nodes[here].options:
            if each is not option and each.tries and each.thing is not None:
                if (each.target, each.lost) != outcome:
                    other.append(each.place)
                elif option.target != here:
                    same.append(each.place)
        twins.learn(option.place, same, alike=True)
        twins.learn(option.place, other, alike=False)

    def _best(self, key: bytes) -> tuple[Option | None, float]:
        node, plain = self.nodes[key], self.is_plain
        is_old = self.clock - node.looked >= REFRESH or node.is_plain != plain
        if is_old or (node.best is not None and node.best.tries):
            node.looked, node.is_plain = self.clock, plain
            node.best, node.value = None, 0.0
            expected = set() if plain else self._expected(node)
            is_second = self.selection is not None and self.selection.context(key) is not None
            things = [option.thing for option in node.options if option.thing is not None]
            values = list[tuple[float, Option | None]]()
            for option in node.options:
                if option.tries:
                    continue
                value = option.prior * self.responses.estimate(option.key, option.thing, is_second=is_second)
                if plain:
                    value = prior(option.thing)
                elif option.key == CLICK and self.responses.won_by(option.key, option.thing):
                    value *= WON_BEFORE
                if self.selection is not None and option.thing is not None and not plain:
                    value *= self.selection.weight(key, option.thing, things)
                value *= 1 + JITTER * self.random.random()
                if option.thing is not None and option.place in expected:
                    value *= KNOWN
                values.append((value, option))
            node.value, node.best = max(values, key=lambda pair: pair[0], default=(0.0, None))
        return node.best, node.value

    def _expected(self, node: Node) -> set[Place]:
        """The places of a frame on which a click is expected to do what another one did."""
        if self.twins is None or not self.twins.alike:
            return set()
        clicks = [option for option in node.options if option.thing is not None]
        tested = [option.place for option in clicks if option.tries]
        return self.twins.covered(tested, [option.place for option in clicks if not option.tries])
