"""What agents are made of: segments, cells, networks, searches, finding agents by name (arc, 10 to 12)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tracks.arc.toys import DEADLY, FLOOR, GOAL, WALKER, WALL, Buttons, Maze
from vgdl.competition.tracks.arc.agents import AGENTS, Task, create
from vgdl.competition.tracks.arc.agents.experience import Experience
from vgdl.competition.tracks.arc.agents.knowledge import Push
from vgdl.competition.tracks.arc.agents.nets import Conv, Dense, GlobalPool, ReLU, Sequence
from vgdl.competition.tracks.arc.agents.route import Problem, find_route
from vgdl.competition.tracks.arc.agents.scene import Scene, find_field
from vgdl.competition.tracks.arc.agents.screen import Grid, find_grid
from vgdl.competition.tracks.arc.agents.segments import label, rare_colours, segments, status_bars
from vgdl.registry import EntryInvalid, EntryNotFound

TASK = Task("ab12-0", (1, 2, 3, 4), 3)


def blank(colour: int = 0) -> np.ndarray:
    return np.full((64, 64), colour, dtype=np.uint8)


def test_segments_are_four_connected_and_in_order_of_their_first_pixels() -> None:
    pixels = blank()
    pixels[10, 10] = pixels[11, 11] = 5  # diagonal neighbours are two segments
    pixels[20:24, 30:40] = 7
    found = segments(pixels)
    assert [(s.colour, s.area) for s in found] == [(0, 64 * 64 - 42), (5, 1), (5, 1), (7, 40)]
    assert (found[3].left, found[3].top, found[3].right, found[3].bottom, found[3].regularity) == (30, 20, 39, 23, 1)


def test_an_area_that_winds_is_one_segment() -> None:
    pixels = blank()
    pixels[10:20, 10] = pixels[19, 10:20] = pixels[10:20, 19] = 3  # a U
    labels, n_areas = label(pixels)
    assert n_areas == 2
    assert labels[10, 10] == labels[10, 19]


def test_labels_agree_with_a_flood_fill() -> None:
    pixels = np.random.default_rng(4).integers(0, 3, (64, 64)).astype(np.uint8)
    labels, n_areas = label(pixels)
    flooded = np.full((64, 64), -1)
    number = 0
    for start in np.ndindex(64, 64):
        if flooded[start] >= 0:
            continue
        stack = [start]
        flooded[start] = number
        while stack:
            y, x = stack.pop()
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if min(near) >= 0 and max(near) < 64 and flooded[near] < 0 and pixels[near] == pixels[start]:
                    flooded[near] = number
                    stack.append(near)
        number += 1
    assert n_areas == number
    assert (labels == flooded).all()


def test_long_segments_and_rows_of_twins_at_an_edge_are_status_bars() -> None:
    pixels = blank()
    pixels[62:64, 0:40] = 5
    for x in (10, 20, 30):
        pixels[0:2, x : x + 2] = 8
    pixels[30:34, 30:34] = 9
    assert sorted(s.colour for s in status_bars(segments(pixels))) == [5, 8, 8, 8]


def test_rare_colours_cover_less_than_a_tenth() -> None:
    pixels = blank()
    pixels[:10] = 4
    pixels[10:12] = 6
    assert 6 in rare_colours(pixels)
    assert not rare_colours(pixels) & {0, 4}


@pytest.mark.parametrize(("size", "x", "y"), [(8, 0, 0), (4, 2, 1), (2, 1, 0)])
def test_blocks_of_a_frame_are_found_with_their_offset(size: int, x: int, y: int) -> None:
    cells = np.random.default_rng(2).integers(0, 16, (64 // size + 1, 64 // size + 1)).astype(np.uint8)
    pixels = np.kron(cells, np.ones((size, size), dtype=np.uint8))[size - y :, size - x :][:64, :64]
    assert find_grid(np.ascontiguousarray(pixels)) == Grid(size, x, y)


def test_planes_are_the_shares_of_colours_in_squares() -> None:
    pixels = blank(3)
    pixels[0:4, 0:2] = 5
    planes = Grid(2, 0, 0).planes([pixels, blank(7)], 2)
    assert planes.shape == (2, 16, 16, 16)
    assert planes[0, 0, 0, 5] == planes[0, 0, 0, 3] == 0.5
    assert planes[1, :, :, 7].all()
    assert (planes.sum(axis=-1) == 1).all()


def test_the_playfield_of_a_frame_is_divided_into_cells() -> None:
    field = find_field(Maze().reset().last)
    assert field is not None
    assert (field.size, field.left, field.top, field.columns, field.rows) == (4, 12, 12, 10, 7)


def test_a_bar_at_the_edge_does_not_belong_to_the_playfield() -> None:
    pixels = Maze().reset().last.copy()
    pixels[62:, 32:] = 5
    field = find_field(pixels)
    assert field is not None
    assert (field.columns, field.rows) == (10, 7)


def test_a_cell_is_told_by_its_usual_colour() -> None:
    pixels = Maze().reset().last.copy()
    pixels[16, 17] = DEADLY  # a marker on the walker
    field = find_field(pixels)
    assert field is not None
    scene = Scene(pixels, field)
    assert scene.counts[WALKER] == scene.counts[GOAL] == scene.counts[DEADLY] == 1
    assert scene.kinds[:2] == [WALL, WALL]
    assert scene.where(WALKER) == [11]
    assert scene.touched_by(DEADLY) == [11, 35]
    assert field.step(11, (1, 0)) == 12
    assert field.step(0, (-1, 0)) is None
    assert scene.kinds[12] == FLOOR


def _slope(network: Sequence, x: np.ndarray) -> np.ndarray:
    """The numerical slope of the sum of the outputs."""
    slope = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[at] += sign * 1e-2
            slope[at] += sign * network.forward(moved).sum() / 2e-2
    return slope


def test_networks_know_their_slopes() -> None:
    draw = np.random.default_rng(1)
    network = Sequence(Conv(draw, 2, 3), ReLU(), Conv(draw, 3, 4), GlobalPool(), Dense(draw, 8, 5), Dense(draw, 5, 1))
    x = draw.normal(size=(2, 4, 4, 2)).astype(np.float32)
    out = network.forward(x)
    assert np.allclose(network.backward(np.ones_like(out)), _slope(network, x), atol=2e-2)
    assert [g.shape for g in network.gradients] == [p.shape for p in network.parameters]


def test_experience_keeps_one_entry_per_frame_and_action() -> None:
    seen = Experience()
    for action, changed in ((0, True), (0, False), (3, False)):
        seen.add(b"frame", blank(), action, changed)
    assert len(seen) == 2
    assert seen.labels_of(b"frame") == {0: True, 3: False}
    assert seen.labels_of(b"other") == {}


def _problem(rows: str, **given: object) -> Problem:
    """A level: # walls, . floor, o holes, b boxes, A the avatar, G something of value."""
    lines = rows.split()
    width = len(lines[0])
    cells = "".join(lines)
    steps = ((0, -1), (0, 1), (-1, 0), (1, 0))

    def near(cell: int, step: tuple[int, int]) -> int | None:
        x, y = cell % width + step[0], cell // width + step[1]
        return y * width + x if 0 <= x < width and 0 <= y < len(lines) else None

    kinds = {"#": 1, "o": 2, "b": 3}
    outcomes = {(3, 0): Push.MOVES, (3, 1): Push.STAYS, (3, 2): Push.BOTH_VANISH}
    facts: dict[str, object] = {
        "start": cells.index("A"),
        "facing": 0,
        "neighbours": [[near(cell, step) for cell in range(len(cells))] for step in steps],
        "moves": [(1, 0), (2, 1), (3, 2), (4, 3)],
        "walkable": [mark in ".Ab" for mark in cells],
        "values": {cell: 10.0 for cell, mark in enumerate(cells) if mark == "G"},
        "kinds": [0 if mark == "b" else kinds.get(mark, 0) for mark in cells],
        "floor": 0,
        "boxes": {cell: 3 for cell, mark in enumerate(cells) if mark == "b"},
        "push": lambda kind, into: outcomes.get((kind, into)),
        "push_values": lambda kind, into, outcome: 0.0,
        "jumps": {},
        "barred": (),
        "dangers": [],
        "forbidden": frozenset(),
    }
    return Problem(**(facts | given))  # type: ignore[arg-type]


