"""The static site of a results store: its pages and replays."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contests
import vgdl
from vgdl.competition import cli
from vgdl.competition.report import text
from vgdl.competition.report.statistics import axis, spread, wilson
from vgdl.competition.tracks.planning.pages import film, replays
from vgdl.competition.tracks.planning.pages.facts import file_names
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import Outcome, actions, numbered_plays, plays, used
from vgdl.competition.tracks.planning.runner import Competition
from vgdl.render import Palette

pytestmark = pytest.mark.xdist_group("report")  # one competition for all of them

BROKEN = """
from vgdl.controllers import Controller

class Broken(Controller):
    def act(self, state, timer):
        raise ValueError("<b>bold</b> & broken")
"""


def fill(path: Path, planned: Plan, plays: int | None = None) -> None:
    """Play a plan, or its first plays, into a new store."""
    competition = Competition(planned, contests.sandbox_for(planned, "rlimits"))
    total = len(competition.fixtures)
    with contests.new_store(path, planned, total) as store:
        store.begin_session({"isolation": {"level": "rlimits", "weak": True}, "jobs": 1, "backend": "local"})
        for number in range(total if plays is None else plays):
            store.add(*competition.play(number).rows)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two controllers, one of them broken, on the three toy levels."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "broken.py").write_text(BROKEN)
    path = folder / "toy.db"
    fill(path, contests.plan("random", f"{folder}/broken.py:Broken", levels=None, budget="calls:30"))
    return path


@pytest.fixture(scope="module")
def site(store: Path) -> Path:
    """The site of that store."""
    folder = store.with_name("site")
    assert cli.main(["report", str(store), "--out", str(folder), "--title", "Toys & more", "--quiet"]) == 0
    return folder


class _Checker(HTMLParser):
    """Records link targets and elements that are not closed properly."""

    VOID = ("meta", "link", "img", "input", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.targets: list[str] = []
        self.names: list[str] = []
        self.unlabelled: list[str] = []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        known = dict(attributes)
        self.names.append(name)
        self.targets += [value for key in ("href", "src") if (value := known.get(key))]
        if name == "img" and "alt" not in known:
            self.unlabelled.append(str(known))
        if name not in self.VOID:
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_startendtag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.append(name)


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def checked(page: Path) -> _Checker:
    checker = _Checker()
    checker.feed(page.read_text(encoding="utf-8"))
    checker.close()
    assert checker.open == []
    return checker


def handed(script: Path) -> Any:
    """The data that a script of the site passes to the player."""
    found = re.fullmatch(r"vgdl\.\w+\((.*)\);\n", script.read_text(encoding="utf-8"))
    assert found
    return json.loads(f"[{found[1]}]")


def unpacked(site: Path, number: int) -> dict[str, Any]:
    play, text = handed(site / "replays" / f"{number}.js")
    assert play == number
    facts: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    return facts


def text_of(page: Path) -> str:
    text = page.read_text(encoding="utf-8").replace("<wbr>", "")
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


# ------------------------------------------------------------------------------------------------ the pages


def test_every_page_is_well_formed_and_its_links_lead_somewhere(site: Path) -> None:
    assert {page.name for page in pages(site)} == {
        "index.html", "protocol.html", "replay.html", "toy.html", "Random.html", "Broken.html",
    }  # fmt: skip
    for page in pages(site):
        found = checked(page)
        assert found.unlabelled == []
        local = [target.partition("#")[0] for target in found.targets if not target.startswith(("data:", "#"))]
        assert [target for target in local if not (page.parent / target).is_file()] == []
        assert not [target for target in found.targets if "//" in target], "the site needs no network"


def test_the_ranking_has_points_and_victories_per_game(site: Path, store: Path) -> None:
    with contests.read(store) as opened:
        won = sum(
            play.players[0].outcome is Outcome.WON for play in plays(opened) if play.players[0].controller == "Random"
        )
    text = text_of(site / "index.html")
    assert f"1 Random 25 25 {won}/3" in text
    assert "2 Broken 0 0 0/3" in text
    assert "Toys &amp; more" in text


@pytest.mark.costly
def test_a_game_shows_intervals_distributions_and_every_play(site: Path) -> None:
    page = (site / "games" / "toy.html").read_text(encoding="utf-8")
    low, high = wilson(0, 3)
    assert f"0/3</span><small> 0 % ({100 * low:.0f}–{100 * high:.0f})" in page
    assert "0 (+3 disqualified)" in page
    assert page.count('href="../replay.html#') == 6
    assert 'aria-label="play 0: disqualified, score −1000, 1 tick"' in page


def test_a_controller_shows_its_errors_once_and_escaped(site: Path) -> None:
    page = (site / "controllers" / "Broken.html").read_text(encoding="utf-8")
    assert "<b>bold" not in page
    assert page.count("<pre") == 1, "the same traceback in three plays"
    assert "ValueError: &lt;b&gt;bold&lt;/b&gt; &amp; broken" in page
    assert "and 2 more plays: an exception" in page
    assert "None: it was disqualified in no play." in text_of(site / "controllers" / "Random.html")


def test_a_controller_shows_what_its_answers_used(site: Path) -> None:
    random, broken = ((site / "controllers" / f"{name}.html").read_text() for name in ("Random", "Broken"))
    assert "What its answers used: calls by number of the answer in its play" in random
    assert random.count("<polyline") == 2, "maximum and mean"
    assert "<polyline" not in broken, "it never answered"


def test_the_protocol_lists_what_the_results_depend_on(site: Path, store: Path) -> None:
    text = text_of(site / "protocol.html")
    with contests.read(store) as opened:
        (game,) = opened.games
        (session,) = opened.sessions()
    for fact in (game["sha256"], *game["levels"].values(), "30 calls", "rlimits", "Weak isolation", "derive from 5 by"):
        assert fact in text
    assert session["machine"]["system"] in text
    assert f"numpy {np.__version__}" in text


def test_a_running_competition_keeps_its_seed_secret(tmp_path: Path) -> None:
    fill(tmp_path / "part.db", contests.plan("random", levels=(0, 1), budget="calls:30"), plays=1)
    assert cli.main(["report", str(tmp_path / "part.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    assert "The seed is published when all plays are done" in text_of(tmp_path / "site" / "protocol.html")
    assert "1 of 2 plays are done" in text_of(tmp_path / "site" / "index.html")
    assert not (tmp_path / "site" / "results.json").exists()


def test_a_game_that_not_all_have_played_has_no_best_controller(tmp_path: Path) -> None:
    fill(tmp_path / "part.db", contests.plan("random", "onesteplookahead", levels=(0,), budget="calls:5"), plays=1)
    assert cli.main(["report", str(tmp_path / "part.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    index = text_of(tmp_path / "site" / "index.html")
    assert "toy not played by all controllers yet" in index
    assert "best:" not in index


def test_a_competition_without_plays_has_a_site(tmp_path: Path) -> None:
    fill(tmp_path / "new.db", contests.plan("random", budget="calls:30"), plays=0)
    assert cli.main(["report", str(tmp_path / "new.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    assert "0 of 1 plays so far" in text_of(tmp_path / "site" / "index.html")
    for page in pages(tmp_path / "site"):
        checked(page)


@pytest.mark.costly
def test_games_for_two_have_a_rating_and_replays_with_both_players(tmp_path: Path) -> None:
    pytest.importorskip("openskill")
    planned = contests.plan("random", "onesteplookahead", games="two_player", levels=(0,), budget="calls:5")
    fill(tmp_path / "two.db", planned, plays=1)
    assert cli.main(["report", str(tmp_path / "two.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    assert "Skill rating" in text_of(tmp_path / "site" / "index.html")
    facts = unpacked(tmp_path / "site", 0)
    assert len(facts["actions"]) == len(facts["scores"]) == len(facts["used"]) == 2


@pytest.mark.parametrize(("name", "sides"), [("pong", ["right", "left"]), ("tandem", ["top", "bottom"])])
def test_a_film_says_which_player_is_where(name: str, sides: list[str]) -> None:
    board, pictures = vgdl.load(name).board(0), film.Pictures()
    taken, _ = film.take(board, 3, [["LEFT", "RIGHT"]], pictures)
    assert [avatar[1] for avatar in taken.avatars if avatar] == sides
    shown = [taken.pictures[avatar[0]] for avatar in taken.avatars if avatar]
    state = board.start(3)
    canvas = vgdl.render.frame(state)
    for avatar, picture in zip(state.avatars, shown, strict=True):
        assert avatar
        pixels = _decoded(pictures.urls[picture])
        x, y = (place * vgdl.render.BLOCK // state.block_size for place in avatar.position)
        seen = canvas[y : y + pixels.shape[0], x : x + pixels.shape[1]]
        assert np.array_equal(seen[pixels[..., 3] > 0], pixels[..., :3][pixels[..., 3] > 0])


def test_a_player_alone_is_on_no_side() -> None:
    taken, _ = film.take(vgdl.load("aliens").board(0), 3, [["LEFT"]], film.Pictures())
    assert [avatar and avatar[1] for avatar in taken.avatars] == [""]


# ------------------------------------------------------------------------------------------------ the folder


def test_a_folder_that_cannot_be_made_is_named(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit):
        cli.main(["report", str(store), "--out", str(tmp_path / "file" / "site"), "--quiet"])
    told = capsys.readouterr().err
    assert f"error: {tmp_path}" in told
    assert told.endswith(": Not a directory\n")


def test_a_site_is_replaced_and_another_folder_is_not(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "site"
    command = ["report", str(store), "--out", str(folder), "--replays", "none", "--quiet"]
    assert cli.main(command) == 0
    (folder / "stale.html").write_text("old")
    assert cli.main(command) == 0
    assert not (folder / "stale.html").exists()
    assert not (folder / "replays").exists()
    assert "without replays" in text_of(folder / "replay.html")
    part = folder.with_name("site.part")
    part.mkdir()
    (part / "thesis.txt").write_text("mine")
    with pytest.raises(SystemExit):
        cli.main(command)
    assert (part / "thesis.txt").is_file()
    (part / "thesis.txt").unlink()
    (folder / ".vgdl-report").unlink()
    with pytest.raises(SystemExit):
        cli.main(command)
    assert capsys.readouterr().err.count("choose another") == 2
    assert (folder / "index.html").is_file()


def test_the_same_store_gives_the_same_site(store: Path, site: Path, tmp_path: Path) -> None:
    cli.main(["report", str(store), "--out", str(tmp_path / "again"), "--title", "Toys & more", "--quiet"])
    files = [file.relative_to(site) for file in site.rglob("*") if file.is_file()]
    assert files
    assert [name for name in files if (site / name).read_bytes() != (tmp_path / "again" / name).read_bytes()] == []


def test_games_are_shown_in_the_colour_blind_palette_on_request(store: Path, site: Path, tmp_path: Path) -> None:
    changed = tmp_path / "safe"
    assert (
        cli.main(["report", str(store), "--out", str(changed), "--palette", "safe", "--replays", "1", "--quiet"]) == 0
    )
    for name in ("pictures/toy.png", "drawings/toy.js"):
        assert (changed / name).read_bytes() != (site / name).read_bytes()


def test_a_game_that_has_changed_has_no_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for file in contests.TOY.glob("*.txt"):
        (folder / file.name).write_text(file.read_text())
    fill(tmp_path / "toy.db", contests.plan("random", games=str(folder), levels=(0,), budget="calls:30"))
    (folder / "toy.txt").write_text((folder / "toy.txt").read_text().replace("limit=60", "limit=50"))
    assert cli.main(["report", str(tmp_path / "toy.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    assert "toy has no replays: the files of the game have changed" in capsys.readouterr().err
    assert "have changed since it was played" in text_of(tmp_path / "site" / "games" / "toy.html")


def test_the_number_of_replays_per_controller_and_game_can_be_limited(store: Path) -> None:
    with contests.read(store) as opened:
        plays = numbered_plays(opened)
    assert replays.chosen(plays, None) == list(range(6))
    assert replays.chosen(plays, 0) == []
    chosen = replays.chosen(plays, 1)
    assert [dict(plays)[number].players[0].controller for number in chosen] == ["Random", "Broken"]


# ------------------------------------------------------------------------------------------------ replays


def drawn(facts: dict[str, Any], pictures: dict[str, str], tick: int) -> np.ndarray[Any, Any]:
    """A tick of a film as the player draws it."""
    width, height = facts["size"]
    canvas = np.zeros((height, width, 3), dtype=np.uint8)
    for spans in facts["layers"]:
        shown: list[list[int]] = []
        for when, at, gone, *come in spans:
            if when <= tick:
                shown[at : at + gone] = [come[k : k + 3] for k in range(0, len(come), 3)]
        for number, x, y in shown:
            _put(canvas, _decoded(pictures[facts["pictures"][number]]), x, y)
    return canvas


def _put(canvas: np.ndarray[Any, Any], shown: np.ndarray[Any, Any], x: int, y: int) -> None:
    height, width = canvas.shape[:2]
    for row in range(max(0, -y), min(shown.shape[0], height - y)):
        for column in range(max(0, -x), min(shown.shape[1], width - x)):
            if shown[row, column, 3]:
                canvas[y + row, x + column] = shown[row, column, :3]


def _decoded(url: str) -> np.ndarray[Any, Any]:
    """The pixels of a PNG file as ``vgdl.render.png`` writes them."""
    data = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    start = data.index(b"IDAT")
    body = zlib.decompress(data[start + 4 : start + 4 + int.from_bytes(data[start - 4 : start])])
    rows = np.frombuffer(body, dtype=np.uint8).reshape(height, 1 + 4 * width)
    return rows[:, 1:].reshape(height, width, 4)


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("name", "palette"), [("aliens", Palette.STANDARD), ("zelda", Palette.SAFE), ("frogs", Palette.STANDARD)]
)
def test_a_film_shows_what_a_frame_shows(name: str, palette: Palette) -> None:
    """Pixel by pixel, with sprites that move, turn, are born and die."""
    board = vgdl.load(name).board(0)
    actions = [[["LEFT"], ["USE"], ["RIGHT"], ["UP"], ["USE"], ["RIGHT"]][tick % 6] for tick in range(120)]
    pictures = film.Pictures()
    taken, _ = film.take(board, 3, actions, pictures, palette)
    facts = json.loads(json.dumps(taken.facts()))
    state = board.start(3)
    for tick in range(len(actions) + 1):
        if tick:
            state.advance(vgdl.Action[actions[tick - 1][0]])
        if tick % 10 == 0:
            shown = vgdl.render.frame(state, palette=palette)
            assert np.array_equal(drawn(facts, pictures.urls, tick), shown)


def test_a_replay_ends_as_the_store_says(site: Path, store: Path) -> None:
    with contests.read(store) as opened:
        for number, play in numbered_plays(opened):
            facts = unpacked(site, number)
            assert facts["ticks"] == len(actions(opened, number))
            assert facts["actions"] == [[tick[0] for tick in actions(opened, number)]]
            assert facts["used"] == [used(opened, number)]
            if play.players[0].outcome is Outcome.LOST:
                assert facts["scores"][0][-1][1] == play.players[0].score


def test_unchanged_data_is_not_repeated() -> None:
    a, b, c = (0, 0, 0), (0, 1, 0), (0, 2, 0)
    assert list(film.differences([a, b, c], [a, c, c])) == [[1, 1, *c]]
    assert list(film.differences([a, b, c], [b, c])) == [[0, 1]]
    assert list(film.differences([a, c], [a, b, c])) == [[1, 0, *b]]
    assert list(film.differences([a, a], [a, a, a])) == [[2, 0, *a]]
    assert list(film.differences([], [])) == []


# ------------------------------------------------------------------------------------------------ parts


def test_wilson_agrees_with_published_values() -> None:
    """The first two are in Newcombe 1998, table I (81/263 and 15/148)."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(5, 5)[1] == 1.0


