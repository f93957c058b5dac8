"""`state-graph`: a graph of frames that prunes dead ends, and a value model of finished levels (arc, 11).

After "Blind Squirrel" of the ARC-AGI-3 preview competition; the specification describes it.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.nets import Array
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of, last_layer
from vgdl.competition.tracks.arc.agents.segments import Segment, segments
from vgdl.competition.tracks.arc.agents.value_model import N_FEATURES, Example, ValueModel
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, Frame, State

UNKNOWN, DEAD, GOOD = -1.0, 0.0, 1.0  #: weights of an action in a state
UNLIKELY = 0.2  #: weight below which it is better to go to untried actions
UNRELIABLE = 3  #: contradictions after which a state no longer prunes
WIN = b"won"  #: the state after a finished level
EPOCHS, MOST_BATCHES = 10, 150  #: limits of training the value model, which takes seconds on one core


@dataclass(slots=True)
class Node:
    """The last layer of a frame, and the known effects of actions in it."""

    pixels: Pixels
    shapes: list[Segment]  #: action number 5 + i clicks shape i
    weights: dict[int, float]  #: by action number
    next: dict[int, bytes] = field(default_factory=dict)  #: the latest outcome of each action
    before: set[tuple[bytes, int]] = field(default_factory=set)
    contradictions: int = 0


class StateGraph(FrameAgent):
    """Draws actions by their weights, or follows the value model.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``.
        repairs: whether to use the additions of (arc, 11.7): states with contradictions do not prune, and known paths
            are followed to states with untried actions.
    """

    def __init__(self, task: Task, seed: int = 0, *, repairs: bool = True) -> None:
        super().__init__(task, seed)
        self.repairs = repairs
        self.level = -1
        self.states: dict[bytes, Node] = {}
        self.counts: Counter[tuple[int, bool]] = Counter()  #: counts in this level, by (action number, changed)
        self.milestone = b""  #: the level's first state
        self.here = b""
        self.last_choice: int | None = None
        self.path: deque[int] = deque()  #: remaining actions on a known path
        self.examples: list[Example] = []
        self.model: ValueModel | None = None

    def act(self, frame: Frame) -> Act:
        if frame.state == State.GAME_OVER:  # the reset will show where the action led: to the milestone
            return Act(RESET)
        pixels = last_layer(frame)
        if frame.levels_completed != self.level or frame.full_reset:
            self._start(pixels, frame)
        else:
            self._arrived(pixels)
        return self._choose()

    def _start(self, pixels: Pixels, frame: Frame) -> None:
        if self.level >= 0 and frame.levels_completed > self.level and self.last_choice is not None:
            self._record(WIN)
            self._learn()
        self.level = frame.levels_completed
        self.states, self.counts = {}, Counter()
        self.path.clear()
        self.last_choice = None
        self.here = self.milestone = key_of(pixels)
        self._add(self.here, pixels)

    def _arrived(self, pixels: Pixels) -> None:
        key = key_of(pixels)
        if key not in self.states:
            self._add(key, pixels)
        if self.last_choice is not None:
            self._record(key)
        self.here = key

    def _add(self, key: bytes, pixels: Pixels) -> None:
        shapes: list[Segment] = []
        if self.task.clicks:
            shapes = sorted(segments(pixels), key=lambda shape: (-shape.regularity, -shape.area, -shape.colour))
        numbers = [action - 1 for action in self.task.keys] + [5 + i for i in range(len(shapes))]
        self.states[key] = Node(pixels, shapes, dict.fromkeys(numbers, UNKNOWN))

    def _record(self, target: bytes) -> None:
        """Record where the latest action led, and prune actions that it shows to be useless."""
        assert self.last_choice is not None
        state, action = self.states[self.here], self.last_choice
        changed = target != self.here
        self.counts[action, changed] += 1
        known = state.next.get(action)
        if known is not None and known != target:
            state.contradictions += 1
            self.path.clear()
            if known in self.states:
                self.states[known].before.discard((self.here, action))
        state.next[action] = target
        if target in self.states:
            self.states[target].before.add((self.here, action))
        state.weights[action] = DEAD if not changed or target == self.milestone else GOOD
        self._prune(self.here)

    def _prune(self, start: bytes) -> None:
        """Mark actions that lead to states with only dead actions as dead, recursively."""
        queue = [start]
        while queue:
            here = queue.pop()
            state = self.states[here]
            if any(weight != DEAD for weight in state.weights.values()):
                continue
            if self.repairs and state.contradictions >= UNRELIABLE:
                continue
            for before, action in state.before:
                if before != here and self.states[before].weights[action] == GOOD:
                    self.states[before].weights[action] = DEAD
                    queue.append(before)

    def _estimate(self, action: int) -> float:
        """Estimate the probability that an untried action changes a state."""
        yes, no = self.counts[action, True], self.counts[action, False]
        if yes:
            return max(0.1, yes / (yes + no))
        return float(max(0.1, (1.0 if action < 5 else 0.5 ** (action - 5)) * 0.5**no))

    def _choose(self) -> Act:
        state = self.states[self.here]
        weights = {
            action: self._estimate(action) if weight == UNKNOWN else weight
            for action, weight in state.weights.items()
            if weight != DEAD
        }
        if self.path and self.path[0] in state.next:
            return self._take(self.path.popleft())
        self.path.clear()
        if not weights:
            return self._take(self.random.choice(list(state.weights)))
        drawn = self.random.random() < 0.5
        if self.model is not None and not drawn and state.next:
            return self._take(self._most_valuable(self.model, state, weights))
        hopeful = any(weight >= UNLIKELY for weight in weights.values())
        if self.repairs and not hopeful and self._find_path():
            return self._take(self.path.popleft())
        return self._take(self.random.choices(list(weights), list(weights.values()))[0])

    def _most_valuable(self, model: ValueModel, state: Node, weights: dict[int, float]) -> int:
        actions = list(weights)
        values = model.values(state.pixels, np.stack([self._features(state, action) for action in actions]))
        likely = [weights[action] if state.weights[action] == UNKNOWN else 1.0 for action in actions]
        return actions[int(np.argmax(values * np.asarray(likely, dtype=np.float32)))]

    def _find_path(self) -> bool:
        """Find a known path to a state with a promising untried action."""
        came: dict[bytes, tuple[bytes, int]] = {self.here: (b"", 0)}
        queue = deque([self.here])
        while queue:
            here = queue.popleft()
            state = self.states[here]
            if here != self.here and self._is_hopeful(state):
                while here != self.here:
                    here, action = came[here]
                    self.path.appendleft(action)
                return True
            for action, there in state.next.items():
                if there not in came and there in self.states and state.weights[action] != DEAD:
                    came[there] = here, action
                    queue.append(there)
        return False

    def _is_hopeful(self, state: Node) -> bool:
        """Whether a state has an untried action that is likely to change it."""
        unknown = (action for action, weight in state.weights.items() if weight == UNKNOWN)
        return any(self._estimate(action) >= UNLIKELY for action in unknown)

    def _take(self, action: int) -> Act:
        self.last_choice = action
        if action < 5:
            return Act(action + 1)
        y, x = divmod(int(self.random.choice(self.states[self.here].shapes[action - 5].pixels)), SIZE)
        return Act(CLICK, x, y)

    def _features(self, state: Node, action: int) -> Array:
        features = np.zeros(N_FEATURES, dtype=np.float32)
        features[min(action, 5)] = 1
        if action < 5:
            features[22:] = 1, 1, -1, -1
        else:
            shape = state.shapes[action - 5]
            y, x = np.divmod(shape.pixels, SIZE)
            scale = SIZE if self.repairs else 1
            features[6 + shape.colour] = 1
            features[22:] = (
                shape.regularity, shape.width * shape.height / SIZE**2, y.mean() / scale, x.mean() / scale,
            )  # fmt: skip
        return features

    def _learn(self) -> None:
        """Train a new value model on this finished level and those before it."""
        self.examples += self._finished_level()
        if not self.examples:
            return
        self.model = ValueModel(self.random, self.examples[0][0])
        self.model.train(self.examples, EPOCHS, MOST_BATCHES)

    def _finished_level(self) -> list[Example]:
        distances = self._distances()
        farthest = max(distances.values(), default=0) or 1
        examples: list[Example] = []
        for key, state in self.states.items():
            for action, there in state.next.items():
                if state.weights[action] == DEAD:
                    value = -1.0
                elif key in distances and there in distances:
                    value = (distances[key] - distances[there]) / farthest
                else:
                    continue
                examples.append((state.pixels, self._features(state, action), value))
        return examples

    def _distances(self) -> dict[bytes, int]:
        """Steps to the end of the level; for states without a known path to it, steps from its start."""
        before: dict[bytes, list[bytes]] = {}
        for key, state in self.states.items():
            for there in state.next.values():
                before.setdefault(there, []).append(key)
        distances = _breadth_first(WIN, before)
        forward = {key: list(state.next.values()) for key, state in self.states.items()}
        for key, steps in _breadth_first(self.milestone, forward).items():
            distances.setdefault(key, steps)
        return distances


def _breadth_first(start: bytes, neighbours: dict[bytes, list[bytes]]) -> dict[bytes, int]:
    distances = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for there in neighbours.get(here, ()):
            if there not in distances:
                distances[there] = distances[here] + 1
                queue.append(there)
    return distances