def test_a_route_goes_round_walls() -> None:
    route, _ = find_route(_problem("##### #A#G# #...# #####"))
    assert route is not None
    assert route.keys == [2, 4, 4, 1]


def test_a_route_fills_a_hole_with_a_box() -> None:
    route, _ = find_route(_problem("####### #A.boG# #######"))
    assert route is not None
    assert route.keys == [4, 4, 4, 4]


def test_a_route_avoids_danger_and_forbidden_keys() -> None:
    rows = "##### #A.G# #...# #####"
    assert find_route(_problem(rows))[0].keys == [4, 4]  # type: ignore[union-attr]
    assert find_route(_problem(rows, forbidden=frozenset({4})))[0].keys[0] == 2  # type: ignore[union-attr]
    assert find_route(_problem(rows, dangers=[frozenset({7})]))[0].keys[0] == 2  # type: ignore[union-attr]


def test_a_route_may_end_with_the_special_key() -> None:
    route, _ = find_route(_problem("##### #A..# #####", aims={(7, 3): 5.0}))
    assert route is not None
    assert route.keys == [4, 5]


def test_the_special_key_may_act_on_what_is_below_the_avatar() -> None:
    route, n_states = find_route(_problem("##### #A..# #####", uses={8: 5.0}))
    assert route is not None
    assert route.keys == [4, 4, 5]
    assert n_states == 3  # the direction that the avatar faces makes no difference


