"""Generators and judges as agents: the methods that the track calls, and the adapters that answer in the worker.

Generators are strangers' programs, and what they return is checked by the track. The judges are ours, but play games
that strangers made: they run in a process like a generator's, so a game that hangs or eats memory ends nothing else.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from vgdl import Action, Meter, VGDLError, loads, replay
from vgdl.competition.agents.service import Clock, Method, Patience, Service, anything, nothing
from vgdl.competition.tracks.generation import film
from vgdl.controllers import Timer
from vgdl.generation.interface import GameTexts, Level, LevelTask, Rules, RulesTask, Size
from vgdl.generation.ruleset import judge_rules
from vgdl.judging.cells import Grid
from vgdl.judging.command import findings
from vgdl.judging.description import describe
from vgdl.judging.plays import Effort, Played
from vgdl.judging.proof import Claim, Outcome, outcome
from vgdl.judging.verdicts import NO_ATTEMPT, judge_game, judge_level, without_plays
from vgdl.registry import Entry
from vgdl.render import gif, png

_ADAPTER = "vgdl.competition.tracks.generation.adapter"
_SHORTEST_WAIT_S = 30.0
OVERRUN = 6.0
"""A generator that needs more than so many times its budget is disqualified for the level (generation, 1)."""

GAME_NAME = "game"  #: of a game that was given as a text
MOST_PICTURE = 300_000  #: bytes of a picture or a film
_JUDGE_S = 3600.0  #: CPU seconds after which a level that cannot be judged is refused

JUDGE = Entry("judges", "judges", f"{_ADAPTER}", "JudgeAdapter")
"""The judges, for `AgentProcess`."""


def generator_service(clock: Clock, construct: float, generate: float) -> Service:
    """The methods of a generator; budgets in the unit of the clock."""
    patience = Patience(factor=OVERRUN, floor_s=_SHORTEST_WAIT_S, calls_s=_JUDGE_S)
    return Service(
        adapter=f"{_ADAPTER}:GeneratorAdapter",
        methods={
            "construct": Method(construct, nothing, ("task",), patience),
            "generate": Method(generate, anything, ("wish",), patience),
        },
        clock=clock,
        patience=patience,
    )


def judge_service(limit_s: float = _JUDGE_S) -> Service:
    """The methods of the judges; their work is limited, but not charged.

    Args:
        limit_s: seconds of CPU time after which they give up.
    """
    patience = Patience(factor=1.0, floor_s=_SHORTEST_WAIT_S)
    budget = 1000.0 * limit_s
    return Service(
        adapter=f"{_ADAPTER}:JudgeAdapter",
        methods={
            "judge_level": Method(budget, _dictionary, ("game", "level", "others", "effort", "seed"), patience),
            "judge_rules": Method(budget, _dictionary, ("game", "level", "effort", "seed"), patience),
            "judge_game": Method(budget, _dictionary, ("game", "levels", "effort", "seed"), patience),
            "verify": Method(budget, _dictionary, ("game", "level", "seed", "actions"), patience),
            "show": Method(budget, _dictionary, ("game", "level", "seed", "actions"), patience),
        },
        clock=Clock.CPU,
        patience=patience,
    )


def _dictionary(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r:.100} is not a judgement")
    return value


class GeneratorAdapter:
    """One generator with one task."""

    def __init__(self, entry: Entry, meter: Meter, *, seed: int, kind: str) -> None:
        """Import the generator; its constructor waits for the task."""
        self._class: Any = entry.imported()
        self._meter = meter
        self._seed = seed
        self._kind = kind
        self._generator: Any = None

    def construct(self, *, task: dict[str, Any], timer: Timer) -> None:
        """Construct the generator for a game, for sprites, or for nothing."""
        match self._kind:
            case "levels":
                game = LevelTask(loads(task["game"], name=task["name"]), self._meter)
                self._generator = self._class(game, timer, seed=self._seed)
            case "rules":
                bare = loads(f"BasicGame\n{task['sprites']}\n    InteractionSet\n    TerminationSet\n", name="sprites")
                rules = RulesTask(task["sprites"], describe(bare), task["level"], self._meter)
                self._generator = self._class(rules, timer, seed=self._seed)
            case _:
                self._generator = self._class(timer, seed=self._seed, meter=self._meter)

    def generate(self, *, wish: dict[str, Any], timer: Timer) -> Any:
        """What the generator returns, as plain data; anything that is no level, rules or game is returned as it is."""
        match self._kind:
            case "levels":
                size = Size.parse(wish["size"])
                found = self._generator.generate(size, timer, difficulty=wish["difficulty"])
            case "rules":
                found = self._generator.generate(timer)
            case _:
                found = self._generator.generate(wish["idea"], timer)
        return as_plain(found)


def as_plain(answer: Any) -> Any:
    """A level, rules or game as plain data."""
    if isinstance(answer, Level):
        return {"text": answer.text, "mapping": {key: list(names) for key, names in answer.mapping.items()}}
    if isinstance(answer, Rules):
        groups = {key: list(names) for key, names in answer.groups.items()}
        return {"interactions": list(answer.interactions), "terminations": list(answer.terminations), "groups": groups}
    if isinstance(answer, GameTexts):
        return {"game": answer.game, "levels": list(answer.levels)}
    return answer


class JudgeAdapter:
    """The judges of a level or a set of rules, and the process that verifies a win."""

    def __init__(self, entry: Entry, meter: Meter) -> None:
        """Nothing of a stranger's is imported."""

    def judge_level(
        self, *, game: str, level: str, others: list[str], effort: list[int], seed: int, timer: Timer
    ) -> dict[str, Any]:
        """Judge a level; its win is for another process to verify."""
        loaded = loads(game)
        grids = [Grid.of(text) for text in others]
        judged = judge_level(
            loaded.board(_as_text(level)),
            describe(loaded),
            Effort(*effort),
            seed,
            others=grids,
            last_attempt=NO_ATTEMPT,
            verifier=_trusted,
        )
        return {"judgement": without_plays(judged).plain, "win": _plan(judged.win)}

    def judge_rules(self, *, game: str, level: str, effort: list[int], seed: int, timer: Timer) -> dict[str, Any]:
        """Judge a game that was made for a level."""
        judged = judge_rules(loads(game), level, seed, Effort(*effort))
        found = judged.profile
        win = found.shortest_win if found is not None else None
        return {
            "judgement": {
                "constraints": dict(judged.feasibility.shares), "feasible": judged.feasibility.is_feasible,
                "depth": judged.depth, "value": judged.value, "reference_value": judged.reference_value,
                "rules_fired": judged.coverage.share, "verdict": "winnable" if win else "not won",
                "judges": [] if found is None else [
                    {"judge": row.judge, "plays": row.plays, "wins": row.wins, "score": row.score, "ticks": row.ticks}
                    for row in found.judges
                ],
            },
            "win": _plan(win),
        }  # fmt: skip

    def judge_game(self, *, game: str, levels: list[str], effort: list[int], seed: int, timer: Timer) -> dict[str, Any]:
        """Judge a game by levels of its own; its wins are for another process to verify."""
        try:
            loaded = loads(game, name=GAME_NAME)
            boards = [loaded.drawn(seed).board(_as_text(level)) for level in levels]
            for board in boards:
                board.start(seed)
        except VGDLError as error:
            return {"refused": str(error)}
        warnings = [*loaded.warnings, *(warning for board in boards for warning in board.warnings)]
        judged = judge_game(loaded, boards, Effort(*effort), seed, verifier=_trusted)
        judged = replace(judged, levels=tuple(replace(one, name=f"level {k}") for k, one in enumerate(judged.levels)))
        return {
            "refused": "",
            "judgement": judged.plain,
            "findings": findings(judged),
            "warnings": list(dict.fromkeys(map(str, warnings))),
            "wins": [_plan(level.win) for level in judged.levels],
        }

    def show(self, *, game: str, level: str, seed: int, actions: list[list[int]], timer: Timer) -> dict[str, Any]:
        """The start of a level as PNG and a play on it as GIF, both in base64, and the play as a replay file."""
        board = loads(game, name=GAME_NAME).drawn(seed).board(_as_text(level))
        picture = png.encode(film.start(board, seed))
        moving = gif.encode(film.frames(board, seed, actions), film.MILLISECONDS) if actions else b""
        names = [[Action(action).name for action in tick] for tick in actions]
        played = replay.record(replay.simulate(board, seed, names), seed, names) if actions else None
        return {
            "picture": base64.b64encode(picture).decode() if len(picture) <= MOST_PICTURE else "",
            "film": base64.b64encode(moving).decode() if len(moving) <= MOST_PICTURE else "",
            "replay": replay.text(played) if played is not None else "",
        }

    def verify(self, *, game: str, level: str, seed: int, actions: list[list[int]], timer: Timer) -> dict[str, Any]:
        """Play known actions, and say how the play ends."""
        found = outcome(Claim(game, level, seed, tuple(tuple(tick) for tick in actions)))
        return {"outcome": found.outcome, "score": found.score, "ticks": found.ticks}


def _plan(win: Played | None) -> dict[str, Any] | None:
    """What is needed to verify a win."""
    if win is None:
        return None
    return {"seed": win.seed, "judge": win.judge, "actions": [list(tick) for tick in win.actions]}


def _trusted(claims: Any) -> list[Outcome]:
    """The outcome of each claim in this process; another one follows."""
    return [outcome(claim) for claim in claims]


def _as_text(level: str) -> str:
    return level if level.endswith("\n") else f"{level}\n"
