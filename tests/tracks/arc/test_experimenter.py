"""The parts of `experimenter`, each on frames made for it, and the whole on small games."""

from __future__ import annotations

import itertools
import random
from types import MappingProxyType

import numpy as np
import pytest

from tracks.arc.toys import Buttons, Maze, OneButton, Order, Toy
from vgdl.competition.tracks.arc.agents import Act, Task, create
from vgdl.competition.tracks.arc.agents.bodies import BodyFinder, motions, shape_of
from vgdl.competition.tracks.arc.agents.counters import Counters
from vgdl.competition.tracks.arc.agents.effects import Effects
from vgdl.competition.tracks.arc.agents.experimenter import BREAK, FREE, LONGEST, STRANGE, Experimenter, Turns
from vgdl.competition.tracks.arc.agents.frame_graph import FrameGraph, Node, Option
from vgdl.competition.tracks.arc.agents.lattice import Kinds, Scene, lattice_of
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.agents.responses import Responses
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of
from vgdl.competition.tracks.arc.agents.segments import segments
from vgdl.competition.tracks.arc.agents.things import Thing, things
from vgdl.competition.tracks.arc.frame import CLICK, RESET, UNDO, Frame, State
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.testbed import BedGame

PARTS = (
    "counters",
    "responses",
    "undo",
    "walking",
    "steering",
    "movers",
    "effects",
    "twins",
    "tiles",
    "pictures",
    "selection",
)


def blank(colour: int = 0) -> Pixels:
    return np.full((64, 64), colour, dtype=np.uint8)


def with_box(x: int, y: int, width: int, height: int, colour: int = 9, ground: Pixels | None = None) -> Pixels:
    pixels = blank() if ground is None else ground.copy()
    pixels[y : y + height, x : x + width] = colour
    return pixels


# ------------------------------------------------------------------------------------------------------------- clicks


def test_a_thing_is_clicked_on_its_own_pixels_and_ground_in_several_places() -> None:
    pixels = with_box(10, 20, 6, 6)
    pixels[22:24, 12:14] = 5  # a detail
    found = things(pixels)
    box = next(thing for thing in found if thing.look == (9, 6, 6, 32))
    assert pixels[box.y, box.x] == 9
    assert [thing.is_detail for thing in found if thing.look[0] == 5] == [True]
    places = [thing for thing in found if thing.is_ground]
    assert len(places) > 20
    assert all(pixels[place.y, place.x] == 0 for place in places)


def test_what_never_answers_is_expected_to_answer_less_wherever_it_stands() -> None:
    responses = Responses()
    dead, alive = (3, 4, 4, 16), (8, 4, 4, 16)
    for x in range(4):
        responses.learn(CLICK, Thing(dead, x, 0), changed=False)
        responses.learn(CLICK, Thing(alive, x, 9), changed=True)
    elsewhere = [responses.estimate(CLICK, Thing(look, 40, 40)) for look in (dead, alive, (5, 2, 2, 4))]
    assert elsewhere[0] < elsewhere[2] < elsewhere[1]


# ----------------------------------------------------------------------------------------------------------- counters


def test_a_bar_that_shrinks_with_every_action_is_hidden_and_nothing_else() -> None:
    counters, ground = Counters(), with_box(0, 61, 64, 3, 7)
    before = with_box(30, 30, 4, 4, ground=ground)
    for step in range(12):
        ground[61:, 63 - step] = 0
        after = with_box(30 + 4 * (step % 3), 30, 4, 4, ground=ground)
        counters.learn(step % 4, before, after)
        before = after
    assert counters.mask[61:].all()
    assert not counters.mask[:61].any()


def test_a_number_in_a_corner_is_hidden() -> None:
    counters, rng = Counters(), np.random.default_rng(1)
    before = blank()
    for step in range(12):
        after = with_box(20 + 4 * (step % 4), 30, 4, 4)
        after[1:6, 1:8] = rng.integers(0, 2, (5, 7)) * 3
        counters.learn(step % 4, before, after)
        before = after
    assert counters.mask[1:6, 1:8].mean() > 0.9
    assert counters.mask[8:].sum() == 0


