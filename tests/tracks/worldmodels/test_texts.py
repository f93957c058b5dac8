"""VGDL games written as text by a model or a script: candidates, tests, prompts, the loop, the command and its pages."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

import vgdl
from chat.stub import Answer, endpoint
from tracks.worldmodels.common import Answers, facts, refusal, run, run_until_killed
from vgdl.competition.cli import main
from vgdl.competition.store import Store
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry
from vgdl.competition.tracks.worldmodels.problem import PromptOptions
from vgdl.competition.tracks.worldmodels.scripted import PROSE
from vgdl.competition.tracks.worldmodels.search.beside import same_rules, same_successors
from vgdl.competition.tracks.worldmodels.search.play import LearntGame, play
from vgdl.competition.tracks.worldmodels.search.records import Play, is_repeatable, record_many
from vgdl.competition.tracks.worldmodels.store import TABLES, LearntRow
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Settings
from vgdl.competition.tracks.worldmodels.texts.candidate import MAX_CHARACTERS, Candidate
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan
from vgdl.competition.tracks.worldmodels.texts.problem import VgdlProblem
from vgdl.competition.tracks.worldmodels.track import WorldModelsTrack

SOKOBAN = """BasicGame
    SpriteSet
        t3 > Immovable
        t4 > Immovable
        t5 > Passive
        t6 > MovingAvatar
    InteractionSet
        t6 t3 > stepBack
        t5 t6 > bounceForward
        t5 t3 > undoAll
        t5 t5 > undoAll
        t5 t4 > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=t5 win=True
        Timeout limit=1000 win=False
