"""One thing is generated, checked and judged, each step in a process of its own; every failure is a row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import vgdl
from vgdl import Game
from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.voids import Voids
from vgdl.competition.chat.accounts import PlayerLimitReached
from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.model import EndpointUnreachable, RequestRefused, Sampling, TransportError
from vgdl.competition.chat.model import Message as ModelMessage
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.track import Place, UnitLost
from vgdl.competition.tracks.generation.adapter import JUDGE, OVERRUN, as_plain, generator_service, judge_service
from vgdl.competition.tracks.generation.plan import FOR_NOTHING, Kind, Plan, Task
from vgdl.competition.tracks.generation.referee import (
    Accepted,
    Refused,
    bundled_levels,
    check_game,
    check_level,
    check_rules,
)
from vgdl.competition.tracks.generation.rows import Generated
from vgdl.controllers import Timer
from vgdl.generation.chat import ChatGames, ChatLevels, ChatRules, Message
from vgdl.generation.interface import LevelRefused, LevelTask, RulesRefused, RulesTask
from vgdl.generation.ruleset import rules_task
from vgdl.judging.description import describe
from vgdl.judging.profile import DIFFICULTY_JUDGE, distance_to

PROMPTS = "1"
"""Version of the prompts, by which replies of models are cached."""

GENERATOR = "generator"
"""What voids of a generator are counted by; those of its work in the hands of the judges are counted apart."""

REFUSED = "refused"
TOO_LATE = "more than 6 times the budget"


class Contest:
    """Does the tasks of a plan."""

    def __init__(self, plan: Plan, sandbox: Sandbox) -> None:
        """Prepare without starting any process.

        Args:
            plan: the run.
            sandbox: the isolation of generators and judges.
        """
        self.session: ChatSession | None = None  #: in which models are asked
        self._plan = plan
        self._sandbox = sandbox
        self._models = {name: OpenAIChat.of(endpoint) for name, endpoint in plan.endpoints.items()}
        self._game = cache(self._loaded)

    @staticmethod
    def _loaded(path: str) -> Game:
        return vgdl.load(Path(path))

    def do(self, task: Task, place: Place) -> Generated:
        """Generate and judge one thing.

        Raises:
            Stopped: the work is to end.
            MachineBusy: the machine was repeatedly too busy to judge an answer.
        """
        voids = Voids("task")
        return voids.repeated(lambda: self._do(task, place, voids), title=f"task {task}")

    def _do(self, task: Task, place: Place, voids: Voids) -> Generated:
        began = time.monotonic()
        used = waited = 0.0
        try:
            if task.generator in self._models:
                found = self._written(task)
            else:
                with voids.judging(GENERATOR):
                    found, used, waited = self._generate(task, place)
            accepted = self._check(task, found)
        except AgentFailed as failure:
            place.check()
            return self._failed(task, failure.cause, failure.details, failure.used or used, time.monotonic() - began)
        except (TransportError, EndpointUnreachable, RequestRefused, PlayerLimitReached) as error:
            raise UnitLost(str(error)) from None
        except (Refused, LevelRefused, RulesRefused) as refusal:
            return self._failed(task, REFUSED, str(refusal), used, time.monotonic() - began)
        try:
            with voids.judging(JUDGE.name):
                return self._judge(task, accepted, used, waited, began, place)
        except AgentFailed as failure:  # the judges' process: the game hangs, or needs too much memory
            place.check()
            reason = f"the judges could not play it: {failure.cause}"
            return self._failed(task, REFUSED, reason, used, time.monotonic() - began)

    # ---------------------------------------------------------------------------------------------- generating

    def _generate(self, task: Task, place: Place) -> tuple[Any, float, float]:
        plan = self._plan
        entry = plan.entry(task.generator)
        clock = Clock.CPU if plan.budget.is_time else Clock.CALLS
        service = generator_service(clock, plan.construct.amount, plan.budget.amount)
        setup: dict[str, Plain] = {"seed": plan.seed("generator", *_labels(task)), "kind": plan.kind.value}
        core = place.cores[0]
        with AgentProcess(entry, service, self._sandbox, setup=setup, core=core) as agent, place.running(agent):
            agent.prepare()
            first = agent.call("construct", task=self._task_facts(task))
            _check_used(first.used, plan.construct.amount)
            reply = agent.call("generate", wish=self._wish(task))
            _check_used(reply.used, plan.budget.amount)
            return reply.value, reply.used, agent.waited_ms

    def _written(self, task: Task) -> Any:
        """What a language model writes, as plain data."""
        session, model = self.session, self._models[task.generator]
        assert session is not None

        def ask(messages: Sequence[Message], number: int) -> str:
            key = (*_labels(task), number)
            label = self._plan.title(task.subject)
            asked = cast("Sequence[ModelMessage]", messages)
            return session.ask(
                model, asked, Sampling(), version=PROMPTS, key=key, label=label, player=task.generator
            ).answer

        rounds, timer = self._plan.rounds, Timer()
        match self._plan.kind:
            case Kind.LEVELS:
                size = self._plan.size_for(list(bundled_levels(self._game(task.subject))))
                levels = ChatLevels(LevelTask(self._game(task.subject)), ask, rounds=rounds)
                return as_plain(levels.generate(size, timer, difficulty=self._plan.difficulty))
            case Kind.RULES:
                sprites, level = self._sprites(task)
                bare = vgdl.loads(f"BasicGame\n{sprites}\n    InteractionSet\n    TerminationSet\n", name="sprites")
                return as_plain(
                    ChatRules(RulesTask(sprites, describe(bare), level), ask, rounds=rounds).generate(timer)
                )
            case _:
                idea = "" if task.subject == FOR_NOTHING else task.subject
                return as_plain(ChatGames(ask, rounds=rounds).generate(idea, timer))

    def _task_facts(self, task: Task) -> dict[str, Plain]:
        match self._plan.kind:
            case Kind.LEVELS:
                game = self._game(task.subject)
                return {"game": game.text, "name": game.name}
            case Kind.RULES:
                sprites, level = self._sprites(task)
                return {"sprites": sprites, "level": level}
            case _:
                return {}

    def _sprites(self, task: Task) -> tuple[str, str]:
        """The sprites and the level that need rules; every generator gets the same names."""
        game = self._game(task.subject)
        levels = bundled_levels(game)
        level = levels[task.number % len(levels)]
        rules, _ = rules_task(game, level, self._plan.seed("names", self._plan.title(task.subject), task.number))
        return rules.sprites, level if level.endswith("\n") else f"{level}\n"

    def _wish(self, task: Task) -> dict[str, Plain]:
        match self._plan.kind:
            case Kind.LEVELS:
                size = self._plan.size_for(list(bundled_levels(self._game(task.subject))))
                return {"size": str(size), "difficulty": self._plan.difficulty}
            case Kind.RULES:
                return {}
            case _:
                return {"idea": "" if task.subject == FOR_NOTHING else task.subject}

    def _check(self, task: Task, answer: Any) -> Accepted:
        match self._plan.kind:
            case Kind.LEVELS:
                game = self._game(task.subject)
                return check_level(answer, game.drawn(0), self._plan.size_for(list(bundled_levels(game))))
            case Kind.RULES:
                return check_rules(answer, *self._sprites(task))
            case _:
                return check_game(answer)

    # ---------------------------------------------------------------------------------------------- judging

    def _judge(
        self, task: Task, accepted: Accepted, used: float, waited: float, began: float, place: Place
    ) -> Generated:
        plan = self._plan
        effort = [plan.effort.plays, plan.effort.calls, plan.effort.ticks]
        others = list(bundled_levels(self._game(task.subject))) if plan.kind is Kind.LEVELS else []
        judged: list[dict[str, Any]] = []
        with AgentProcess(JUDGE, judge_service(), self._sandbox, core=place.cores[0]) as agent, place.running(agent):
            agent.prepare()
            for number, level in enumerate(accepted.levels):
                seed = plan.seed("judges", plan.title(task.subject), task.generator, task.number, number)
                given: dict[str, Any] = {"game": accepted.game, "level": level, "effort": effort, "seed": seed}
                if plan.kind is Kind.RULES:
                    judged.append(agent.call("judge_rules", **given).value)
                else:
                    earlier: list[Plain] = [text for text in (*others, *accepted.levels[:number]) if text != level]
                    judged.append(agent.call("judge_level", **given, others=earlier).value)
        verified = self._verified(accepted, judged, place)
        return self._row(task, accepted, judged, verified, used, waited, time.monotonic() - began)

    def _verified(self, accepted: Accepted, judged: Sequence[dict[str, Any]], place: Place) -> list[bool]:
        """For each level, whether a process that has seen nothing else comes to the same win."""
        found = []
        with AgentProcess(JUDGE, judge_service(), self._sandbox, core=place.cores[0]) as agent, place.running(agent):
            agent.prepare()
            for level, one in zip(accepted.levels, judged, strict=True):
                win = one["win"]
                if win is None:
                    found.append(False)
                    continue
                given = {"game": accepted.game, "level": level, "seed": win["seed"], "actions": win["actions"]}
                end = agent.call("verify", **given).value
                found.append(end["outcome"] == "won" and end["ticks"] == len(win["actions"]))
        return found

    def _row(
        self, task: Task, accepted: Accepted, judged: Sequence[dict[str, Any]], verified: Sequence[bool], used: float,
        waited: float, seconds: float,
    ) -> Generated:  # fmt: skip
        plan = self._plan
        facts = [one["judgement"] for one in judged]
        constraints = {
            name: min(float(each["constraints"][name]) for each in facts) for name in facts[0]["constraints"]
        }
        if plan.kind is not Kind.RULES and not all(verified):
            constraints["winnable"] = 0.0
        feasible = all(share == 1.0 for share in constraints.values())
        depth = fmean(float(each["depth"]) for each in facts)
        rates = [_win_rate(each["judges"], DIFFICULTY_JUDGE) for each in facts]
        value = depth if feasible else 0.0
        if plan.kind is Kind.RULES:
            value = float(facts[0]["value"]) if feasible else 0.0
        elif plan.difficulty is not None:
            value = fmean(1.0 - distance_to(plan.difficulty, rate) for rate in rates) if feasible else 0.0
        wins = [len(one["win"]["actions"]) for one in judged if one["win"] is not None]
        is_level = plan.kind is not Kind.RULES
        verdicts = {str(each["verdict"]) for each in facts}
        return Generated(
            task.generator, plan.title(task.subject), task.number, "", "", used, feasible, constraints,
            verdicts.pop() if len(verdicts) == 1 else "mixed", all(verified), depth,
            value, fmean(float(each["score_value" if is_level else "reference_value"]) for each in facts),
            fmean(float(each["decisions"]) for each in facts) if is_level else 0.0,
            fmean(float(each["novelty"]) for each in facts) if is_level else 0.0,
            fmean(rates), min(wins, default=0), 0.0 if is_level else float(facts[0]["rules_fired"]), facts[0]["judges"],
            seconds, waited,
            {
                "game": accepted.game, "levels": list(accepted.levels), "extra": accepted.extra,
                "wins": [one["win"] if sure else None for one, sure in zip(judged, verified, strict=True)],
            },
        )  # fmt: skip

    def _failed(self, task: Task, cause: str, details: str, used: float, seconds: float) -> Generated:
        return Generated(
            task.generator, self._plan.title(task.subject), task.number, cause, details, used, False, {}, "", False,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, [], seconds,
        )  # fmt: skip


def _check_used(used: float, budget: float) -> None:
    if used > OVERRUN * budget:
        raise AgentFailed(TOO_LATE, f"{used:,.0f} of {budget:,.0f}", used)


def _labels(task: Task) -> tuple[str | int, ...]:
    return tuple(asdict(task).values())


def _win_rate(judges: Sequence[dict[str, Any]], name: str) -> float:
    for row in judges:
        if row["judge"] == name:
            return float(row["wins"]) / max(1, int(row["plays"]))
    return 0.0