def test_a_piece_that_keys_move_along_an_edge_is_not_hidden() -> None:
    counters = Counters()
    x, before = 20, with_box(20, 2, 6, 5)
    for step in range(30):
        x += (6, 6, -6, 6, -6, -6)[step % 6]
        after = with_box(x, 2, 6, 5)
        counters.learn(3 if after[4].argmax() < before[4].argmax() else 4, before, after)
        before = after
    assert not counters.mask.any()


def test_what_moves_across_the_border_of_the_margin_is_not_hidden() -> None:
    counters, before = Counters(), blank()
    for step in range(30):
        after = with_box(8, 20 + 2 * (step % 5), 2, 2)  # the margin is nine pixels wide
        counters.learn(step % 4, before, after)
        before = after
    assert not counters.mask.any()


@pytest.mark.parametrize("knows", [False, True])
def test_a_body_that_hardly_moves_in_a_corner_is_not_hidden_once_it_is_known(knows: bool) -> None:
    counters, before = Counters(), with_box(2, 2, 2, 2)
    for step in range(30):
        after = with_box(2, (4, 6, 4, 2)[step % 4], 2, 2)
        counters.learn(step % 4, before, after, np.flatnonzero(before) if knows else None)
        before = after
    assert counters.mask.any() != knows


# ------------------------------------------------------------------------------------------------- bodies and lattices


@pytest.mark.parametrize(("size", "step", "left", "top"), [(3, 5, 7, 11), (4, 4, 2, 1), (7, 7, 3, 8), (6, 2, 20, 21)])
def test_a_body_and_its_places_are_found_from_one_step_at_any_size_and_offset(
    size: int, step: int, left: int, top: int
) -> None:
    finder = BodyFinder()
    before, after = with_box(left, top, size, size), with_box(left + step, top, size, size)
    finder.learn(4, motions(segments(before), segments(after)))
    body = finder.find(segments(after), None)
    assert body is not None
    assert (body.left, finder.step(shape_of(body))) == (left + step, step)
    lattice = lattice_of(after, body, step)
    assert lattice is not None
    here = lattice.cell_of(body)
    moved = next(area for area in segments(before) if area.colour == 9)
    assert here is not None
    assert lattice.step(here, (-1, 0)) == lattice.cell_of(moved)


def test_the_body_is_what_obeys_and_not_what_moves_by_itself() -> None:
    finder, rng = BodyFinder(), random.Random(3)
    x = y = other = 30
    for _ in range(20):
        key = rng.randint(1, 4)
        before = with_box(other, 50, 3, 3, 7, with_box(x, y, 3, 3))
        dx, dy = ((0, -3), (0, 3), (-3, 0), (3, 0))[key - 1]
        x, y, other = x + dx, y + dy, other + rng.choice((-3, 3))
        y = min(y, 40)
        finder.learn(key, motions(segments(before), segments(with_box(other, 50, 3, 3, 7, with_box(x, y, 3, 3)))))
    body = finder.find(segments(with_box(other, 50, 3, 3, 7, with_box(x, y, 3, 3))), None)
    assert body is not None
    assert body.colour == 9


def test_a_body_is_known_at_once_in_a_level_drawn_at_another_size() -> None:
    finder = BodyFinder()
    before, after = with_box(8, 8, 4, 4), with_box(12, 8, 4, 4)
    finder.learn(4, motions(segments(before), segments(after)))
    areas = segments(with_box(40, 40, 6, 6, 7, with_box(20, 20, 6, 6)))
    finder.start_level(areas)
    body = finder.find(areas, None)
    assert body is not None
    assert (body.colour, finder.step(shape_of(body))) == (9, 6)
    other = segments(with_box(20, 20, 6, 3))  # of other proportions
    assert finder.find(other, None) is None


