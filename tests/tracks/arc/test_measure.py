"""Baselines for games of a user's own (arc, 7.5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracks.arc import vgdl_games
from vgdl.competition.errors import FileError
from vgdl.competition.tracks.arc.baselines import Source, of_file
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.measure_command import main


def test_a_folder_gets_baselines_that_its_plays_are_scored_against(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path / "games", levels=("A.g.t", "A.g.t"))
    file = tmp_path / "own.json"
    assert main(["--games", str(tmp_path / "games"), "--ways", "keyboard", "--output", str(file)]) == 0
    (entry,) = json.loads(file.read_text())["games"]
    assert len(entry["levels"]) == 2
    known = of_file(file)
    assert known.source is Source.MEASURED
    if known.of(game) is None:  # the folder's ids differ from the fixture's
        pytest.fail(f"no baselines for {game.version}: {entry}")
    arc = LocalArc([game], baselines=known)
    environment = arc.make(game.id)
    environment.reset()
    for _ in range(4):
        environment.step(4)
    assert arc.close()["score"] == 100


@pytest.mark.parametrize(
    "text", ["", "[]", '{"games": [{}]}', '{"games": [{"version": "x", "levels": [0]}]}', "[" * 9999]
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "baselines.json"
    file.write_text(text)
    with pytest.raises(FileError, match=r"baselines\.json"):
        of_file(file)
