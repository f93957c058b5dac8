"""Frames of VGDL games: places, colours, markers, bars (arc, 6.3), keys (arc, 6.2) and ids (arc, 6.4)."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from tracks.arc import vgdl_games
from vgdl import Action, games
from vgdl.competition.tracks.arc.colors import deal, permutation
from vgdl.competition.tracks.arc.frame import Layer
from vgdl.competition.tracks.arc.game import UnfitGameError, VgdlGame, bundled, from_folder
from vgdl.competition.tracks.arc.options import Options, PaletteKind, Way
from vgdl.competition.tracks.arc.painting import INVISIBLE
from vgdl.competition.tracks.arc.session import Session

WAYS = tuple(Way)


@pytest.fixture(scope="module")
def all_games() -> list[VgdlGame]:
    return bundled(WAYS)


def first(game: VgdlGame) -> Layer:
    return Session(game).reset().last


def empty(columns: int, rows: int) -> str:
    """A level with an avatar and a goal at its ends."""
    line = "." * columns
    return "/".join(["A" + line[1:], *[line] * (rows - 2), line[:-1] + "g"])


HELD = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        coin > Resource limit=100
        pearl > Resource limit=100
        avatar > MovingAvatar
    LevelMapping
        . > floor
        c > floor coin
        p > floor pearl
        A > floor avatar
    InteractionSet
        avatar EOS > stepBack
        coin avatar > collectResource
        pearl avatar > collectResource
    TerminationSet
        SpriteCounter stype=pearl win=True
"""


# Places


@pytest.mark.parametrize(
    ("columns", "rows", "scale", "corner"),
    [(15, 10, 4, (2, 12)), (28, 22, 2, (4, 10)), (30, 16, 2, (2, 16)), (64, 64, 1, (0, 0)), (3, 3, 21, (0, 0))],
)
def test_the_playfield_is_as_large_as_fits_and_in_the_middle(
    tmp_path: Path, columns: int, rows: int, scale: int, corner: tuple[int, int]
) -> None:
    game = vgdl_games.make(tmp_path, levels=(empty(columns, rows),))
    layer = first(game)
    inside = layer[corner[1] : corner[1] + rows * scale, corner[0] : corner[0] + columns * scale]
    outside = layer.copy()
    outside[corner[1] : corner[1] + rows * scale, corner[0] : corner[0] + columns * scale] = game.colors.letterbox
    assert (outside == game.colors.letterbox).all()
    assert not (inside == game.colors.letterbox).any()
    avatar = game.game.types.index("avatar")
    assert (inside[:scale, :scale] == game.colors.types[avatar]).all()
    assert (inside == game.colors.types[avatar]).sum() == scale * scale


def test_bars_for_what_the_avatar_carries_take_two_rows(tmp_path: Path) -> None:
    """24 by 19 cells: 2 pixels each, at (8, 12) (arc, 6.3)."""
    level = empty(24, 19).replace("g", "p").replace("A.", "Ac")
    game = vgdl_games.make(tmp_path, HELD, (level,))
    session = Session(game)
    layer = session.reset().last
    coin = game.colors.types[game.game.types.index("coin")]
    assert (layer[12:14, 10:12] == coin).all()
    assert (layer[62:] == game.colors.letterbox).all()
    layer = session.act(4).last
    assert layer[62].tolist() == [coin] + [game.colors.letterbox] * 63
    assert layer[63].tolist() == layer[62].tolist()


def test_cells_share_pixels_where_there_are_more_of_them(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, levels=(empty(128, 2),))
    layer = first(game)
    avatar, goal = (game.colors.types[game.game.types.index(name)] for name in ("avatar", "goal"))
    assert layer[31].tolist() == [avatar] + [game.colors.background] * 62 + [goal]
    assert {game.cell(0, x, 31) for x in range(64)} == {(2 * x, 0) for x in range(64)}


def test_a_level_of_too_many_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnfitGameError, match="129 by 2 cells, expected at most 128 by 128"):
        vgdl_games.make(tmp_path, levels=(empty(129, 2),))