def test_a_kind_keeps_its_number_in_cells_of_another_size() -> None:
    def kinds_of(size: int) -> list[int]:
        pixels = with_box(0, 0, size, size, ground=blank(1))
        pixels[:size, size : 2 * size] = 4
        pixels[: size // 2, size : 2 * size] = 5
        body = next(area for area in segments(pixels) if area.colour == 9)
        lattice = lattice_of(pixels, body, size)
        assert lattice is not None
        numbers.start_level()
        return Scene(pixels, lattice, numbers).kinds[:3]

    numbers = Kinds()
    assert kinds_of(4) == kinds_of(8)
    assert len(set(kinds_of(8))) == 3


# ------------------------------------------------------------------------------------------------------------ the graph


def graph_of(*frames: str, edges: dict[str, str]) -> FrameGraph:
    """A graph whose frames are letters; edges from each frame by keys 1, 2, …, ``?`` for an untested one."""
    graph = FrameGraph(random.Random(1), Responses(), first=frames[0].encode())
    for frame in frames:
        options = [Option(key, None) for key in range(1, len(edges[frame]) + 1)]
        for option, target in zip(options, edges[frame], strict=True):
            if target != "?":
                option.target, option.tries = target.encode(), 1
        graph.nodes[frame.encode()] = Node(blank(), options)
    return graph


def test_a_known_path_leads_to_the_nearest_untested_action() -> None:
    graph = graph_of("a", "b", "c", edges={"a": "ab", "b": "bc", "c": "c?"})
    keys = []
    for here in "abc":
        keys.append(graph.choose(here.encode(), [], may_reset=False).key)
    assert keys == [2, 2, 2]


def test_undo_and_reset_are_taken_where_they_are_shorter() -> None:
    edges = {"a": "?b", "b": "bb"}
    assert graph_of("a", "b", edges=edges).choose(b"b", [b"a"], may_reset=True).key == UNDO
    assert graph_of("a", "b", edges=edges).choose(b"b", [], may_reset=True).key == RESET
    assert graph_of("a", "b", edges=edges).choose(b"b", [], may_reset=False).key in (1, 2)


def test_a_spoilt_level_is_reset_however_often() -> None:
    graph = graph_of("a", "b", edges={"a": "?b", "b": "bb"})
    for _ in range(20):
        assert graph.choose(b"b", [], may_reset=True).key == RESET
        graph.path.clear()


@pytest.mark.parametrize(("edges", "resets"), [("ba", False), ("bb", True)])
def test_a_new_round_begins_with_a_reset_only_if_no_way_back_is_known(edges: str, resets: bool) -> None:
    agent = Experimenter(Task("x-1", (1, 2), 9))
    agent.act(Frame((blank(),), State.NOT_FINISHED, 0, 9, False, (1, 2)))
    agent.graph, agent.here, agent.since = graph_of("a", "b", edges={"a": "bb", "b": edges}), b"b", 5
    agent.turns = Turns(rounds=1)  # the walker's turn begins, and it has no plan
    assert (agent.choose().id == RESET) == resets


def test_where_nothing_ever_shows_keys_are_repeated_and_no_level_is_reset() -> None:
    result = play(create("experimenter", Order().task, 1), Order(), 300)
    assert (result.won, result.resets) == (True, 0)


# ------------------------------------------------------------------------------------------------------- the whole


@pytest.mark.parametrize(("toy", "within"), [(OneButton, 60), (Buttons, 60), (Maze, 200)])
def test_wins_small_games(toy: type[Toy], within: int) -> None:
    game = toy()
    assert play(create("experimenter", game.task, 1), game, within).won


class ScaledMaze(Maze):
    """The maze with levels of different sizes on the screen, at odd offsets."""

    def draw(self) -> np.ndarray:
        size = (4, 7, 5)[min(self.completed, 2)]
        look = {"#": 3, ".": 9, "G": 7, "x": 14}
        pixels = np.zeros((64, 64), dtype=np.uint8)
        for (x, y), mark in self.cells.items():
            pixels[1 + size * y : 1 + size * (y + 1), size * x : size * (x + 1)] = look[mark]
        x, y = self.at
        pixels[1 + size * y : 4 + size * y, size * x : 3 + size * x] = 12  # of the same size in all levels
        return pixels


def test_a_level_may_be_drawn_at_another_size() -> None:
    game = ScaledMaze()
    result = play(create("experimenter", game.task, 1), game, 120)
    assert result.won
    assert result.level_actions[2] <= 30  # what is deadly and what wins is known from the levels before


class Parcels(Maze):
    """The special key lifts the parcel below the walker, which shows it, and puts it into the box."""

    actions = (1, 2, 3, 4, 5)
    maps = ("########## #A...#...# #.##P#.#.# #....#.#.# #.#.##.#.# #......#B# ##########",) * 3

    def begin(self) -> None:
        super().begin()
        self.holds = False

    def draw(self) -> np.ndarray:
        pixels = super().draw()
        x, y = 12 + 4 * self.at[0], 12 + 4 * self.at[1]
        if self.holds:
            pixels[y + 1 : y + 3, x + 1 : x + 3] = 8
        return pixels

    look = MappingProxyType({**Maze.look, "P": 8, "B": 10})

    def move(self, action: int, x: int | None, y: int | None) -> str:
        if action != 5:
            return super().move(action, x, y)
        if self.cells[self.at] == "P":
            self.holds, self.cells[self.at] = True, "."
        return "won" if self.holds and self.cells[self.at] == "B" else ""


def test_the_special_key_is_tried_on_what_the_body_stands_on() -> None:
    game = Parcels()
    result = play(create("experimenter", game.task, 1), game, 200)
    assert result.won
    assert result.level_actions[2] <= 30  # the shortest way takes 21


class Storehouse(Maze):
    """A crate can be pushed along a passage, over a pad."""

    maps = ("########## #A.C.o...# #........# ##########",)
    look = MappingProxyType({**Maze.look, "C": 10, "o": 8})

    def move(self, action: int, x: int | None, y: int | None) -> str:
        (dx, dy), (column, row) = ((0, -1), (0, 1), (-1, 0), (1, 0))[action - 1], self.at
        ahead, beyond = (column + dx, row + dy), (column + 2 * dx, row + 2 * dy)
        if self.cells[ahead] == "C":
            if self.cells[beyond] == "#":
                return ""
            self.cells[ahead], self.cells[beyond] = "o" if ahead == (5, 1) else ".", "C"
        return super().move(action, x, y)


def test_a_place_that_something_was_pushed_out_of_shows_what_was_below_it() -> None:
    game = Storehouse()
    agent = create("experimenter", game.task, 1)
    assert isinstance(agent, Experimenter)
    walker = agent.walker
    assert walker is not None
    agent.see(game.reset())
    below = list[int]()
    for key in (2, 4, 3, 1, 4, 4, 4, 4):  # the last three push
        agent.took(Act(key))
        agent.see(game.step(key))
        below.append(walker.attempt.kinds[walker.avatar] if walker.avatar is not None else -1)
    lattice, here = walker.lattice, walker.avatar
    assert lattice is not None
    assert here is not None
    pad, crate, floor = here, here + 1, here + lattice.columns
    assert below[-3:-1] == [walker.attempt.kinds[floor]] * 2
    assert len({walker.attempt.kinds[cell] for cell in (pad, crate, floor)}) == 3


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_switched_off(part: str) -> None:
    game = Buttons()
    assert play(create("experimenter", game.task, 1, **{part: False}), game, 100).levels_completed >= 1


@pytest.mark.costly
@pytest.mark.parametrize("name", ["crates", "mower", "pulse", "digger", "clusters"])
def test_plans_what_exploring_does_not_find(name: str) -> None:
    game = BedGame(name)
    task = Task(game.id, game.actions, game.win_levels)
    assert play(create("experimenter", task, 0), LocalArc([game]).make(game.id), 500).levels_completed >= 4


@pytest.mark.parametrize("actions", [(1, 2, 3, 4), (6,), (5,), (1, 2, 3, 4, 5, 6, 7), (3, 4, 7)])
def test_frames_that_make_no_sense_are_survived(actions: tuple[int, ...]) -> None:
    """Noise, things that jump, sizes that change, levels and losses at any moment."""
    rng = np.random.default_rng(len(actions))
    agent = create("experimenter", Task("x-1", actions, 99), 1)
    chosen: list[Act] = []
    level = 0
    for moment in range(60):
        pixels = rng.integers(0, 16, (64, 64)).astype(np.uint8) if moment % 9 == 0 else blank(int(rng.integers(3)))
        size = int(rng.integers(1, 12))
        x, y = (int(value) for value in rng.integers(0, 52, 2))
        pixels[y : y + size, x : x + size] = 9
        level += moment % 17 == 16
        state = State.GAME_OVER if moment % 13 == 12 else State.NOT_FINISHED
        chosen.append(agent.act(Frame((pixels,) * (1 + moment % 2), state, level, 99, False, actions)))
    assert {act.id for act in chosen} <= {RESET, *actions}
    assert all((act.id == CLICK) == (act.x is not None) for act in chosen)


# ------------------------------------------------------------------------------------------------------------ effects

OFF, ON = 3, 11


def lamps(lit: frozenset[int]) -> Pixels:
    """Nine lamps in rows of three."""
    pixels = blank(5)
    for lamp in range(9):
        y, x = 10 + 14 * (lamp // 3), 10 + 14 * (lamp % 3)
        pixels[y : y + 10, x : x + 10] = ON if lamp in lit else OFF
    return pixels


def toggled(lit: frozenset[int], lamp: int) -> frozenset[int]:
    """A click toggles a lamp and its neighbours."""
    row, column = divmod(lamp, 3)
    return lit ^ {other for other in range(9) if abs(other // 3 - row) + abs(other % 3 - column) <= 1}


def lamp_things(pixels: Pixels) -> list[Thing]:
    found = [thing for thing in things(pixels) if not thing.is_ground]
    return sorted(found, key=lambda thing: (thing.y, thing.x))


def learnt(clicks: int) -> Effects:
    """Effects after some clicks on lamps drawn at random."""
    draws, lit, effects = random.Random(4), frozenset({0, 4}), Effects()
    for _ in range(clicks):
        lamp = draws.randrange(9)
        before, lit = lamps(lit), toggled(lit, lamp)
        effects.learn(lamp_things(lamps(frozenset()))[lamp], before, lamps(lit))
    return effects


def test_effects_predict_clicks_on_places_and_frames_never_seen() -> None:
    effects = learnt(30)
    effects.start_level()  # what is known of shapes stays
    for lit in (frozenset[int](), frozenset({1, 2, 8}), frozenset(range(9))):
        for lamp, thing in enumerate(lamp_things(lamps(frozenset()))):
            predicted = effects.predict(lamps(lit), thing)
            assert predicted is not None
            assert (predicted == lamps(toggled(lit, lamp))).all()


def test_a_plan_leads_to_the_most_promising_frame() -> None:
    effects = learnt(60)
    lit = toggled(toggled(toggled(frozenset(), 0), 5), 7)
    plan = effects.plan(
        lamps(lit), lamp_things(lamps(frozenset())), lambda key: False, lambda pixels: -float((pixels == ON).mean())
    )
    shown = lamp_things(lamps(frozenset()))
    for thing, key in plan:
        lit = toggled(lit, shown.index(thing))
        assert key == key_of(lamps(lit))
    assert (1 <= len(plan) <= 9, lit) == (True, frozenset())


def test_effects_that_do_not_come_true_are_not_predicted() -> None:
    """The colour that follows is drawn at random."""
    draws, effects = random.Random(2), Effects()
    thing, before = Thing((9, 6, 6, 36), 13, 13), with_box(10, 10, 6, 6)
    for _ in range(20):
        after = with_box(10, 10, 6, 6, draws.randrange(1, 15))
        effects.learn(thing, before, after)
        before = after
    assert not effects.can_plan
    assert effects.predict(before, thing) is None


def test_plans_cost_predictions_that_actions_have_earned() -> None:
    assert not learnt(10).can_plan
    effects = learnt(60)
    assert effects.can_plan
    effects.plan(lamps(frozenset({0})), lamp_things(lamps(frozenset())), lambda key: True, lambda pixels: 0.0)
    assert not effects.can_plan


def test_the_walker_s_turn_ends_even_if_there_is_always_news() -> None:
    turns = Turns()
    turns.start_level()
    walked = [turns.walks(news) for news in range(400)]
    assert 60 < walked.index(False) < 120
    assert any(walked[walked.index(False) :]), "and comes again"


def test_the_walker_s_turn_ends_sooner_where_it_repeats_what_it_did() -> None:
    lengths = []
    for repeated in (False, True):
        turns = Turns()
        walked = (turns.walks(news=0, repeated=repeated) for _ in itertools.count())
        lengths.append(sum(1 for _ in itertools.takewhile(bool, walked)))
    assert lengths[0] > 2 * lengths[1] > 0


def test_exploring_takes_turns_with_and_without_experience() -> None:
    graph = FrameGraph(random.Random(0), Responses())
    graph.nodes[b"a"] = Node(blank(), [Option(key) for key in (1, 2, 3)])
    plain = []
    for _ in range(400):
        graph.choose(b"a", [], may_reset=False)
        plain.append(graph.is_plain)
    assert not any(plain[:120])
    assert 0.3 < sum(plain[120:]) / len(plain[120:]) < 0.7


def test_a_walker_has_more_time_where_hardly_any_frame_comes_twice() -> None:
    assert _walked(fresh=STRANGE) == FREE * LONGEST
    assert _walked(fresh=STRANGE // 2) == LONGEST


def _walked(fresh: int) -> int:
    """Actions of the walker's first turn, after exploring has come to some new frames."""
    turns = Turns()
    for number in range(STRANGE):
        turns.explored_to(new=number < fresh)
    return next(number for number in itertools.count() if not turns.walks(news=number + 1))


def test_exploring_ends_its_turn_where_hardly_any_frame_comes_twice() -> None:
    turns = Turns()
    while turns.walks(news=0):
        pass
    assert not turns.walks(news=0)
    for _ in range(STRANGE):
        turns.explored_to(new=True)
    assert turns.walks(news=0)


def test_exploring_goes_on_for_a_while_where_the_walker_has_nothing_to_do() -> None:
    turns = Turns()
    assert turns.walks(news=0)
    turns.pause()
    assert [turns.walks(news=0) for _ in range(BREAK)] == [False] * (BREAK - 1) + [True]


def test_the_walker_plans_without_keys_that_are_useless_in_the_frame() -> None:
    game = Maze()
    agent = Experimenter(game.task, 1)
    frame = game.reset()
    for _ in range(12):
        frame = game.step(agent.act(frame).id)
        if frame.state == State.GAME_OVER:
            frame = game.reset()
    agent.see(frame)
    assert agent.walker is not None
    key = agent.walker.propose()
    assert key is not None
    assert agent.walker.propose({key}) not in (None, key)


@pytest.mark.parametrize(("completed", "reset", "wins"), [(0, True, 0), (1, False, 1)])
def test_a_game_that_starts_again_was_not_won(completed: int, reset: bool, wins: int) -> None:
    agent = Experimenter(Task("toy", (1, 2, 3, 4), 3), seed=1)
    agent.act(Frame((blank(),), State.NOT_FINISHED, 0, 3, False, (1, 2, 3, 4)))
    agent.act(Frame((blank(),), State.NOT_FINISHED, completed, 3, reset, (1, 2, 3, 4)))
    assert sum(tally.wins for tally in agent.responses.kinds.values()) == wins
