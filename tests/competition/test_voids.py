"""In every track, an agent that makes work void loses what it has voided, and all others go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judging.small import COINS
from tracks.generation.generators import GOOD
from tracks.learning.common import write_game
from tracks.worldmodels.common import sandbox
from tracks.worldmodels.test_programs import STILL
from vgdl.competition import run
from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.voids import MOST_VOIDS, TRIES, Voids
from vgdl.competition.submissions import finder
from vgdl.competition.submissions.evaluation import CONTROLLERS
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram, TickInterface

TRACKS = Path(__file__).parents[1] / "tracks"
HOSTILE = "Hostile"  #: in the name of the class of an agent that makes work void

Voiding = Callable[..., Counter[str]]


@pytest.fixture
def voiding(monkeypatch: pytest.MonkeyPatch) -> Voiding:
    """Let calls of some methods of some agents never be answered; returns how often, by method."""

    def begin(*methods: str, by_agent: bool = True, most: int = 1000, chosen: str = HOSTILE) -> Counter[str]:
        count: Counter[str] = Counter()

        def voided(real: Any, name: str) -> Any:
            def call(agent: AgentProcess, *arguments: Any, **named: Any) -> Any:
                method = arguments[0] if name.startswith("call") else name
                if method in methods and chosen in agent._entry.class_name and count.total() < most:
                    count[method] += 1
                    raise MachineBusy("no answer within 60 s", by_agent=by_agent)
                return real(agent, *arguments, **named)

            return call

        for name in ("call", "call_many", "prepare", "fork"):
            monkeypatch.setattr(AgentProcess, name, voided(getattr(AgentProcess, name), name))
        return count

    return begin


def written(folder: Path, text: str) -> Path:
    path = folder / "agents.py"
    path.write_text(text)
    return path


def test_what_one_agent_voids_is_held_against_it_the_second_time() -> None:
    voids = Voids("match")
    busy = MachineBusy("no answer", by_agent=True)
    with pytest.raises(MachineBusy), voids.judging("a"):
        raise busy
    voids.note(busy, "match 1")
    with pytest.raises(MachineBusy), voids.judging("b"):
        raise MachineBusy("no answer", by_agent=True)
    with pytest.raises(AgentFailed, match="it made the match void 2 times: no answer"), voids.judging("a"):
        raise MachineBusy("no answer", by_agent=True)


def test_a_void_is_counted_once_where_one_judgement_is_inside_another() -> None:
    voids = Voids()
    with pytest.raises(MachineBusy), voids.judging("a"), voids.judging("a"):
        raise MachineBusy("no answer", by_agent=True)
    with pytest.raises(AgentFailed), voids.judging("a"):
        raise MachineBusy("no answer", by_agent=True)


@pytest.mark.parametrize("by_agent", [True, False])
def test_what_no_agent_is_to_blame_for_ends_after_some_tries(by_agent: bool) -> None:
    """Also where nothing says which agent was asked."""
    voids, tries = Voids(), 0

    def work() -> None:
        nonlocal tries
        tries += 1
        raise MachineBusy("no core", by_agent=by_agent)

    with pytest.raises(MachineBusy, match="play 7 was void 3 times: no core"):
        voids.repeated(work, title="play 7")
    assert tries == voids.total == TRIES


@pytest.mark.costly
@pytest.mark.parametrize("method", ["prepare", "load", "analyze", "fork", "begin_game", "choose"])
def test_othello(method: str, tmp_path: Path, voiding: Voiding) -> None:
    """A system that voids its analysis is not entered on the stage; one that voids its games loses them."""
    source = (TRACKS / "othello" / "cheats.py").read_text()
    path = written(tmp_path, f"{source}\n\nclass {HOSTILE}(First):\n    pass\n")
    count = voiding(method)
    given = {"systems": ["random", "greedy", f"{path}:{HOSTILE}"], "stages": ["stage-1"], "seed": 1}
    results = run("othello", **given, analysis="500ms", game="500ms")
    assert results.complete
    rows = {row["system"]: row for row in results.table().records()}
    assert results.done == (2 if method in ("prepare", "load", "analyze") else 6)
    assert HOSTILE not in rows or rows[HOSTILE]["performance"] == 0
    assert MOST_VOIDS <= count.total() <= MOST_VOIDS + 4  # once in every further game


@pytest.mark.costly
@pytest.mark.parametrize("method", ["prepare", "step"])
def test_tabletop(method: str, tmp_path: Path, voiding: Voiding) -> None:
    path = written(tmp_path, f"class {HOSTILE}:\n    def step(self, state):\n        return state.legal_actions()[0]\n")
    voiding(method)
    game = f"{Path(__file__).parents[2] / 'examples' / 'nim.py'}:Nim"
    given = {"game": game, "players": ["mcts", "random", f"{path}:{HOSTILE}"], "simulations": 5, "seed": 1}
    results = run("tabletop", **given, isolation="rlimits")
    assert results.complete
    rows = {row["player"]: row for row in results.table().records()}
    assert rows[HOSTILE]["won"] == 0
    assert rows[HOSTILE]["lost"] == 4
    failures = {row["failure"] for row in results.table("matches").records() if row["player"] == HOSTILE}
    assert failures == {f"{Cause.HUNG}: {Cause.HUNG}: it made the match void 2 times: no answer within 60 s"}


@pytest.mark.costly
@pytest.mark.parametrize("method", ["prepare", "construct", "act", "result", "fork"])
def test_learning(method: str, tmp_path: Path, voiding: Voiding) -> None:
    source = (TRACKS / "learning" / "cheats.py").read_text()
    path = written(tmp_path, f"{source}\n\nclass {HOSTILE}(Honest):\n    pass\n")
    voiding(method)
    given = {"games": [str(write_game(tmp_path))], "agents": [f"{path}:{HOSTILE}", "random"], "steps": 200, "seed": 1}
    limits = {"act": "20s", "construction": "60s", "init": "60s"}
    results = run("learning", **given, **limits, rounds=1, longest=40, frozen=method == "fork")
    assert results.complete
    causes = {row["agent"]: row["cause"] for row in results.table("runs").records()}
    assert causes == {HOSTILE: Cause.HUNG, "random": ""}


@pytest.mark.costly
@pytest.mark.parametrize("method", ["prepare", "construct", "generate"])
def test_generation(method: str, tmp_path: Path, voiding: Voiding) -> None:
    game = tmp_path / "coins.txt"
    game.write_text(COINS.replace("        unused > Immovable color=BLUE\n", ""))
    game.with_name("coins_lvl0.txt").write_text(GOOD)
    source = (TRACKS / "generation" / "generators.py").read_text()
    path = written(tmp_path, source.replace("class Good(", f"class {HOSTILE}("))
    voiding(method)
    track = {"games": [str(game)], "generators": [f"{path}:{HOSTILE}", "random"], "levels": 1, "budget": "calls:500"}
    made = generated(tmp_path, **track)
    assert made[HOSTILE] == (Cause.HUNG, "it made the task void 2 times: no answer within 60 s")
    assert made["random"][0] in ("", "refused")


@pytest.mark.costly
@pytest.mark.parametrize("method", ["prepare", "judge_level", "verify"])
def test_what_is_generated_cannot_void_its_judgement(method: str, tmp_path: Path, voiding: Voiding) -> None:
    game = tmp_path / "coins.txt"
    game.write_text(COINS.replace("        unused > Immovable color=BLUE\n", ""))
    game.with_name("coins_lvl0.txt").write_text(GOOD)
    voiding(method, chosen="JudgeAdapter", most=MOST_VOIDS)
    path = TRACKS / "generation" / "generators.py"
    made = generated(tmp_path, games=[str(game)], generators=[f"{path}:Good"], levels=1, budget="calls:500")
    assert made["Good"] == ("refused", f"the judges could not play it: {Cause.HUNG}")


def generated(folder: Path, **given: Any) -> dict[str, tuple[str, str]]:
    """Cause and details of the failure of each generator."""
    from vgdl.competition.cli import main
    from vgdl.competition.store import Store
    from vgdl.competition.tracks.generation.rows import TABLES, Generated

    words = [f"--{name}={','.join(value) if isinstance(value, list) else value}" for name, value in given.items()]
    effort = ["--plays=1", "--calls=60", "--ticks=120", "--seed=1", "--quiet"]
    assert main(["generate", "levels", *words, *effort, "--store", str(folder / "made.db")]) == 0
    with Store.open(folder / "made.db", read_only=True) as store:
        store.use(TABLES, read_only=True)
        return {row.generator: (row.cause, row.details) for row in store.rows(Generated)}


@pytest.mark.one_case
@pytest.mark.parametrize("method", ["prepare", "load", "look"])
def test_world_models(method: str, voiding: Voiding) -> None:
    """A program of a model fails; the machine's fault is not the program's."""
    with IsolatedProgram(STILL, TickInterface(), sandbox()) as program:
        count = voiding(method, chosen="Host")
        with pytest.raises(WorldModelError) as failed:
            program.ask("look", state="{}")
        assert failed.value.kind is Kind.TIMEOUT
        assert count.total() == MOST_VOIDS


def test_world_models_on_a_busy_machine(voiding: Voiding) -> None:
    with IsolatedProgram(STILL, TickInterface(), sandbox()) as program:
        count = voiding("load", chosen="Host", by_agent=False, most=TRIES - 1)
        assert "apply_action" in program.load()
        assert count.total() == TRIES - 1


@pytest.mark.one_case
@pytest.mark.parametrize("method", ["prepare", "find"])
def test_submissions(method: str, tmp_path: Path, voiding: Voiding) -> None:
    """A file that voids its check has failed it, and does not stop the worker."""
    path = tmp_path / "agent.py"
    path.write_text("")
    voiding(method, chosen="")
    with pytest.raises(AgentFailed, match="it made the check void 2 times"):
        finder.find([path], CONTROLLERS, sandbox())