@pytest.mark.parametrize(("least", "most"), [(0, 1), (-1000, 20), (3, 3), (0.1, 0.2), (0, 1997), (-7, -3)])
def test_an_axis_holds_all_values_at_round_distances(least: float, most: float) -> None:
    marks = axis(least, most)
    assert marks[0] <= least
    assert most <= marks[-1]
    assert 2 <= len(marks) <= 8
    (step,) = {round(after - before, 9) for before, after in pairwise(marks)}
    assert f"{step:e}"[0] in "125"
    assert float(f"{step:.0e}") == step, "one digit only"


def test_a_spread_has_quartiles_between_values() -> None:
    five = spread([4, 1, 3, 2])
    assert (five.least, five.lower, five.median, five.upper, five.most) == (1, 1.75, 2.5, 3.25, 4)


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        *[(3, "", "3"), (-3.0, "", "−3"), (-0.25, "", "−0.25"), (-1234, ",", "−1,234"), (-0.001, ".2f", "0.00")],
        *[(-0.2, "+.0f", "+0"), (-3.2, "+.0f", "−3"), (3.2, "+.0f", "+3")],
    ],
)
def test_numbers_below_zero_have_a_minus_sign(value: float, spec: str, shown: str) -> None:
    assert text.number(value, spec) == shown


