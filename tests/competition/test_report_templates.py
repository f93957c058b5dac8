"""The templates of a site: how a track adds its pages, how a user restyles them, and what their macros draw."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from vgdl.cli import counted
from vgdl.competition import cli
from vgdl.competition import track as tracks
from vgdl.competition.report import charts, text
from vgdl.competition.report.site import Site, SiteError
from vgdl.competition.store import Store

WRITER = """
from dataclasses import dataclass

from vgdl.competition.report.charts import Bar, Sample, Series
from vgdl.competition.results import Column, Results, ResultTable
from vgdl.competition.table import Table
from vgdl.competition.track import Track

@dataclass(frozen=True)
class Player:
    player: str
    points: float

class ChessTrack(Track):
    name, summary, templates = "chess", "chess by post", "chess_track"
    tables = (Table("chess_players", Player, "player"),)

    def plan_of(self, facts):
        return None

    def results(self, store, options=None):
        table = ResultTable("ranking", "Ranking", (Column("player"),), [{"player": "Ann"}])
        return Results("chess", True, [table])

    def pages(self, store, site, options):
        matches = [(row.player, row.points) for row in store.rows(Player)]
        site.title = options.title or "Chess"
        site.navigation = (("index.html", "Table"), ("games/1.html", "Game 1"))
        site.footer = "3 rounds"
        site.page("index.html", "chess/index.html", title=site.title, matches=matches,
                  bars=[Bar(name, points) for name, points in matches],
                  samples=[Sample("pieces", [4, 8, 16], "games/1.html", "+1 adjourned"), Sample("none", [])],
                  series=[Series("white", [(0, 8), (40, 2)]), Series("black", [(0, 8), (40, 0)])])
        site.page("games/1.html", "chess/game.html", title="Game 1")
"""
INDEX = """\
{% extends "base.html" %}
{% import "macros/tables.html" as tables with context %}
{% import "macros/facts.html" as facts with context %}
{% import "macros/charts.html" as charts with context %}
{% block content %}
{{ facts.tiles([("matches", 12345)]) }}{{ facts.definitions([("board", "8 by 8")]) }}{{ facts.chip("won", "good") }}
{{ tables.simple("Points", [("player", ""), ("points", "number")], matches) }}
{{ charts.bars("Points", bars, "player", "points") }}
{{ charts.distributions("Pieces", samples, "kind", "games") }}
{{ charts.lines("Pieces over time", series, "move", "pieces", 4) }}
{% endblock %}
"""
GAME = '{% extends "base.html" %}{% block content %}<a href="{{ url(\'index.html\') }}">back</a>{% endblock %}'


@pytest.fixture
def track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A track with a package of its own, and a store of it; gives the store."""
    package = tmp_path / "chess_track"
    (package / "templates" / "chess").mkdir(parents=True)
    (package / "static").mkdir()
    (package / "__init__.py").write_text(WRITER)
    (package / "templates" / "chess" / "index.html").write_text(INDEX)
    (package / "templates" / "chess" / "game.html").write_text(GAME)
    (package / "static" / "chess.css").write_text("/* chess */")
    monkeypatch.syspath_prepend(tmp_path)
    installed = tmp_path / "chess-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: chess\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[vgdl.tracks]\nchess = chess_track:ChessTrack\n")
    tracks.find.cache_clear()
    with Store.create(tmp_path / "chess.db", {"track": "chess"}, tracks.find("chess").tables) as store:
        player = import_module("chess_track").Player
        store.add(player("<b>Ann</b>", 3.0), player("Bob", 1.5))
    yield tmp_path / "chess.db"
    sys.modules.pop("chess_track", None)
    tracks.find.cache_clear()


def report(store: Path, *options: str) -> Path:
    """The site of a store."""
    folder = store.with_name("site")
    assert cli.main(["report", str(store), "--out", str(folder), "--quiet", *options]) == 0
    return folder


def refusal(capsys: pytest.CaptureFixture[str], store: Path, *options: str) -> str:
    """What the command says when it cannot write a site."""
    with pytest.raises(SystemExit) as ended:
        report(store, *options)
    assert ended.value.code == 2
    return capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ tracks


def test_a_track_adds_pages_that_look_like_the_others(track: Path) -> None:
    site = report(track)
    index = (site / "index.html").read_text()
    assert '<li><a href="index.html" aria-current="page">Table</a></li>' in index
    assert "3 rounds" in index
    assert "<dd>12,345</dd>" in index
    assert '<a href="../index.html">back</a>' in (site / "games" / "1.html").read_text()
    assert '<link rel="stylesheet" href="../assets/style.css">' in (site / "games" / "1.html").read_text()
    assert {"chess.css", "style.css", "tables.js"} <= {file.name for file in (site / "assets").iterdir()}


def test_names_of_competitors_are_never_markup(track: Path) -> None:
    index = (report(track) / "index.html").read_text()
    assert "<b>Ann" not in index
    assert index.count("&lt;b&gt;Ann&lt;/") == 2, "in the table and beside the bar"


def test_charts_are_drawn_to_scale(track: Path) -> None:
    index = (report(track) / "index.html").read_text()
    bars = re.findall(r'class="bar" x="0%" y="4" width="([\d.]+)%"', index)
    assert bars == ["100.00", "50.00"]
    assert re.findall(r'<polyline class="line line-\d" points="([^"]+)"', index) == [
        "0.0000,0.0000 1.0000,0.7500 ",
        "0.0000,0.0000 1.0000,1.0000 ",
    ]
    assert 'class="limit" x1="0" x2="1" y1="0.5000"' in index
    assert "3 (+1 adjourned)" in index
    assert '<a href="games/1.html">pieces</a>' in index