"""
FAULTS = {
    "unknown class": ("MovingAvatar", "MovingAvatr"),
    "no walls": ("        t6 t3 > stepBack\n", ""),
    "boxes stay": ("        t5 t6 > bounceForward\n", "        t6 t5 > stepBack\n"),
    "wrong score": ("scoreChange=1", "scoreChange=-1"),
    "a type is missing": ("        t4 > Immovable\n", ""),
    "two players": ("BasicGame", "BasicGame no_players=2"),
}
HOSTILE = {
    "sprites multiply": ("t6 t3 > stepBack", "t3 t6 > cloneSprite\n        t3 t3 > cloneSprite"),
    "everything is killed": ("t6 t3 > stepBack", "t3 EOS > killAll stype=t3\n        t6 t3 > killAll stype=t6"),
    "itself without end": ("t5 > Passive", "t5 > Spreader stype=t5"),
    "huge numbers": ("t5 > Passive", "t5 > Missile speed=1e308 cooldown=-2147483648"),
    "a text of a megabyte": ("BasicGame", "# " + "x" * 1_000_000 + "\nBasicGame"),
    "nested deeply": ("t3 > Immovable", "\n".join(f"{' ' * (8 + 4 * k)}n{k} > Immovable" for k in range(300)).strip()),
    "no game at all": (SOKOBAN, "\0\0\0 import os; os._exit(1)"),
    "lone surrogates": ("t4 > Immovable", "t\ud800 > Immovable"),
}


def fenced(text: str) -> str:
    return f"I think so.\n\n```vgdl\n{text}```\n"


@functools.cache
def _plays(name: str = "sokoban") -> tuple[Play, ...]:
    return record_many(vgdl.load(name), [0, 1], 240, seed=3, players=("random", "yraid"))


def sokoban(**options: Any) -> VgdlProblem:
    return VgdlProblem("sokoban", _plays(), True, **options)


def renumbered(name: str) -> str:
    """The text of a bundled game with the names that an author is told, and its types in the true order."""
    game = vgdl.load(name)
    text = game.text
    for number, known in enumerate(game.types):
        if number > 1:
            text = re.sub(rf"\b{known}\b(?!/)", f"t{number}", text)
    return text


# ----------------------------------------------------------------------------------------------------- candidates


def test_types_correspond_by_name_whatever_their_order() -> None:
    lines = SOKOBAN.splitlines(keepends=True)
    mixed = "".join([*lines[:2], "        own > Immovable\n", *reversed(lines[2:6]), *lines[6:]])
    assert sokoban().evaluate(mixed).is_solved
    problem, game = sokoban(), vgdl.load("sokoban")
    candidate = problem.candidate(mixed)
    assert candidate.types.index("t6") != 6
    assert same_rules(candidate, game)
    assert same_successors(candidate, game, _plays()) == 1.0


@pytest.mark.parametrize("fault", ["no walls", "boxes stay", "wrong score"])
def test_other_rules_are_not_those_of_the_game(fault: str) -> None:
    candidate = sokoban().candidate(SOKOBAN.replace(*FAULTS[fault]))
    assert not same_rules(candidate, vgdl.load("sokoban"))
    assert same_successors(candidate, vgdl.load("sokoban"), _plays()) < 1.0


def test_level_mapping_of_an_author_does_not_count() -> None:
    mapping = "    LevelMapping\n        x > t5\n        # a comment\n\n        . > t3\n"
    assert sokoban().evaluate(SOKOBAN.replace("    InteractionSet", f"{mapping}    InteractionSet")).is_solved


def test_types_of_other_levels_are_added_where_a_text_lacks_them() -> None:
    candidate = Candidate(SOKOBAN, {3: "t3", 4: "t4", 5: "t5", 6: "t6", 9: "t9"}, required=(3,))
    assert "t9" in candidate.types
    with pytest.raises(WorldModelError, match="does not define t9") as raised:
        Candidate(SOKOBAN, {9: "t9"}, required=(9,))
    assert raised.value.kind is Kind.MISSING


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(WorldModelError, match="characters"):
        Candidate("#" * (MAX_CHARACTERS + 1), {})


# ---------------------------------------------------------------------------------------------------------- tests


def test_true_rules_of_a_deterministic_game_pass_every_test() -> None:
    problem = sokoban()
    assert is_repeatable(vgdl.load("sokoban"), _plays(), 9)
    evaluation = problem.evaluate(SOKOBAN)
    assert evaluation.is_solved
    assert evaluation.accuracy("transition") == (sum(play.ticks for play in _plays()),) * 2
    assert evaluation.accuracy("replay") == (len(_plays()),) * 2


@pytest.mark.one_case
@pytest.mark.parametrize("name", ["zelda", "butterflies"])
def test_true_rules_of_a_game_of_chance_pass_nearly_every_test(name: str) -> None:
    plays = _plays(name)
    assert not is_repeatable(vgdl.load(name), plays, 9)
    problem = VgdlProblem(name, plays)
    assert problem.evaluate(renumbered(name)).heuristic > 0.97
    still = re.sub(r"RandomNPC|Chaser", "Immovable", renumbered(name))
    assert problem.evaluate(still).heuristic < 0.9


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("no walls", "t6 at"),
        ("boxes stay", "predicted unchanged"),
        ("wrong score", "score: observed +1, predicted -1"),
        ("unknown class", "MovingAvatar"),
        ("a type is missing", "the SpriteSet does not define t4"),
        ("two players", "for 2 players"),
    ],
)
def test_failures_tell_what_was_observed_and_predicted(fault: str, told: str) -> None:
    evaluation = sokoban().evaluate(SOKOBAN.replace(*FAULTS[fault]))
    assert not evaluation.is_solved
    assert any(told in evaluation.verdicts[number].text for number in evaluation.failures)


@pytest.mark.parametrize("fault", HOSTILE)
def test_hostile_texts_are_results(fault: str) -> None:
    problem = sokoban()
    source = SOKOBAN.replace(*HOSTILE[fault])
    assert source != SOKOBAN
    (candidate,) = problem.candidates(fenced(source))
    evaluation = problem.evaluate(candidate)
    assert len(evaluation.verdicts) == len(problem.kinds)
    assert not evaluation.is_solved
    assert all(len(verdict.text) <= 4000 for verdict in evaluation.verdicts)


def test_a_text_that_fails_in_a_play_leaves_the_rest_of_it_to_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    right = LearntGame.follow

    def follow(self: LearntGame, action: vgdl.Action, state: vgdl.StateObservation) -> None:
        if state.tick == 20:
            raise vgdl.VGDLRuntimeError("too many sprites")
        right(self, action, state)

    monkeypatch.setattr(LearntGame, "follow", follow)
    candidate = Candidate(SOKOBAN, {n: f"t{n}" for n in range(3, 7)})
    outcome = play(vgdl.load("sokoban"), 3, "random", candidate, seed=1, calls=20, most=60)
    assert outcome.ticks == 60
    assert outcome.trusted == pytest.approx(20 / 60)


def test_evaluations_are_kept_by_text_and_plays() -> None:
    kept: dict[str, str] = {}
    first = sokoban(evaluations=kept).evaluate(SOKOBAN)
    assert len(kept) == 1
    assert sokoban(evaluations=kept).evaluate(SOKOBAN) == first
    assert len(kept) == 1
    VgdlProblem("sokoban", _plays(), False, evaluations=kept).evaluate(SOKOBAN)
    assert len(kept) == 2


# -------------------------------------------------------------------------------------------------------- prompts


def test_prompts_show_what_was_observed_and_name_neither_game_nor_types() -> None:
    prompt = sokoban(options=PromptOptions(num_targets=2)).first_prompt(Random(0))
    for part in ("# level 0", "t5 died", "score +1", "bounceForward", "SpriteCounter", "action:", "2 whole texts"):
        assert part in prompt
    assert "$" not in prompt
    true = vgdl.load("sokoban")
    shown = prompt[prompt.index("The types of the game are") :]
    for name in ("sokoban", *(name for name in true.types if name not in ("wall", "avatar"))):
        assert not re.search(rf"\b{name}\b", shown, re.IGNORECASE)


def test_the_named_variant_and_rules_in_words_are_shown_on_request() -> None:
    names = dict(enumerate(vgdl.load("sokoban").types))
    prompt = sokoban(names=names, rules="Push the boxes.").first_prompt(Random(0))
    assert "keeper" in prompt
    assert "Push the boxes." in prompt


def test_refining_shows_failed_tests_of_each_kind_and_the_text() -> None:
    problem = sokoban()
    source = SOKOBAN.replace(*FAULTS["boxes stay"])
    evaluation = problem.evaluate(source)
    prompt = problem.refine_prompt(source, evaluation, Random(1))
    assert source.strip() in prompt
    assert prompt.count("# this fails:") == 2
    assert "# replay of play" in prompt
    assert "predicted" in problem.complaint(evaluation)
    assert "```vgdl" in problem.complaint(None)


# ------------------------------------------------------------------------------------------------------- the loop


@pytest.mark.parametrize("method", ["tree", "conversation"])
def test_a_vgdl_game_is_learnt_by_the_same_loop(method: str) -> None:
    problem = sokoban()
    bad = [fenced(SOKOBAN.replace(*fault)) for fault in FAULTS.values()]
    hostile = [fenced(SOKOBAN.replace(*HOSTILE[name])) for name in ("no game at all", "sprites multiply")]
    author = Answers([PROSE, *bad, *hostile, fenced(SOKOBAN)], game="sokoban")
    found = Loop(problem, author, Settings(method=method), 0).run()
    assert (found.stopped, found.calls[-1].best) == ("solved", 1.0)
    assert found.best is not None
    assert found.best.source.strip() == SOKOBAN.strip()
    errors = [each.error for call in found.calls for each in call.candidates]
    assert (errors[0], errors[4]) == ("syntax", "missing")
    assert len(found.calls) == 2 + len(bad) + len(hostile)
    assert "predicted" in author.prompts[-1][-1]["content"]


# ---------------------------------------------------------------------------------------------------- the command

SHORT = ["--ticks", "160", "--test-ticks", "40", "--matches", "0", "--seed", "3", "--quiet"]


def scripts(path: Path, *answers: str) -> str:
    path.write_text(json.dumps({"sokoban": list(answers), "butterflies": [fenced(renumbered("butterflies"))]}))
    return f"scripted:{path}"


@pytest.mark.costly
def test_a_script_leads_to_tables_json_csv_and_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')
    store, out, table = tmp_path / "s.db", tmp_path / "out.json", tmp_path / "out.csv"
    author = scripts(tmp_path / "s.json", PROSE, fenced(SOKOBAN.replace(*FAULTS["boxes stay"])), fenced(SOKOBAN))
    words = ["--games", "sokoban,butterflies", "--author", author, "--max-calls", "4", *SHORT, "--matches", "1"]
    assert run(*words, "--store", str(store), "--json", str(out), "--csv", str(table)) == 0
    printed = capsys.readouterr().out
    assert "Written by scripted, measured on levels 3 and 4" in printed
    assert max(map(len, printed.splitlines())) <= 80
    first, second = facts(out)["programs"]
    assert (first["game"], first["solved"], len(first["calls"])) == ("sokoban", True, 3)
    assert first["measures"]["changed_f1"] == 1.0
    assert first["measures"]["same_rules"]
    assert len(first["measures"]["played_learnt"]) == 2
    assert second["measures"]["same_successors"] == 1.0
    assert table.read_text().splitlines()[1].startswith("sokoban,1,1.0,3,")
    assert main(["standings", str(store)]) == 0
    assert "butterf" in capsys.readouterr().out
    assert main(["report", str(store), "--out", str(tmp_path / "site")]) == 0
    index = (tmp_path / "site" / "index.html").read_text()
    assert "programs/1.html" in index
    assert "t5 t6 &gt; bounceForward" in (tmp_path / "site" / "programs" / "0.html").read_text()


@pytest.mark.costly
def test_the_search_has_pages_and_standings_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')
    from vgdl.competition.tracks.worldmodels.search import work

    learnt = work.learn_game("sokoban", seed=3, seconds=0, ticks=160, test_ticks=40, per_level=0)
    path = tmp_path / "s.db"
    plan = {"track": "worldmodels search", "games": ["sokoban"], "seed": 3}  # as in version 0.2
    with Store.create(path, plan, TABLES, games=[{"name": "sokoban"}], total=1) as store:
        store.add(LearntRow("sokoban", learnt))
    assert main(["standings", str(path)]) == 0
    assert "sokoban" in capsys.readouterr().out
    assert main(["report", str(path), "--out", str(tmp_path / "site")]) == 0
    assert "MovingAvatar" in (tmp_path / "site" / "programs" / "0.html").read_text()


def test_a_model_repairs_what_the_search_has_found(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    author = scripts(tmp_path / "s.json", PROSE, fenced(SOKOBAN))
    assert run("--games", "sokoban", "--author", author, "--start", "search", *SHORT, "--json", str(out)) == 0
    program = facts(out)["programs"][0]
    assert program["calls"][0]["tokens"] == 0
    assert program["nodes"][0]["call"] == 1
    assert program["nodes"][0]["h"] > 0.5
    assert program["solved"]


def test_a_model_behind_an_endpoint_is_asked_once_for_each_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')
    monkeypatch.setenv("MY_KEY", "sk-hidden-1")
    store, out = tmp_path / "store.db", tmp_path / "out.json"
    texts = [PROSE, fenced(SOKOBAN.replace(*HOSTILE["sprites multiply"])), fenced(SOKOBAN)]
    with endpoint(lambda number, body: Answer(texts[min(number, 2)])) as served:
        words = ["--author", f"tiny={served.url}#tiny-1", "--key-env", "MY_KEY", "--price", "1/2", "--syntheses", "1"]
        assert run("--games", "sokoban", *words, *SHORT, "--store", str(store), "--run-calls", "2") == 1
        assert len(served.requests) == 2
        assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
        assert len(served.requests) == 3
        assert run("--resume", str(store), "--quiet") == 0
        assert len(served.requests) == 3
    assert served.keys == ["Bearer sk-hidden-1"] * 3
    assert b"sk-hidden" not in store.read_bytes()
    program = facts(out)["programs"][0]
    assert program["solved"]
    assert program["cost"] > 0
    assert "sokoban" not in json.dumps(served.requests)


@pytest.mark.costly
def test_a_killed_run_goes_on_and_ends_as_if_it_had_not_been_killed(tmp_path: Path) -> None:
    store, out, whole = tmp_path / "store.db", tmp_path / "out.json", tmp_path / "whole.json"
    author = scripts(
        tmp_path / "s.json", *(fenced(SOKOBAN.replace(*fault)) for fault in FAULTS.values()), fenced(SOKOBAN)
    )
    words = ["--games", "sokoban,butterflies", "--author", author, "--max-calls", "8", *SHORT]
    run_until_killed(store, 3, *words)
    assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
    assert run(*words, "--json", str(whole)) == 0
    assert facts(out)["programs"] == facts(whole)["programs"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--games", "sokoban,tic_tac_toe"], "learn them in separate runs"),
        (["--games", "tandem"], "games for one player can be learnt"),
        (["--games", "sokoban", "--decks", "closed"], "--decks does not go with VGDL games"),
        (["--games", "sokoban", "--simulations", "5"], "--simulations does not go with VGDL games"),
        (["--games", "sokoban", "--rules", "zelda=x.txt"], "cannot be read"),
        (["--games", "sokoban,sokoban"], "named twice"),
        (["--games", "sokoban"], "there is no script for sokoban"),
    ],
)
def test_wrong_options_are_explained(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(*words, "--quiet", "--ticks", "10") in (1, 2)
    assert told in " ".join(capsys.readouterr().err.split())


def test_the_plan_survives_the_store(tmp_path: Path) -> None:
    author = AuthorEntry.of("big=https://host/v1#m")
    plan = TextPlan(("sokoban", "zelda"), author, 5, syntheses=2, named=True, rules={"zelda": "Find the key."})
    with Store.create(tmp_path / "s.db", {"track": "worldmodels", **plan.facts()}) as store:
        assert WorldModelsTrack().plan_in(store) == plan
    assert [task.index for task in plan.tasks()] == [0, 1, 0, 1]