def test_nothing_of_value_means_no_route() -> None:
    route, n_states = find_route(_problem("##### #A..# #####"))
    assert route is None
    assert n_states == 1  # nothing to look for


def test_unknown_agents_and_options_are_named() -> None:
    with pytest.raises(EntryNotFound, match="did you mean 'explorer'"):
        create("explorr", TASK)
    with pytest.raises(EntryInvalid, match=r"no option 'repair'; it has repairs"):
        create("explorer", TASK, repair=False)
    assert set(AGENTS.about) == set(AGENTS.names())


def test_an_agent_of_a_file_is_found_by_its_class(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from vgdl.competition.tracks.arc.agents import Act, FrameAgent\n"
        "class First(FrameAgent):\n    def act(self, frame):\n        return Act(self.task.available_actions[0])\n"
        "class Nothing:\n    pass\n"
    )
    assert create(f"{path}:First", TASK).act(Maze().reset()).id == 1
    with pytest.raises(EntryNotFound, match=r"Nothing in mine\.py does not derive from"):
        create(f"{path}:Nothing", TASK)
    with pytest.raises(EntryNotFound, match="there is no file"):
        create(f"{tmp_path}/other.py:First", TASK)


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "vgdl.competition.tracks.arc.agents.change_cnn", raising=False)
    with pytest.raises(ImportError, match=r'pip install "vgdl\[learn\]"'):
        create("change-cnn", TASK)


def test_change_cnn_has_the_published_size_and_plays() -> None:
    pytest.importorskip("torch")
    toy = Buttons()
    agent = create("change-cnn", toy.task, 1)
    frame = toy.reset()
    act = agent.act(frame)
    assert (act.id, act.x is None) == (6, False)
    assert sum(parameter.numel() for parameter in agent.net.parameters()) == 34_320_614  # type: ignore[attr-defined]