# ------------------------------------------------------------------------------------------------ users


def test_a_user_restyles_a_site_and_keeps_the_rest(track: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "static").mkdir(parents=True)
    (own / "base.html").write_text(
        '{% extends "vgdl/base.html" %}{% block head %}{{ super() }}<link rel="stylesheet" href="{{ url("assets/own.css") }}">'
        "{% endblock %}{% block footer %}<footer>Our lab</footer>{% endblock %}"
    )
    (own / "static" / "own.css").write_text(":root { --accent: teal }")
    (own / "static" / "chess.css").write_text("/* ours */")
    site = report(track, "--templates", str(own))
    game = (site / "games" / "1.html").read_text()
    assert '<link rel="stylesheet" href="../assets/own.css">' in game
    assert "<footer>Our lab</footer>" in game
    assert 'aria-current="page">Game 1</a>' in game, "the navigation of the report"
    assert (site / "assets" / "own.css").read_text() == ":root { --accent: teal }"
    assert (site / "assets" / "chess.css").read_text() == "/* ours */"


def test_the_example_in_the_manual_works(track: Path, tmp_path: Path) -> None:
    manual = (Path(__file__).resolve().parents[2] / "docs" / "results-site.md").read_text(encoding="utf-8")
    blocks = dict(
        re.findall(r"^```(jinja|css)\n(.*?)^```", manual.partition("## Pages of another")[0], re.MULTILINE | re.DOTALL)
    )
    (tmp_path / "mine" / "static").mkdir(parents=True)
    (tmp_path / "mine" / "base.html").write_text(blocks["jinja"])
    (tmp_path / "mine" / "static" / "mine.css").write_text(blocks["css"])
    site = report(track, "--templates", str(tmp_path / "mine"))
    game = (site / "games" / "1.html").read_text()
    assert '<link rel="stylesheet" href="../assets/mine.css">' in game
    assert "<footer>Games Lab, 3 rounds</footer>" in game
    variables = set(re.findall(r"(--[\w-]+):", blocks["css"]))
    assert variables <= set(re.findall(r"(--[\w-]+):", (site / "assets" / "style.css").read_text()))


def test_every_macro_in_the_manual_exists_and_the_other_way_round() -> None:
    root = Path(__file__).resolve().parents[2]
    manual = (root / "docs" / "results-site.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)\.(\w+)\(", "".join(line for line in manual.splitlines() if line.startswith("| `"))))
    macros = root / "competition" / "report" / "templates" / "macros"
    made = {
        (file.stem, name)
        for file in macros.glob("*.html")
        for name in re.findall(r"{% macro ([a-z]\w*)\(", file.read_text(encoding="utf-8"))
    }
    assert told == made


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("line one\n{{ page.titel }}", r"chess[/\\]game\.html, line 2: .*'titel'"),
        ("{% if %}", r"chess[/\\]game\.html, line 1: Expected an expression"),
        ('{% extends "missing.html" %}', r"there is no template missing\.html, which chess/game\.html needs"),
        ("one\n\n{{ 1 / 0 }}", r"chess[/\\]game\.html, line 3: ZeroDivisionError: division by zero"),
    ],
)
def test_an_error_in_a_template_is_reported_with_its_line(
    track: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], template: str, complaint: str
) -> None:
    (tmp_path / "own" / "chess").mkdir(parents=True)
    (tmp_path / "own" / "chess" / "game.html").write_text(template)
    told = refusal(capsys, track, "--templates", str(tmp_path / "own"))
    assert re.search(complaint, told)
    assert "Traceback" not in told
    assert not track.with_name("site").exists()
    assert not track.with_name("site.part").exists()


def test_a_missing_folder_of_templates_is_reported(track: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no folder nowhere with templates" in refusal(capsys, track, "--templates", "nowhere")


def test_without_jinja2_the_command_says_what_to_install(
    track: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "vgdl.competition.report.site")
    assert 'pip install "vgdl[report]"' in refusal(capsys, track)


def test_an_undefined_variable_is_an_error_and_not_an_empty_string(tmp_path: Path) -> None:
    with (
        Site(tmp_path / "site", "vgdl.competition.tracks.planning.pages") as site,
        pytest.raises(SiteError, match="'facts' is undefined"),
    ):
        site.page("replay.html", "planning/replay.html", title="Replays")


# ------------------------------------------------------------------------------------------------ words and charts


def test_long_names_break_between_their_words() -> None:
    assert text.breakable("OneStepLook_ahead") == "One<wbr>Step<wbr>Look_<wbr>ahead"
    assert text.breakable("<i>") == "&lt;i&gt;"
    assert text.breakable("MCTS2") == "MCTS2"


def test_lines_without_points_are_axes_without_lines() -> None:
    drawn = charts.lines([charts.Series("none", [])])
    assert drawn.lines == [("none", [])]
    assert drawn.x[0] < drawn.x[-1]


@pytest.mark.parametrize(("value", "told"), [(3.0, "3"), (0.25, "0.25"), (12.34, "12.3"), (-1000.0, "−1000")])
def test_numbers_have_no_insignificant_digits(value: float, told: str) -> None:
    assert text.number(value) == told


def test_nouns_agree_with_their_number() -> None:
    assert [counted(number, "tick") for number in (0, 1, 2)] == ["0 ticks", "1 tick", "2 ticks"]


def test_a_chart_of_many_points_is_thinned_out_evenly() -> None:
    drawn = charts.lines([charts.Series("long", [(x, x) for x in range(2001)])])
    ((_, points),) = drawn.lines
    assert len(points) <= 500
    assert points[0] == (0.0, 0.0)
    assert {round(after[0] - before[0], 9) for before, after in pairwise(points)} == {0.0025}
