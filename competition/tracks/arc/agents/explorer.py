"""`explorer`: explores a graph of frames without learning, likely actions first (arc, 12).

After "Just Explore" of the ARC-AGI-3 preview competition (arXiv 2512.24156); the specification describes it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of, last_layer
from vgdl.competition.tracks.arc.agents.segments import (
    Segment,
    button_sized,
    mask_of,
    masked,
    rare_colours,
    segments,
    status_bars,
)
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, Frame, State

LAST_TIER = 5  #: tiers 1..5 are the specification's 0..4; tier 0 holds the keys if they come first
SUSPICIOUS = 3  #: observations of a suspicious transition before it is accepted
TRIES = 3  #: tries of an edge in a stochastic game
CHANCE = 0.05  #: share of contradictions above which a game counts as stochastic
ENOUGH = 40  #: least number of repeated transitions for that share to be used


@dataclass(slots=True, eq=False)
class Edge:
    """An action in a node, and where it led."""

    act: Act
    tier: int
    untested: bool = True  #: whether it still has to be tried
    tries: int = 0
    target: bytes | None = None  #: the node it leads to; the edge's own node if it failed, None before the first try


@dataclass(slots=True)
class Node:
    """A frame with its status bars masked."""

    edges: list[Edge]
    untested: list[int] = field(default_factory=list)  #: untested edges per tier


class LevelGraph:
    """The known graph of one level."""

    def __init__(self, first: bytes, mask: NDArray[np.bool_]) -> None:
        self.first = first
        self.mask = mask
        self.nodes: dict[bytes, Node] = {}
        self.tier = 0  #: the highest tier explored at present
        self.exhausted = False  #: whether no untested edge can be reached
        self.path: deque[Edge] = deque()  #: the rest of the path to the frontier
        self.suspects: dict[tuple[bytes, int, bytes], int] = {}
        self.repeats = 0  #: transitions by edges that had been taken before
        self.contradictions = 0  #: repeats that led elsewhere

    @property
    def is_random(self) -> bool:
        """Whether the same action in the same frame often leads to different frames."""
        return self.repeats >= ENOUGH and self.contradictions > CHANCE * self.repeats

    def open_edges(self, node: Node) -> list[int]:
        """Numbers of the edges that make a node part of the frontier."""
        if not any(node.untested[: self.tier + 1]):
            return []
        return [i for i, edge in enumerate(node.edges) if edge.untested and edge.tier <= self.tier]

    def find_path(self, start: bytes) -> bool:
        """Find a shortest known path from a node to the frontier; returns False if there is none."""
        came: dict[bytes, tuple[bytes, Edge]] = {}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for edge in self.nodes[here].edges:
                there = edge.target
                if there is None or there in came or there == start or there not in self.nodes:
                    continue
                came[there] = here, edge
                if any(self.nodes[there].untested[: self.tier + 1]):
                    self._keep_path(start, there, came)
                    return True
                queue.append(there)
        return False

    def _keep_path(self, start: bytes, end: bytes, came: dict[bytes, tuple[bytes, Edge]]) -> None:
        self.path.clear()
        while end != start:
            end, edge = came[end]
            self.path.appendleft(edge)


class Explorer(FrameAgent):
    """Takes untested actions of the present frame, or else goes to the nearest frame that has some.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``.
        repairs: whether to use the additions of (arc, 12.7): keys before clicks, salience by rarity of a colour,
            repeated tries in stochastic games, and further actions once everything has been tried.
    """

    def __init__(self, task: Task, seed: int = 0, *, repairs: bool = True) -> None:
        super().__init__(task, seed)
        self.repairs = repairs
        self.level = -1
        self.graph: LevelGraph | None = None
        self.here = b""
        self.last_choice: int | None = None  #: the edge taken from ``here``; None after a RESET
        self.after_game_over = False

    def act(self, frame: Frame) -> Act:
        pixels = last_layer(frame)
        if frame.levels_completed != self.level or self.graph is None or frame.full_reset:
            self.level = frame.levels_completed
            self._start(pixels)
        elif frame.state == State.GAME_OVER:
            self._lost()
            return Act(RESET)
        else:
            self._arrived(pixels, n_layers=len(frame.layers))
        return self._choose()

    def _start(self, pixels: Pixels) -> None:
        bars = status_bars(segments(pixels))
        mask = mask_of(bars)
        self.here = key_of(masked(pixels, mask))
        self.graph = LevelGraph(self.here, mask)
        self.last_choice = None
        self.after_game_over = False
        self._add(self.graph, self.here, pixels)

    def _add(self, graph: LevelGraph, key: bytes, pixels: Pixels) -> None:
        if key in graph.nodes:
            return
        key_tier = 0 if self.repairs else 1
        edges = [Edge(Act(action), key_tier) for action in self.task.keys]
        if self.task.clicks:
            salient = rare_colours(pixels) if self.repairs else frozenset(range(6, 16))
            edges += [self._click(graph, segment, salient) for segment in segments(masked(pixels, graph.mask))]
        node = Node(edges, [0] * (LAST_TIER + 1))
        for edge in edges:
            node.untested[edge.tier] += 1
        graph.nodes[key] = node
        graph.exhausted = False

    def _click(self, graph: LevelGraph, segment: Segment, salient: frozenset[int]) -> Edge:
        y, x = divmod(int(self.random.choice(segment.pixels)), SIZE)
        if graph.mask[y, x]:
            tier = 1 + (3 if button_sized(segment) else 4)
        else:
            tier = 1 + (0 if button_sized(segment) else 2) + (segment.colour not in salient)
        return Edge(Act(CLICK, x, y), tier)

    def _lost(self) -> None:
        """Record that an action that ended in GAME_OVER leads nowhere."""
        if self.graph is not None and self.last_choice is not None:
            self._record(self.graph, self.here)
        self.last_choice = None
        self.after_game_over = True

    def _arrived(self, pixels: Pixels, n_layers: int) -> None:
        graph = self.graph
        assert graph is not None
        key = key_of(masked(pixels, graph.mask))
        self._add(graph, key, pixels)
        if self.last_choice is not None:
            suspicious = self.after_game_over or (key == graph.first and n_layers > 1)
            self.after_game_over = False
            if not suspicious or self._believed(graph, key):
                self._record(graph, key)
        self.here = key

    def _believed(self, graph: LevelGraph, target: bytes) -> bool:
        assert self.last_choice is not None
        seen = self.here, self.last_choice, target
        graph.suspects[seen] = graph.suspects.get(seen, 0) + 1
        return graph.suspects[seen] >= SUSPICIOUS

    def _record(self, graph: LevelGraph, target: bytes) -> None:
        assert self.last_choice is not None
        node = graph.nodes[self.here]
        edge = node.edges[self.last_choice]
        edge.tries += 1
        if edge.tries > 1:
            graph.repeats += 1
            graph.contradictions += edge.target != target
        if edge.tries == 1 or self._may_correct(graph, node, target):
            edge.target = target
        if edge.untested and not (self.repairs and graph.is_random and edge.tries < TRIES):
            edge.untested = False
            node.untested[edge.tier] -= 1

    def _may_correct(self, graph: LevelGraph, node: Node, target: bytes) -> bool:
        """Whether an edge is redirected; without repairs, those of finished nodes only to nodes of the frontier."""
        return self.repairs or any(node.untested) or bool(graph.open_edges(graph.nodes[target]))

    def _choose(self) -> Act:
        graph = self.graph
        assert graph is not None
        node = graph.nodes[self.here]
        while not graph.exhausted:
            untested = graph.open_edges(node)
            if untested:
                graph.path.clear()
                return self._take(self.random.choice(untested))
            if self._on_path(graph, node) or graph.find_path(self.here):
                return self._take(node.edges.index(graph.path.popleft()))
            graph.exhausted = graph.tier == LAST_TIER
            graph.tier = min(graph.tier + 1, LAST_TIER)
        changing = [i for i, edge in enumerate(node.edges) if edge.target != self.here]
        if self.repairs and changing:
            return self._take(self.random.choice(changing))
        return self._take(self.random.randrange(len(node.edges)))

    def _on_path(self, graph: LevelGraph, node: Node) -> bool:
        """Whether the present node is on the path found before; if not, the path is dropped."""
        if not graph.path or not any(edge is graph.path[0] for edge in node.edges):
            graph.path.clear()
        return bool(graph.path)

    def _take(self, number: int) -> Act:
        assert self.graph is not None
        self.last_choice = number
        return self.graph.nodes[self.here].edges[number].act