def test_a_sprite_covers_the_pixels_of_its_rectangle(tmp_path: Path) -> None:
    """Half a cell per tick at four pixels per cell: two pixels further each time."""
    text = """
        BasicGame
            SpriteSet
                floor > Immovable hidden=True
                car > Missile orientation=RIGHT speed=0.5
                avatar > MovingAvatar
            LevelMapping
                . > floor
                c > car
                A > avatar
            InteractionSet
                avatar EOS > stepBack
            TerminationSet
                SpriteCounter stype=car win=True
    """
    game = vgdl_games.make(tmp_path, text, ("c" + "." * 15 + "/A" + "." * 15,))
    session = Session(game)
    car = game.colors.types[game.game.types.index("car")]
    columns = []
    layers = [session.reset().last, *(session.act(5).last for _ in range(4))]
    for layer in layers:
        found = np.flatnonzero((layer == car).any(axis=0))
        assert len(found) == 4
        columns.append(int(found[0]))
    assert columns == [0, 0, 2, 4, 6]  # a missile rests in its first update


@pytest.mark.parametrize(("scale", "columns"), [(2, 32), (4, 16)])
def test_an_oriented_avatar_has_a_marker_where_it_faces(tmp_path: Path, scale: int, columns: int) -> None:
    text = vgdl_games.BUTTON.replace("MovingAvatar", "OrientedAvatar")
    game = vgdl_games.make(tmp_path, text, (empty(columns, 8).replace("A..", "..A"),))
    session = Session(game)
    places = (
        {1: (0, 0), 4: (1, 0), 2: (1, 1), 3: (0, 1)} if scale == 2 else {1: (2, 0), 4: (3, 2), 2: (2, 3), 3: (0, 2)}
    )
    session.reset()
    for action, place in places.items():
        layer = session.act(action).last
        marked = np.argwhere(layer == game.colors.marker)
        assert len(marked) == 1
        avatar = layer == game.colors.types[game.game.types.index("avatar")]
        rows, columns_of = np.nonzero(avatar | (layer == game.colors.marker))
        y, x = marked[0]
        assert (x - columns_of.min(), y - rows.min()) == place


def test_layers_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        first(vgdl_games.make(tmp_path))[0, 0] = 1


# Colours


def test_a_permutation_has_every_colour_once_and_depends_on_the_seed() -> None:
    found = {permutation("ab12", "00000000", seed) for seed in range(20)}
    assert len(found) == 20
    assert all(sorted(colors) == list(range(16)) for colors in found)


def test_types_get_colours_in_order_and_a_second_one_from_the_fourteenth_on() -> None:
    colors = list(range(16))
    dealt = deal(PaletteKind.SHUFFLED, colors, 20, list(range(1, 17)))
    assert (dealt.letterbox, dealt.background, dealt.marker) == (0, 1, 15)
    assert dealt.types[:4] == (INVISIBLE, 2, 3, 4)
    assert dealt.types[13:17] == (14, 2, 3, 4)
    assert dealt.corners[13:17] == (INVISIBLE, 7, 8, 9)  # 2 + ((13 + 5) mod 13) and on


def test_a_banded_palette_keeps_scenery_apart() -> None:
    colors = list(range(15, -1, -1))
    dealt = deal(PaletteKind.BANDED, colors, 6, [0, 1, 2, 3], frozenset({0, 1}))
    assert all(color < 6 for color in (dealt.letterbox, dealt.background, dealt.types[0], dealt.types[1]))
    assert all(color >= 6 for color in (dealt.types[2], dealt.types[3], dealt.marker))


def test_two_palette_seeds_give_other_colours_and_ids(all_games: list[VgdlGame]) -> None:
    others = {(game.game.name, game.way): game for game in bundled(WAYS, Options(palette_seed=1))}
    changed = [others[game.game.name, game.way].colors != game.colors for game in all_games]
    assert all(changed)
    assert all(others[game.game.name, game.way].version == game.version for game in all_games)
    assert all(others[game.game.name, game.way].base != game.base for game in all_games)


def test_a_kind_has_its_colour_in_all_levels() -> None:
    game = next(game for game in bundled() if game.game.name == "sokoban")
    floor = {int(color) for level in range(5) for color in np.unique(game.paint(level, game.start(level)))}
    assert floor == {game.colors.letterbox, game.colors.background} | set(game.colors.types) - {INVISIBLE}


# Keys


