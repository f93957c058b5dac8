"""Archives of levels: proofs, damage, and fresh levels in environments."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import vgdl
from judging.small import game
from vgdl.generation.archives import ArchivedLevel, ArchiveInvalid, LevelArchive, levels_named, make_archive
from vgdl.generation.interface import Size

FROGS = vgdl.load("frogs")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "frogs.levels"
    made = make_archive(FROGS, Size.of(28, 16), 3, 1)
    made.write(path)
    return path


def test_every_level_has_a_winning_play(archive: Path) -> None:
    levels = LevelArchive.read(archive, FROGS).levels
    assert len({level.text for level in levels}) == 3
    assert all(level.is_won_on(FROGS.board(level.text)) for level in levels)


def test_one_seed_makes_one_archive(archive: Path, tmp_path: Path) -> None:
    make_archive(FROGS, Size.of(28, 16), 3, 1).write(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == archive.read_bytes()


def test_an_archive_is_for_one_game(archive: Path) -> None:
    with pytest.raises(ArchiveInvalid, match="not for coins"):
        LevelArchive.read(archive, game())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text",
        gzip.compress(b"[]", mtime=0),
        gzip.compress(b'{"format":1}', mtime=0),
        gzip.compress(b"{", mtime=0)[:12],
        b"\x1f\x8b" * 50,
    ],
)
def test_damaged_files_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(ArchiveInvalid, match="not an archive"):
        LevelArchive.read(tmp_path / "bad")
    with pytest.raises(ArchiveInvalid, match="No such file"):
        LevelArchive.read(tmp_path / "missing")


@pytest.mark.parametrize("query", ["?", "?difficulty", "?level=3", "?difficulty=mediu"])
def test_sources_that_are_not_understood(query: str, archive: Path) -> None:
    with pytest.raises(ArchiveInvalid, match=r"not understood|did you mean 'medium'"):
        levels_named(f"generated:{archive}{query}", FROGS)


def test_levels_by_difficulty() -> None:
    levels = [ArchivedLevel("w\n", share, 0, "") for share in (1.0, 0.6, 0.2)]
    made = LevelArchive("x", "y", tuple(levels))
    assert [made.only(band)[0].olets for band in ("easy", "medium", "hard")] == [1.0, 0.6, 0.2]
    with pytest.raises(ArchiveInvalid, match="no level of difficulty hard"):
        LevelArchive("x", "y", tuple(levels[:1])).only("hard")


def test_environments_draw_a_level_at_every_reset(archive: Path) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    import vgdl.envs  # noqa: F401

    env = gymnasium.make("vgdl/Frogs-v0", levels=f"generated:{archive}").unwrapped
    drawn = [env.reset(seed=seed)[1]["level"] for seed in range(12)]
    assert set(drawn) == {0, 1, 2}
    assert drawn == [env.reset(seed=seed)[1]["level"] for seed in range(12)]
    assert env.reset(seed=1)[0] in env.observation_space


def test_vectors_of_environments_draw_levels(archive: Path) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    import vgdl.envs  # noqa: F401

    envs = gymnasium.make_vec("vgdl/Frogs-v0", num_envs=4, levels=f"generated:{archive}")
    observations, infos = envs.reset(seed=1)
    assert observations.shape[0] == 4
    assert len(set(infos["level"])) > 1
    envs.close()
    with pytest.raises(ValueError, match="No such file"):
        gymnasium.make("vgdl/Frogs-v0", levels="generated:missing.levels")
