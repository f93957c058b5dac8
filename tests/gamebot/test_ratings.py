"""Ratings over games, the correlation of outcomes and answers, and a person as a player."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from vgdl.competition.cli import main
from vgdl.competition.tracks.gamebot.human import HumanPlayer
from vgdl.competition.tracks.gamebot.plan import Entry, Plan
from vgdl.competition.tracks.gamebot.ratings import ALL, ratings, spreads
from vgdl.competition.tracks.gamebot.scores import Score, Seat
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.tabletop import sample_chance

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[llm]"')

PLAN = Plan(tuple(Entry(name, "random") for name in ("strong", "weak", "middle")), ("othello", "pong"), 8, 1)


def seats(order: tuple[str, ...] = ("strong", "middle", "weak")) -> Iterator[Seat]:
    """Every match of the plan is won by the stronger player, except every fourth one."""
    for fixture in PLAN.fixtures():
        won = order.index(fixture.first) < order.index(fixture.second)
        value = 1.0 if won != (fixture.number % 4 == 0) else -1.0
        for seat, (model, opponent) in enumerate((fixture.names, fixture.names[::-1])):
            yield Seat(fixture.number, model, opponent, fixture.game, seat, value * (1 - 2 * seat), 5, 0, 0)


def test_ratings_order_players_in_all_and_by_game() -> None:
    found = ratings(seats(), PLAN.fixtures(), ["othello", "pong"])
    assert [row.game for row in found] == [ALL] * 3 + ["othello"] * 3 + ["pong"] * 3
    for start in (0, 3, 6):
        assert [row.model for row in found[start : start + 3]] == ["strong", "middle", "weak"]
    assert sum(row.points for row in found[:3]) == pytest.approx(0)
    for row in found:
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.points <= row.high
        assert row.best_rank <= row.worst_rank
        assert row.matches == (32 if row.game == ALL else 16)


def test_ratings_do_not_depend_on_the_order_of_matches() -> None:
    known = list(seats())
    assert ratings(known[::-1], PLAN.fixtures(), ["othello"]) == ratings(known, PLAN.fixtures(), ["othello"])


def test_one_deal_gives_no_interval() -> None:
    plan = Plan(PLAN.entries[:2], ("othello",), 2, 1)
    known = [
        Seat(number, *names, "othello", 0, 1.0, 5, 0, 0)
        for number, names in enumerate((("strong", "weak"), ("weak", "strong")))
    ]
    rows = ratings(known, plan.fixtures(), ["othello"])
    assert [row.points for row in rows] == pytest.approx([0, 0])
    assert [(row.low, row.high) for row in rows] == [(None, None)] * 2


def test_the_correlation_of_outcomes_and_answers() -> None:
    scores = [
        Score(name, {"pong": s}, {"pong": i})
        for name, s, i in (("a", 0.5, 0.9), ("b", 0.1, 0.5), ("c", -0.2, 0.4), ("random", -0.4, None))
    ]
    whole, pong = spreads(scores, ["pong"])
    assert (whole.game, pong.game, pong.players) == (ALL, "pong", 4)
    assert pong.spearman == pytest.approx(1)
    assert pong.pearson == pytest.approx(0.9686, abs=1e-4)
    assert (pong.s_lowest, pong.s_highest, pong.i_lowest) == (-0.4, 0.5, 0.4)
    assert spreads(scores[2:], ["pong"])[1].pearson is None


def test_the_tables_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    command = ["gamebot", "--models", "scripted:correct,scripted:mix,scripted:wrong", "--games", "tic_tac_toe,pong"]
    assert main([*command, "--matches", "4", "--seed", "7", "--quiet", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "Bradley–Terry ratings" in printed
    assert "Correlation of S and I:" in printed
    tables = json.loads(out.read_text(encoding="utf-8"))["tables"]
    assert {row["game"] for row in tables["ratings"]} == {ALL, "pong", "tic_tac_toe"}
    assert list(tables["paper"][0]) == [
        "model", "s_pong", "s_tic_tac_toe", "S", "i_pong", "i_tic_tac_toe", "I", "score",
    ]  # fmt: skip
    assert [row["game"] for row in tables["spreads"]] == [ALL, "pong", "tic_tac_toe"]


# ------------------------------------------------------------------------------------------------------------- a person


def person(lines: list[str]) -> tuple[HumanPlayer, list[str], io.StringIO]:
    """A person who types some lines, and what it is asked and shown."""
    asked: list[str] = []
    typed, shown = iter(lines), io.StringIO()

    def ask(text: str) -> str:
        asked.append(text)
        line = next(typed, None)
        if line is None:
            raise EOFError
        return line

    return HumanPlayer("me", Console(file=shown, width=200), ask=ask), asked, shown


def test_a_person_is_asked_question_by_question_and_again_after_a_slip() -> None:
    task = TASKS["tic_tac_toe"]()
    state = task.start()
    player, asked, shown = person(["Nnoe", "None", "", "center", "(9,9)", "(1,1)"])
    found = player.respond(task, state, 0, 0, 0, "")
    assert asked == ["1. own wins: "] * 2 + ["2. opponent's wins: "] + ["Chosen Move: "] * 3
    assert (found.reading.results, found.reading.move, found.answers_questions) == ({1: frozenset()}, (1, 1), True)
    assert found.text == "[Intermediate Thinking Results 1: None]\nChosen Move: (1,1)"
    assert "## Rules" in shown.getvalue()
    assert "Legal moves: (0,0), (0,1)" in shown.getvalue()


def test_a_person_is_asked_about_its_proposal_after_it() -> None:
    task, draws = TASKS["bargaining"](), random.Random(1)
    state = task.start()
    while state.is_chance_node():
        sample_chance(state, draws.random)
    pool = "({},{},{})".format(*state.pool)
    player, asked, _ = person(["[P1: (0,0,0), P2: (0,0,0)]", f"[P1: {pool}, P2: (0,0,0)]", "30"])
    found = player.respond(task, state, 0, 0, 0, "")
    assert asked == ["Proposal: ", "Proposal: ", "2. proposed: "]
    assert found.reading.results == task.truths(state, 0, found.reading.move) == {2: 30}
    with pytest.raises(KeyboardInterrupt):  # nothing more can be typed
        player.respond(task, state, 0, 0, 0, "")


def test_a_person_plays_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(f"({row},{column})" for _ in range(9) for row in range(3) for column in range(3))

    def line(text: str) -> str:
        return next(typed) if text.startswith("Chosen Move") else "None"

    monkeypatch.setattr("builtins.input", line)
    defaults = HumanPlayer.__init__.__kwdefaults__ or {}
    monkeypatch.setattr(HumanPlayer.__init__, "__kwdefaults__", {**defaults, "ask": line})
    out = tmp_path / "out.json"
    command = ["gamebot", "--models", "me=human,random", "--games", "tic_tac_toe", "--matches", "2", "--seed", "7"]
    assert main([*command, "--json", str(out)]) == 0
    rows = {row["model"]: row for row in json.loads(out.read_text(encoding="utf-8"))["rows"]}
    assert rows["me"]["replaced"] == 0
    assert rows["me"]["subproblems"]["own wins"]["format errors"] == 0
    assert "Legal moves" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--models", "human,random", "--jobs", "2"], "one match at a time"),
        (["--models", "a=human,b=human"], "not two"),
    ],
)
def test_one_person_plays_one_match_at_a_time(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["gamebot", *words, "--games", "tic_tac_toe"])
    assert message in capsys.readouterr().err
