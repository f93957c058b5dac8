"""Stages: their public data, their files, and the generator (specification 3.1 and 5.2)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vgdl.competition.tracks.othello.board import notation
from vgdl.competition.tracks.othello.generator import Kind, StageError, Stream, generate
from vgdl.competition.tracks.othello.plan import generated
from vgdl.competition.tracks.othello.stages import StageFileError, from_json, read_stages, shown, to_json
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import STAGES, Stage

GOLDEN = {
    0: {
        "size": 8,
        "blocked": "",
        "black": "d3 e4 e5",
        "white": "d4 d5 e6",
        "flags": (False, False, False),
    },
    1: {
        "size": 8,
        "blocked": "d2 e2 b4 g4 b5 g5 d7 e7",
        "black": "e4 d5",
        "white": "d4 e5",
        "flags": (True, False, False),
    },
    2: {"size": 6, "blocked": "", "black": "d3 c4", "white": "c3 d4", "flags": (False, True, False)},
    5: {"size": 6, "blocked": "", "black": "d2 b3 d4", "white": "c3 e4 c5", "flags": (False, True, True)},
}
"""Stages of some seeds: size, cells, and ignore occlusion, fewer pieces continue, fewest wins."""


def names(cells: tuple[tuple[int, int], ...]) -> str:
    return " ".join(map(notation, cells))


def cells(stage: Stage) -> set[tuple[int, int]]:
    return set(stage.initial_blocked)


def test_the_stream_is_blake2b_of_seed_and_place() -> None:
    stream = Stream(0)
    assert [stream.word() for _ in range(2)] == [6442417570008357530, 5719966779605355791]
    assert Stream(1).word() != Stream(0).word()
    assert Stream(7).below(1000) == Stream(7).word() % 1000


@pytest.mark.parametrize("seed", [-1, 1 << 128])
def test_a_seed_has_128_bits(seed: int) -> None:
    with pytest.raises(StageError, match="seed"):
        generate(seed)


@pytest.mark.parametrize("seed", GOLDEN)
def test_a_seed_gives_the_same_stage_on_every_machine(seed: int) -> None:
    stage = generate(seed)
    assert GOLDEN[seed] == {
        "size": stage.board_size,
        "blocked": names(stage.initial_blocked),
        "black": names(stage.initial_black),
        "white": names(stage.initial_white),
        "flags": (stage.ignore_occlusion, stage.fewer_pieces_continue, stage.fewest_wins),
    }


def test_a_seed_gives_the_same_stage_in_another_process() -> None:
    code = "from vgdl.competition.tracks.othello.generator import generate; print(generate(11))"
    other = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert other.strip() == str(generate(11))


@pytest.mark.parametrize("kind", Kind)
def test_a_kind_sets_the_rule_that_it_is_named_after(kind: Kind) -> None:
    for seed in range(3):
        stage = generate(seed, kind)
        usual = {(3, 3), (4, 4)} if stage.board_size == 8 else None
        assert stage.name == f"Stage {seed}"
        assert stage.board_size in {"size": (6, 10), "fewer": (6, 8, 10), "reverse": (6, 8, 10)}.get(kind, (6, 8, 10))
        assert bool(stage.initial_blocked) or kind not in ("blocked", "occlusion")
        if kind != "mixed":
            assert stage.ignore_occlusion == (kind == "occlusion")
            assert stage.fewer_pieces_continue == (kind == "fewer")
            assert stage.fewest_wins == (kind == "reverse")
        else:
            assert stage.ignore_occlusion or stage.fewer_pieces_continue or stage.fewest_wins
        if kind in ("blocked", "occlusion"):
            assert stage.board_size == 8
            assert set(stage.initial_white) == usual
        if kind == "start":
            assert set(stage.initial_white) == {(7 - row, 7 - column) for row, column in stage.initial_black}
            assert len(stage.initial_black) in (2, 3)


def test_blocked_cells_are_outside_the_centre_and_of_the_number_drawn() -> None:
    for seed in range(6):
        stage = generate(seed, "blocked")
        assert not {(row, column) for row in range(2, 6) for column in range(2, 6)} & cells(stage)
        assert len(cells(stage)) <= 16


def test_an_accepted_stage_begins_with_a_choice() -> None:
    for seed in range(6):
        stage = generate(seed, "start")
        assert len(Rules(stage).legal_moves(stage.board(), 1)) >= 2


def test_stages_of_a_tournament_derive_from_its_secret() -> None:
    first, again, other = (generated(secret, 2, Kind.SIZE) for secret in (5, 5, 6))
    assert first == again != other
    assert int(first[0].name.removeprefix("Stage ")).bit_length() > 64, "not to be found by trying"


def test_the_name_of_a_hidden_stage_reveals_nothing() -> None:
    told = shown(STAGES["reverse-8"], 12)
    assert (told.id, told.name) == ("stage-12", "Stage 12")
    assert shown(STAGES["stage-1"], 12).name == "Small Board (6x6)"
    assert not any("reverse" in str(getattr(told, name)).lower() for name in dir(told) if not name.startswith("__"))


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_a_stage_survives_its_file(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "stages.json"
    file.write_text(json.dumps([to_json(stage)]))
    assert read_stages(file) == [stage]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ('[{"boardSize": 8,]', "line 1, column 18"),
        ('[{"boardSize": "8"}]', "stage 1: boardSize: expected a number"),
        ('[{"boardSize": 8, "fewestWin": true}]', "did you mean 'fewestWins'"),
        ('[{"boardSize": 8, "fewestWins": 1}]', "expected true or false"),
        ('[{"boardSize": 8, "initialPlayer1": [[2, 3]]}]', "expected cells like"),
        ('[{"boardSize": 8, "initialPlayer1": 3}]', "expected a list of cells"),
        ('[{"boardSize": 3}]', "rows"),
        ("[1]", "expected an object"),
        pytest.param("[" * 100_000, "recursion", id="deep"),
        pytest.param('[{"boardSize": ' + "9" * 5000 + "}]", "4300 digits", id="long"),
    ],
)
def test_a_bad_stage_file_is_refused_with_its_place(facts: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "stages.json"
    file.write_text(facts)
    with pytest.raises(StageFileError, match=told):
        read_stages(file)


def test_flags_default_to_false() -> None:
    assert not from_json({"boardSize": 6}).ignore_occlusion