@pytest.mark.parametrize("words", ["lvl-3", "2026-01-02", "levels 0-4", "1e-05", "--seed 3", "a - b", "(2)-3"])
def test_a_hyphen_that_is_no_sign_stays(words: str) -> None:
    assert text.minus(words) == words
    assert text.minus(f"{words}: -0.5 [-1, 2]") == f"{words}: −0.5 [−1, 2]"


@pytest.mark.costly
def test_pages_show_scores_below_zero_with_a_minus_sign_and_data_do_not(tmp_path: Path) -> None:
    planned = contests.plan("random", "onesteplookahead", levels=(0,), budget="calls:5")
    competition = Competition(planned, contests.sandbox_for(planned, "rlimits"))
    with contests.new_store(tmp_path / "below.db", planned, len(competition.fixtures)) as store:
        store.begin_session({"isolation": {"level": "rlimits", "weak": True}, "jobs": 1, "backend": "local"})
        for number in range(len(competition.fixtures)):
            record = competition.play(number)
            result = replace(record.result, players=(replace(record.result.players[0], score=-2.5),))
            store.add(*replace(record, result=result).rows)
    site = tmp_path / "site"
    assert cli.main(["report", str(tmp_path / "below.db"), "--out", str(site), "--quiet"]) == 0
    shown = [text_of(page) for page in pages(site)]
    assert any("−2.50" in page for page in shown)
    assert not [page for page in shown if re.search(r"(?<![\w-])-\d", page)]
    data = (site / "results.csv").read_text() + (site / "results.json").read_text()
    assert "-2.5" in data
    assert "−" not in data


def test_file_names_are_plain_and_distinct() -> None:
    names = ["Random", "random", "../etc", "a/b", "a b", "", "日本"]
    given = file_names(names)
    assert given["Random"] == "Random"
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in given.values())
    assert len({name.lower() for name in given.values()}) == len(names)
