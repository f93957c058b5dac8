"""`experimenter`: finds out what its actions do, what matters, and plans with that; explores where it does not know.

Every frame goes to all parts, whichever of them chose the action. A graph of frames with hidden counters is kept from
the first action on, so the agent can always fall back on exploring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.click_plans import ClickPlans
from vgdl.competition.tracks.arc.agents.counters import Counters
from vgdl.competition.tracks.arc.agents.cursor_clicks import CursorClicks
from vgdl.competition.tracks.arc.agents.cursors import View
from vgdl.competition.tracks.arc.agents.effects import Effects
from vgdl.competition.tracks.arc.agents.frame_graph import FrameGraph, Node, Option
from vgdl.competition.tracks.arc.agents.joint_plans import JointPlans, pixel_of
from vgdl.competition.tracks.arc.agents.movers import Deed, Movers
from vgdl.competition.tracks.arc.agents.pictures import Pictures
from vgdl.competition.tracks.arc.agents.responses import Responses
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of, last_layer
from vgdl.competition.tracks.arc.agents.segments import Segment, segments
from vgdl.competition.tracks.arc.agents.selection import Selection
from vgdl.competition.tracks.arc.agents.things import SPACING, Thing, things
from vgdl.competition.tracks.arc.agents.tiles import TileFinder
from vgdl.competition.tracks.arc.agents.twins import Twins
from vgdl.competition.tracks.arc.agents.walker import Walker
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SPECIAL, UNDO, Frame, State

SHUT = 0.15  #: factor for keys towards what has always blocked the way
PATIENCE = 40  #: actions of the walker without news after which exploring takes its turn
LONGEST = 90  #: actions of the walker after which exploring takes its turn in any case
EXPLORING = 60  #: actions of a turn of exploring
REPEATED = 3  #: actions that one of the walker counts for which it has taken in the same frame since the last reset
BREAK = 8  #: actions of exploring after the walker had nothing of value to do, so that it does not undo each of them
STRANGE = 20  #: actions of exploring after which the share of frames that were new says something
RESTLESS = 0.6  #: share of new frames from which a world moves by itself, so that a graph of frames is of little use
FINEST = 2  #: least number of pixels between places to click on
FEW_PAIRS = 12  #: pairs of clicks that are tried before ground is clicked on
FREE = 3  #: factor of the walker's limits in such a world


@dataclass(slots=True)
class Turns:
    """Whose turn it is in a level: the walker's until it learns nothing new, then exploring, and so on.

    Turns are longer for what has finished more levels of the game.
    """

    walked: int = 1  #: levels finished by the walker, and 1
    explored: int = 1  #: levels finished by exploring, and 1
    rounds: int = 0
    idle: int = 0  #: actions of the walker since its last news
    length: int = 0  #: actions of the walker's turn
    left: int = 0  #: actions left of exploring
    news: int = 0
    insights: int = 0
    is_new_round: bool = False
    frames: int = 0  #: frames that exploring came to in this level
    fresh: int = 0  #: of these, those that were new

    def start_level(self) -> None:
        self.rounds = self.idle = self.left = self.length = 0
        self.frames = self.fresh = 0

    def explored_to(self, *, new: bool) -> None:
        """Exploring came to a frame."""
        self.frames += 1
        self.fresh += new

    @property
    def is_restless(self) -> bool:
        """Whether hardly any frame comes twice."""
        return self.frames >= STRANGE and self.fresh >= RESTLESS * self.frames

    def pause(self) -> None:
        """The walker has nothing of value to do: exploring goes on for a while, this action included."""
        self.left = BREAK - 1

    def won(self, *, walks: bool) -> None:
        """A level was won by an action of the walker, or of exploring."""
        if walks:
            self.walked += 1
        else:
            self.explored += 1

    def walks(self, news: int, insights: int = 0, *, repeated: bool = False) -> bool:
        """Whether the next action is the walker's.

        Args:
            news: see `Walker.news`.
            insights: see `Walker.insights`.
            repeated: whether the latest action had been taken in the same frame since the last reset.
        """
        if insights > self.insights:
            self.idle = self.left = self.length = 0
        self.insights = insights
        self.is_new_round = False
        if self.left and not self.is_restless:
            self.left -= 1
            return False
        self.left = 0
        self.is_new_round = self.rounds > 0 and not self.idle
        self.idle = 0 if news > self.news else self.idle + (REPEATED if repeated else 1)
        self.news = news
        self.length += 1
        share = self.walked / (self.walked + self.explored)
        share *= FREE if self.is_restless else 1
        if self.idle <= 2 * share * PATIENCE and self.length <= 2 * share * LONGEST:
            return True
        self.idle = self.length = 0
        self.rounds += 1
        self.left = round(2 * (1 - share) * EXPLORING * self.rounds)
        return False


class Experimenter(FrameAgent):
    """Explores at the level of things, and plans walks and clicks. Its parts can be switched off.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``.
        counters: whether counters are recognised and hidden.
        responses: whether experience with an action counts for others like it.
        undo: whether undo and resets are used to get back to frames.
        walking: whether walks are planned.
        steering: whether walks allow for keys that mean something else than by convention.
        movers: whether several bodies that keys move are planned for together.
        effects: whether sequences of clicks are thought through.
        twins: whether places that act alike are recognised.
        tiles: whether boards of tiles without gaps are recognised.
        pictures: whether clicks are planned that make parts of the frame equal.
        selection: whether the effect of a click may depend on what was clicked on before.
        cursor: whether the special key is taken for a click where a cursor is.
    """

    def __init__(
        self,
        task: Task,
        seed: int = 0,
        *,
        counters: bool = True,
        responses: bool = True,
        undo: bool = True,
        walking: bool = True,
        steering: bool = True,
        movers: bool = True,
        effects: bool = True,
        twins: bool = True,
        tiles: bool = True,
        pictures: bool = True,
        selection: bool = True,
        cursor: bool = True,
    ) -> None:
        super().__init__(task, seed)
        self.counters = Counters()
        self.responses = Responses()
        self.learns_counters, self.goes_back = counters, undo
        self.learns_responses = responses
        self.walker = Walker(task, self.random, steering=steering) if walking and task.keys else None
        self.movers = Movers() if movers and task.keys else None
        self.joint = JointPlans(self.movers) if self.movers is not None else None
        self.is_planned = False  #: whether the latest action was planned for several bodies
        self.walks = False  #: whether the latest action was the walker's
        self.turns = Turns()
        self.effects = Effects() if effects and task.clicks else None
        self.pictures = Pictures() if pictures and self.effects is not None else None
        self.plans = ClickPlans(self.effects, self.pictures) if self.effects and self.pictures else None
        self.selection = Selection() if selection and task.clicks else None
        self.pair_plans = ClickPlans(self.selection.pairs, self.pictures) if self.selection and self.pictures else None
        self.tries_pairs = False  #: whether the latest action belongs to a pair of clicks in a frame where none acts

        def clicker(clicks: Task) -> Experimenter:
            return Experimenter(
                clicks, seed, counters=counters, responses=responses, undo=undo, effects=effects,
                twins=twins, tiles=tiles, pictures=pictures, selection=selection, cursor=False,
            )  # fmt: skip

        has_cursor = cursor and SPECIAL in task.keys and not task.clicks
        self.cursor = CursorClicks(task, clicker) if has_cursor else None
        self.areas: list[Segment] = []
        self.level = -1
        self.learns_twins = twins
        self.learns_tiles = tiles and task.clicks
        self.tiles = TileFinder()
        self.spacing = SPACING  #: pixels between places to click on
        self.graph = self._new_graph()
        self.here = b""
        self.before: Pixels | None = None
        self.last_choice: Option | None = None
        self.expected: bytes | None = None
        self.since = 0  #: actions since the level began or was reset
        self.taken: set[tuple[bytes, int]] = set()  #: frames and keys since then
        self.repeated = False  #: whether the latest action is among these for the second time
        self.past: list[bytes] = []

    def act(self, frame: Frame) -> Act:
        self.see(frame)
        return Act(RESET) if frame.state == State.GAME_OVER else self.choose()

    def see(self, frame: Frame) -> None:
        """Learn from a frame."""
        pixels, earlier = last_layer(frame), self.areas
        self.areas = segments(self.counters.hidden(pixels))
        if frame.levels_completed != self.level or frame.full_reset:
            if frame.levels_completed > self.level:
                self._won(frame)
            self._start(pixels, frame.levels_completed)
            if self.cursor is not None:
                self.cursor.start_level(frame)
        elif frame.state == State.GAME_OVER:
            self._lost(pixels)
            if self.cursor is not None:
                self.cursor.lost(frame)
        else:
            self._show_cursor(frame, earlier)
            self._arrived(pixels)

    def took(self, act: Act) -> None:
        """Another one has chosen the action that leads to the next frame."""
        options = self.graph.nodes[self.here].options
        thing = None
        if act.id == CLICK and act.x is not None and act.y is not None:
            near = [option.thing for option in options if option.thing is not None]
            thing = next((each for each in near if (each.x, each.y) == (act.x, act.y)), Thing((-1,), act.x, act.y))
        option = next((each for each in options if (each.key, each.thing) == (act.id, thing)), None)
        if option is None:
            option = Option(act.id, thing)
            if act.id not in (RESET, UNDO):
                options.append(option)
        self.walks = self.is_planned = self.tries_pairs = False
        self.graph.path.clear()
        self._take(option)

    # ------------------------------------------------------------------------------------------------------ frames

    def _start(self, pixels: Pixels, level: int) -> None:
        self.level = level
        self.responses.start_level()
        if self.effects is not None:
            self.effects.start_level()
        if self.plans is not None:
            self.plans.start_level()
        if self.pictures is not None:
            self.pictures.start_level()
        if self.pair_plans is not None:
            self.pair_plans.start_level()
        if self.selection is not None:
            self.selection.start_level()
        self.graph = self._new_graph()
        self.spacing = SPACING
        self.tiles.start_level()
        self.here = self._add(pixels)
        self.graph.first = self.here
        self.turns.start_level()
        if self.walker is not None:
            self.walker.start_level(self.areas)
        if self.movers is not None and self.joint is not None:
            self.movers.start_level(self.counters.hidden(pixels), self.areas)
            self.joint.start_level()
        self._begin(pixels)

    def _new_graph(self) -> FrameGraph:
        twins = Twins() if self.learns_twins else None
        return FrameGraph(self.random, self.responses, twins, self._refine, self.selection)

    def _begin(self, pixels: Pixels) -> None:
        if self.walker is not None:
            self.walker.start_attempt(self.counters.hidden(pixels), self.areas)
        if self.movers is not None and self.joint is not None:
            self.movers.start_attempt(self.counters.hidden(pixels), self.areas)
            self.joint.start_attempt()
        self.since = 0
        self.repeated = False
        self.taken.clear()
        self.past.clear()
        self.before = pixels
        self.last_choice = None
        self.graph.path.clear()
        if self.plans is not None:
            self.plans.start_attempt()
        if self.pair_plans is not None:
            self.pair_plans.start_attempt()
        if self.selection is not None:
            self.selection.start_attempt()
            self.selection.arrived(self.here)

    def _won(self, frame: Frame) -> None:
        if self.last_choice is None or self.level < 0:
            return
        self.responses.learn(self.last_choice.key, self.last_choice.thing, changed=True, won=True)
        if not self.is_planned:
            self.turns.won(walks=self.walks)
        if self.joint is not None and self.last_choice.key in self.task.keys:
            self.joint.won(Deed(self.last_choice.key))
        last = self.counters.hidden(np.ascontiguousarray(frame.layers[0], dtype=np.uint8))
        shown = len(frame.layers) > 1
        if shown and self.walker is not None and self.last_choice.key != RESET:
            self.walker.observe(self.last_choice.key, last, segments(last), State.WIN)
        if self.pictures is not None:
            self._learn_pictures(last if shown else None)

    def _learn_pictures(self, last: Pixels | None) -> None:
        """Learn from the last frame of a level that was won, which is predicted if it was not shown."""
        assert self.pictures is not None
        assert self.last_choice is not None
        if last is None and self.effects is not None and self.last_choice.thing is not None:
            here = self.counters.hidden(self.graph.nodes[self.here].pixels)
            last = self.effects.predict(here, self.last_choice.thing)
            context = self.selection.context(self.here) if self.selection is not None else None
            if context is not None and self.selection is not None:
                last = self.selection.pairs.predict(context.base, context.selected, self.last_choice.thing)
        if last is not None:
            self.pictures.won(self.counters.hidden(self.graph.nodes[self.graph.first].pixels), last)

    def _lost(self, pixels: Pixels) -> None:
        if self.last_choice is not None and self.last_choice.key != RESET:
            if self.walker is not None:
                hidden = self.counters.hidden(pixels)
                self.walker.observe(self.last_choice.key, hidden, self.areas, State.GAME_OVER)
            # in another frame it may win
            self.responses.learn(self.last_choice.key, self.last_choice.thing, changed=True)
            if self.here in self.graph.nodes:
                self.graph.record(self.here, self.last_choice, None)
        self.last_choice = Option(RESET)

    def _arrived(self, pixels: Pixels) -> None:
        taken, before = self.last_choice, self.before
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
        body = self.walker.body if self.walker is not None else None
        spared = body.pixels if body is not None else None
        if self.learns_counters and self.counters.learn(action, before, pixels, spared):
            self._rebuild()
            self.areas = segments(self.counters.hidden(pixels))
        self._show(taken, before, pixels)
        bases = self._select(taken, before, pixels)
        n_frames = len(self.graph.nodes)
        there = self._add(pixels)
        if not self.walks and taken.key != UNDO:
            self.turns.explored_to(new=len(self.graph.nodes) > n_frames)
        if self.pictures is not None:
            self.pictures.learn(*bases)
        if self.effects is not None and taken.thing is not None:
            self.effects.learn(taken.thing, self.counters.hidden(before), self.counters.hidden(pixels))
        step = self.here, taken.key
        self.repeated = step in self.taken
        self.taken.add(step)
        if taken.key != UNDO:
            if self.learns_responses:
                is_second = self.selection is not None and self.selection.context(self.here) is not None
                self.responses.learn(taken.key, taken.thing, changed=there != self.here, is_second=is_second)
            self.graph.record(self.here, taken, there)
        self.graph.arrived(there, self.expected)
        self.here, self.before = there, pixels
        if self.selection is not None:
            self.selection.arrived(there)

    def _show_cursor(self, frame: Frame, earlier: list[Segment]) -> None:
        """Show the part that knows cursors what an action did; ``earlier`` are the segments before it."""
        if self.cursor is not None and self.last_choice is not None and self.before is not None:
            before, after = self.counters.hidden(self.before), self.counters.hidden(last_layer(frame))
            self.cursor.observe(self.last_choice.key, frame, View(before, earlier), View(after, self.areas))

    def _show(self, taken: Option, before: Pixels, after: Pixels) -> None:
        """Show the parts that know bodies and tiles what an action did."""
        hidden = self.counters.hidden(after)
        if self.walker is not None:
            self.walker.observe(taken.key, hidden, self.areas, State.NOT_FINISHED)
        if self.movers is not None:
            place = taken.place if taken.thing is not None else None
            self.movers.observe(taken.key, place, hidden, self.areas)
        if self.learns_tiles and taken.thing is not None:
            self._learn_tiles(taken.thing, before, after)

    def _select(self, taken: Option, before: Pixels, after: Pixels) -> tuple[Pixels, Pixels]:
        """Follow what is selected; returns the frames before and after an action without marks of that."""
        frames = self.counters.hidden(before), self.counters.hidden(after)
        selection = self.selection
        if selection is None:
            return frames
        earlier = selection.base(frames[0])
        if taken.thing is None:
            selection.now = None
            return earlier, frames[1]
        if self.tries_pairs and (frames[0] != frames[1]).any() and selection.reveal(frames[0]):
            self.graph.forget_idle()
        selection.observe(taken.thing, *frames)
        return earlier, selection.base(frames[1])

    def _add(self, pixels: Pixels) -> bytes:
        """Add a frame to the graph unless it is known; returns its key."""
        hidden = self.counters.hidden(pixels)
        key = key_of(hidden) + (self.selection.suffix() if self.selection is not None else b"")
        if key not in self.graph.nodes:
            options = [Option(action, prior=self._prior(action)) for action in self.task.keys]
            if self.task.clicks:
                options += [
                    Option(CLICK, thing) for thing in things(hidden, self.areas, self.tiles.tiling, self.spacing)
                ]
            self.graph.nodes[key] = Node(pixels, options)
        return key

    def _learn_tiles(self, thing: Thing, before: Pixels, after: Pixels) -> None:
        """Learn about tiles from a click; add them to the frames that are known."""
        if self.tiles.learn(thing.x, thing.y, self.counters.hidden(before), self.counters.hidden(after)):
            self._add_things()

    def _refine(self) -> bool:
        """Add places between those that were clicked on, where these are used up; returns whether there are any."""
        n_options = sum(len(node.options) for node in self.graph.nodes.values())
        while self.task.clicks and self.spacing > FINEST:
            self.spacing //= 2
            self._add_things()
            if sum(len(node.options) for node in self.graph.nodes.values()) > n_options:
                return True
        return False

    def _add_things(self) -> None:
        """Add what can be clicked on by now to the frames that are known."""
        for node in self.graph.nodes.values():
            hidden = self.counters.hidden(node.pixels)
            old = [option for option in node.options if option.thing is None or option.tries]
            known = {option.place for option in old if option.thing is not None}
            new = things(hidden, segments(hidden), self.tiles.tiling, self.spacing)
            node.options = old + [Option(CLICK, thing) for thing in new if (thing.x, thing.y) not in known]
        self.graph.look_again()

    def _prior(self, key: int) -> float:
        return SHUT if self.walker is not None and self.walker.is_shut(key) else 1.0

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
        if self.selection is not None:
            self.selection.forget_frames()

    # ---------------------------------------------------------------------------------------------------- deciding

    def choose(self) -> Act:
        """The next action, after the present frame was seen."""
        self.tries_pairs = False
        key = self.cursor.propose() if self.cursor is not None else None
        if key is not None:
            self.walks = self.is_planned = False
            self.graph.path.clear()
            options = self.graph.nodes[self.here].options
            return self._take(next((option for option in options if option.key == key), Option(key)))
        planned = self._jointly()
        self.is_planned = planned is not None
        if planned is not None:
            self.walks = False
            self.graph.path.clear()
            return self._take(planned)
        option = self._walk()
        self.walks = option is not None
        if option is not None:
            self.graph.path.clear()
            return self._take(option)
        click = self._planned() or self._pair_to_try()
        if click is not None:
            self.graph.path.clear()
            return self._take(click)
        past = self.past if self.goes_back and UNDO in self.task.available_actions else []
        return self._take(self.graph.choose(self.here, past, may_reset=self.since > 0 and self.goes_back))

    def _walk(self) -> Option | None:
        """The walker's choice, if it is its turn and the choice is not known to be useless here."""
        walker = self.walker
        if walker is None or not self.turns.walks(walker.news, walker.insights, repeated=self.repeated):
            return None
        if self.turns.is_new_round:
            walker.vary()
        options = self.graph.nodes[self.here].options
        useless = {each.key for each in options if each.lost or (each.tries > 1 and each.target == self.here)}
        key = walker.propose(useless - {CLICK})
        if key is None and self.turns.is_new_round and self._is_spoilt():
            return Option(RESET)
        if key is None and walker.is_at_home:
            self.turns.pause()
        return next((option for option in options if option.key == key), None)

    def _is_spoilt(self) -> bool:
        """Whether the level may be reset, and no way back to its first frame is known."""
        return self.goes_back and self.since > 0 and not self.graph.leads_back(self.here)

    def _jointly(self) -> Option | None:
        """The next action of a plan for several bodies; None if there is none."""
        if self.movers is None or self.joint is None:
            return None
        deed = self.joint.propose(self.task.keys, clicks=self.task.clicks)
        if deed is None:
            return None
        options = self.graph.nodes[self.here].options
        place = pixel_of(self.movers, deed)
        thing = Thing((-1,), *place) if place is not None else None
        for option in options:
            if option.key == deed.key and (option.thing is None or option.place == place):
                return None if option.lost else option
        options.append(Option(deed.key, thing))
        return options[-1]

    def _planned(self) -> Option | None:
        """The next click of a plan; None if there is none."""
        if self.plans is None:
            return None
        node = self.graph.nodes[self.here]
        things = [option.thing for option in node.options if option.thing is not None]
        pixels = self.counters.hidden(node.pixels)
        thing = self._planned_pair(pixels, things)
        if thing is None:
            thing = self.plans.propose(self.here, pixels, things, self.graph.nodes)
        if thing is None:
            return None
        place = thing.x, thing.y  # it may look otherwise by now
        return next((each for each in node.options if each.thing is not None and each.place == place), None)

    def _planned_pair(self, pixels: Pixels, things: list[Thing]) -> Thing | None:
        """The next click of a plan of pairs; None if there is none."""
        selection, plans = self.selection, self.pair_plans
        if selection is None or plans is None or not selection.is_known:
            return None
        selection.pairs.search.earn()
        if not plans.clicks and not selection.can_begin:
            return None
        base = selection.base(pixels)
        key = key_of(base)
        thing = plans.propose(key, base, things, selection.bases)
        now = selection.now.selected if selection.now is not None else None
        if thing is not None and now is not None and (now.x, now.y) == (thing.x, thing.y) and plans.planned_for == key:
            thing = plans.propose(key, base, things, selection.bases)  # it is selected already
        return thing

    def _pair_to_try(self) -> Option | None:
        """The next click of pairs to try in a level where no click on a thing has changed anything, if there is one."""
        node = self.graph.nodes[self.here]
        is_tested = all(option.tries for option in node.options)
        if is_tested and len(self.graph.nodes) == 1 and self._refine():
            return None
        self.tries_pairs = self.selection is not None and self._needs_pairs(node, self.selection)
        if not self.tries_pairs or self.selection is None:
            return None
        things = [option.thing for option in node.options if option.thing is not None]
        thing = self.selection.pair_to_try(self.here, things)
        return next((option for option in node.options if option.thing is thing), None) if thing is not None else None

    def _needs_pairs(self, node: Node, selection: Selection) -> bool:
        """Whether single clicks on things have changed nothing and, after a few pairs, those on ground neither."""
        if selection.is_known or self.task.keys or len(self.graph.nodes) > 1:
            return False
        if any(option.tries and option.target != self.here for option in node.options):
            return False
        left = [option.thing for option in node.options if not option.tries]
        if any(thing is None or not thing.is_ground for thing in left):
            return False
        return not (left and selection.has_tried(self.here, FEW_PAIRS))

    def _take(self, option: Option) -> Act:
        self.last_choice = option
        self.expected = option.target
        if option.key == CLICK:
            assert option.thing is not None
            return Act(CLICK, option.thing.x, option.thing.y)
        return Act(option.key)
