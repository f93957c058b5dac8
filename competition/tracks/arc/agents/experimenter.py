"""`experimenter`: finds out what its actions do, what matters, and plans with that; explores where it does not know.

Every frame goes to all parts, whichever of them chose the action. A graph of frames with hidden counters is kept from
the first action on, so the agent can always fall back on exploring.
"""

from __future__ import annotations

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.counters import Counters
from vgdl.competition.tracks.arc.agents.frame_graph import FrameGraph, Node, Option
from vgdl.competition.tracks.arc.agents.responses import Responses
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of, last_layer
from vgdl.competition.tracks.arc.agents.segments import segments
from vgdl.competition.tracks.arc.agents.things import things
from vgdl.competition.tracks.arc.agents.trends import Trends, features
from vgdl.competition.tracks.arc.frame import CLICK, RESET, UNDO, Frame, State


class Experimenter(FrameAgent):
    """Explores at the level of things, and plans walks. Its parts can be switched off.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``.
        counters: whether counters are recognised and hidden.
        trends: whether the agent learns from levels that it has won which frames are nearer to the end.
        responses: whether experience with an action counts for others like it.
        undo: whether undo and resets are used to get back to frames.
    """

    def __init__(
        self,
        task: Task,
        seed: int = 0,
        *,
        counters: bool = True,
        trends: bool = True,
        responses: bool = True,
        undo: bool = True,
    ) -> None:
        super().__init__(task, seed)
        self.counters = Counters()
        self.trends = Trends()
        self.responses = Responses()
        self.learns_counters, self.learns_trends, self.goes_back = counters, trends, undo
        self.learns_responses = responses
        self.level = -1
        self.graph = FrameGraph(self.random, self.responses)
        self.here = b""
        self.before: Pixels | None = None
        self.taken: Option | None = None
        self.expected: bytes | None = None
        self.since = 0  #: actions since the level began or was reset
        self.past: list[bytes] = []

    def act(self, frame: Frame) -> Act:
        pixels = last_layer(frame)
        if frame.levels_completed != self.level or frame.full_reset:
            self._won(frame)
            self._start(pixels, frame.levels_completed)
        elif frame.state == State.GAME_OVER:
            self._lost()
            return Act(RESET)
        else:
            self._arrived(pixels)
        return self._choose()

    # ------------------------------------------------------------------------------------------------------ frames

    def _start(self, pixels: Pixels, level: int) -> None:
        self.level = level
        self.responses.start_level()
        self.graph = FrameGraph(self.random, self.responses)
        self.here = self._add(pixels)
        self.graph.first = self.here
        self._begin(pixels)

    def _begin(self, pixels: Pixels) -> None:
        self.since = 0
        self.past.clear()
        self.before = pixels
        self.taken = None
        self.graph.path.clear()

    def _won(self, frame: Frame) -> None:
        if self.taken is None or self.level < 0:
            return
        self.responses.learn(self.taken.key, self.taken.thing, changed=True, won=True)
        if self.learns_trends and self.graph.first in self.graph.nodes:
            last = self.counters.hidden(frame.layers[0]) if len(frame.layers) > 1 else None
            end = features(last, segments(last)) if last is not None else self.graph.nodes[self.here].features
            self.trends.learn(self.graph.nodes[self.graph.first].features, end)

    def _lost(self) -> None:
        if self.taken is not None and self.taken.key != RESET:
            self.responses.learn(self.taken.key, self.taken.thing, changed=self.taken.thing is None)
            if self.here in self.graph.nodes:
                self.graph.record(self.here, self.taken, None)
        self.taken = Option(RESET)

    def _arrived(self, pixels: Pixels) -> None:
        taken, before = self.taken, self.before
        assert taken is not None
        assert before is not None
        if taken.key == RESET:
            self.here = self._add(pixels)
            self._begin(pixels)
            return
        self.since += 1
        if taken.key == UNDO:
            self.past = self.past[:-1]
        elif self.goes_back:
            self.past.append(self.here)
        action = (taken.key, taken.thing)
        if self.learns_counters and self.counters.learn(action, before, pixels):
            self._rebuild()
        there = self._add(pixels)
        if taken.key != UNDO:
            if self.learns_responses:
                self.responses.learn(taken.key, taken.thing, changed=there != self.here)
            self.graph.record(self.here, taken, there)
        self.graph.arrived(there, self.expected)
        self.here, self.before = there, pixels

    def _add(self, pixels: Pixels) -> bytes:
        """Add a frame to the graph unless it is known; returns its key."""
        hidden = self.counters.hidden(pixels)
        key = key_of(hidden)
        if key not in self.graph.nodes:
            areas = segments(hidden)
            options = [Option(action) for action in self.task.keys]
            if self.task.clicks:
                options += [Option(CLICK, thing) for thing in things(hidden, areas)]
            node = Node(pixels, features(hidden, areas), options)
            first = self.graph.nodes.get(self.graph.first, node)
            node.progress = self.trends.progress(first.features, node.features) if self.learns_trends else 0.0
            self.graph.nodes[key] = node
        return key

    def _rebuild(self) -> None:
        """Join the frames that differ in counters only, now that these are known."""
        old, graph = self.graph.nodes, self.graph
        new = {key: key_of(self.counters.hidden(node.pixels)) for key, node in old.items()}
        graph.nodes = {}
        for key, node in old.items():
            kept = graph.nodes.setdefault(new[key], node)
            for option in node.options:
                if option.target is not None:
                    option.target = new.get(option.target)
            if kept is not node:
                known = {(option.key, option.thing): option for option in kept.options}
                for option in node.options:
                    same = known.get((option.key, option.thing))
                    if same is not None and option.tries:
                        same.tries += option.tries
                        same.target, same.lost = option.target, option.lost
        self.here, graph.first = new[self.here], new[graph.first]
        self.past = [new[key] for key in self.past if key in new]
        graph.path.clear()

    # ---------------------------------------------------------------------------------------------------- deciding

    def _choose(self) -> Act:
        past = self.past if self.goes_back and UNDO in self.task.available_actions else []
        option = self.graph.choose(self.here, past, may_reset=self.since > 0 and self.goes_back)
        self.taken = option
        self.expected = option.target
        if option.key == CLICK:
            assert option.thing is not None
            return Act(CLICK, option.thing.x, option.thing.y)
        return Act(option.key)