@pytest.mark.parametrize(
    ("avatar", "expected"),
    [
        ("MovingAvatar", {1: "UP", 2: "DOWN", 3: "LEFT", 4: "RIGHT", 5: "NIL"}),
        ("FlakAvatar stype=goal", {3: "LEFT", 4: "RIGHT", 5: "USE", 2: "NIL"}),
        ("ShootAvatar stype=goal", {1: "UP", 2: "DOWN", 3: "LEFT", 4: "RIGHT", 5: "USE"}),
        ("NullAvatar", {5: "NIL"}),
        ("VerticalAvatar", {1: "UP", 2: "DOWN", 5: "NIL"}),
    ],
)
def test_keys_have_their_ids_and_nil_the_first_free_one(tmp_path: Path, avatar: str, expected: dict[int, str]) -> None:
    game = vgdl_games.make(tmp_path, vgdl_games.BUTTON.replace("MovingAvatar", avatar))
    assert {number: action.name for number, action in game.keys.items()} == expected
    assert game.actions == tuple(sorted(expected))


def test_facts_may_name_the_id_of_nil_and_options_leave_it_out(tmp_path: Path) -> None:
    text = vgdl_games.BUTTON.replace("MovingAvatar", "HorizontalAvatar")
    game = vgdl_games.make(tmp_path, text, facts="nil = 1\n")
    assert game.keys[1] is Action.NIL
    assert vgdl_games.make(tmp_path, text, facts="nil = 1\n", options=Options(nil=False)).actions == (3, 4)


# Ids


def test_ids_say_nothing_and_no_base_begins_another(all_games: list[VgdlGame]) -> None:
    bases = [game.base for game in all_games]
    assert len(set(bases)) == len(bases)
    assert not [(a, b) for a in bases for b in bases if a != b and b.startswith(a)]
    for game in all_games:
        told = f"{game.id} {game.title} {' '.join(game.tags)} {game.info}"
        assert not [name for name in (*games.names(), *games.names("click")) if name in told.lower()]
        assert game.id == f"{game.base}-{game.version}"
        assert len(game.version) == 8


def test_a_version_changes_with_rules_levels_and_mapping(tmp_path: Path) -> None:
    versions = {
        vgdl_games.make(tmp_path / "a").version,
        vgdl_games.make(tmp_path / "b", vgdl_games.BUTTON + "        Timeout limit=9 win=False\n").version,
        vgdl_games.make(tmp_path / "c", levels=("A..g.t",)).version,
        vgdl_games.make(tmp_path / "d", options=Options(nil=False)).version,
        vgdl_games.make(tmp_path / "e", facts='clicks = "step"', way=Way.CLICK).version,
    }
    assert len(versions) == 5
    assert vgdl_games.make(tmp_path / "f", name="other").version == vgdl_games.make(tmp_path / "a").version


def test_plain_ids_are_for_development(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, name="to-y", options=Options(plain_ids=True))
    assert game.base == "to_y.keyboard"


def test_ids_are_the_same_in_another_process(all_games: list[VgdlGame]) -> None:
    game = all_games[0]
    twin = pickle.loads(pickle.dumps(game))
    assert (twin.id, twin.colors, twin.seed(0)) == (game.id, game.colors, game.seed(0))
    assert np.array_equal(first(twin), first(game))


# Collections


def test_the_bundled_games(all_games: list[VgdlGame]) -> None:
    by_way = {way: {game.game.name for game in all_games if game.way is way} for way in Way}
    single = {name for set in ("training", "validation", "test") for name in games.names(set)}
    survival = {"survivezombies", "plants", "whackamole"}
    assert by_way[Way.KEYBOARD] == single - survival
    assert set(games.names("click")) < by_way[Way.CLICK]
    assert {"sokoban", "labyrinth", "butterflies", "infection"} < by_way[Way.CLICK]
    assert {"sokoban", "labyrinth", "escape", "overload"} == by_way[Way.BOTH]
    assert all(game.win_levels == 5 for game in all_games)


def test_games_that_do_not_fit_are_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UnfitGameError, match="no games"):
        from_folder(tmp_path)
    with pytest.raises(UnfitGameError, match="clicks = 'fly', expected one of step, walk, point"):
        vgdl_games.make(tmp_path / "a", facts='clicks = "fly"')
    with pytest.raises(UnfitGameError, match="nil = 9"):
        vgdl_games.make(tmp_path / "b", facts="nil = 9")
    with pytest.raises(UnfitGameError, match="2 players"):
        vgdl_games.make(tmp_path / "c", vgdl_games.BUTTON.replace("BasicGame", "BasicGame no_players=2"))


def test_a_game_only_about_surviving_is_tagged(tmp_path: Path) -> None:
    text = vgdl_games.BUTTON.replace("SpriteCounter stype=goal win=True", "Timeout limit=50 win=True")
    assert vgdl_games.make(tmp_path, text).tags == ("keyboard", "deterministic", "survival")
