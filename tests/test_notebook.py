"""What notebooks show: pictures, rules and levels, animations, tables; and what ``repr`` says."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

import vgdl
from plays import start
from vgdl import Action, StateObservation, games, replay
from vgdl.notebook import Animation, Table, replay_html

WON = ["xxxxx", "xA$ox", "xxxxx"]


def played() -> StateObservation:
    state = vgdl.load("sokoban").start(0, seed=3)
    for _ in range(20):
        state.advance(Action.LEFT)
    return state


def film(html: str | None) -> bytes:
    assert html is not None
    found = re.search(r"data:image/gif;base64,([A-Za-z0-9+/=]+)", html)
    assert found is not None
    return base64.b64decode(found[1])


def test_repr_says_where_a_play_stands() -> None:
    state = start("sokoban", WON)
    assert repr(state) == "<StateObservation of sokoban, <text>, tick 0, score 0, running>"
    state.advance(Action.RIGHT)
    assert repr(state) == "<StateObservation of sokoban, <text>, tick 0, score 1, over: won>"
    assert repr(vgdl.load("aliens")) == "<Game aliens, 1 player, 5 levels>"
    assert repr(vgdl.load("aliens").board(2)) == "<Board aliens_lvl2 of aliens>"
    both = vgdl.load("tandem").start(0, 1)
    assert "score 0, 0, running" in repr(both)


def test_a_controllers_state_is_shown_without_names_and_without_a_picture() -> None:
    state = vgdl.load("aliens").start(0, 1)
    bare = StateObservation.from_bytes(state.tables.anonymous(), state.to_bytes())
    assert repr(bare) == "<StateObservation, tick 0, score 0, running>"
    assert bare._repr_png_() is None


def test_a_state_is_a_picture() -> None:
    data = vgdl.load("zelda").start(0, 1)._repr_png_()
    assert data is not None
    assert data.startswith(b"\x89PNG")


@pytest.mark.parametrize("name", games.names("training"))
def test_a_game_is_its_rules_and_its_levels(name: str) -> None:
    html = vgdl.load(name)._repr_html_()
    assert html.count("data:image/png;base64,") == len(games.levels(name))
    assert "SpriteSet" in html
    assert html.count("<div>") == html.count("</div>")


def test_a_game_from_a_text_is_shown_safely() -> None:
    text = "BasicGame\n    SpriteSet\n        gem > Immovable color=GREEN\n        avatar > MovingAvatar\n"
    html = vgdl.loads(text, name="<script>")._repr_html_()
    assert "<script>" not in html
    assert "gem &gt; Immovable" in html


def test_a_replay_is_an_animation() -> None:
    state = played()
    recorded = replay.record(state, 3, [["LEFT"]] * 20, controllers=["human"])
    assert repr(recorded) == "<Replay of sokoban, sokoban_lvl0 by human: undecided, score 0, tick 20>"
    assert film(recorded._repr_html_()).startswith(b"GIF89a")


def test_a_replay_of_an_own_game_needs_its_folder(tmp_path: Path) -> None:
    (tmp_path / "crates.txt").write_text(games.path("sokoban").read_text())
    (tmp_path / "crates_lvl0.txt").write_text("xxxxx\nxA$ox\nxxxxx\n")
    state = vgdl.load(tmp_path / "crates.txt").start(0, 1)
    state.advance(Action.RIGHT)
    recorded = replay.record(state, 1, [["RIGHT"]])
    assert recorded._repr_html_() is None
    assert film(Animation(recorded, [tmp_path])._repr_html_()).startswith(b"GIF89a")


@pytest.mark.costly
def test_long_plays_are_shown_in_steps() -> None:
    state = vgdl.load("aliens").start(0, 1)
    actions = [["NIL"]] * 1000
    for _ in actions:
        state.advance(Action.NIL)
    short = film(replay_html(replay.record(state, 1, actions)))
    assert short.count(b"\x21\xf9\x04\x05") <= 450


def test_results_are_tables() -> None:
    table = Table([{"game": "aliens", "score": 1.5}, {"game": "<b>", "wins": None}])
    assert repr(table) == "game    score  wins\naliens  1.5\n<b>"
    html = table._repr_html_()
    assert "<td>aliens</td><td>1.5</td>" in html
    assert "&lt;b&gt;" in html
    assert Table([replay.Result.of(played())]).columns == ["winners", "scores", "tick"]
    with pytest.raises(TypeError, match="dataclasses or mappings"):
        Table([3])
