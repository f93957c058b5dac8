"""The options of the learning track, and the plan that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vgdl.competition import options, seeds
from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.service import Clock
from vgdl.competition.chat.model import Sampling
from vgdl.competition.chat.options import Models, add_limits, add_models, add_sampling
from vgdl.competition.options import Groups, OptionError
from vgdl.competition.tracks.learning.learners import LEARNERS
from vgdl.competition.tracks.learning.plan import CHAT, ChatSettings, Plan, find_agents, find_games
from vgdl.competition.tracks.learning.rules import LearningRules, Profile
from vgdl.competition.tracks.planning.game_set import bundled_sets, find_set
from vgdl.competition.tracks.planning.rules import LEAST_MARGIN_MS
from vgdl.controllers.registry import CONTROLLERS

DEFAULT_SET = "training"
DEFAULT_AGENTS = ("random", "qlearning", "explorer")
STANDARD = LearningRules()

DESCRIPTION = """\
Let agents without a forward model learn games, and rank them by levels that they have never seen.

An agent sees observations and acts. It plays the training levels of a game until its learning budget is
spent, and then the validation levels, which alone count. Copies of it are probed while it learns."""

EXAMPLES = f"""\
examples:
  vgdl-compete learning --games aliens,sokoban --agents random,qlearning,explorer --steps 2000
  vgdl-compete learning --agents my_agent.py:Mine,random --set validation --repeats 3 --store may.db --jobs 4
  vgdl-compete learning --resume may.db                continue after an interruption
  vgdl-compete learning --agents chat:https://host/v1#model --games aliens --steps 300 --rounds 1 --max-cost 5
  vgdl-compete learning serve --games aliens           serve clients that speak the reference's protocol
  vgdl-compete report may.db --out site                a web site of it, with learning curves

agents, between commas:
  {", ".join(LEARNERS.names())}
  FILE.py:CLASS      a class of your own that derives from vgdl.competition.tracks.learning.learner.Learner
  chat:URL#MODEL     a language model behind an OpenAI-compatible endpoint
  chat:NAME          one that --models-file describes"""


def add(groups: Groups) -> None:
    """Add the options of the command."""
    what = groups.plan("what is played")
    what.add_argument(
        "--agents", type=options.name_list, default=list(DEFAULT_AGENTS), metavar="A,B,...",
        help=f"who learns, see below (default: {','.join(DEFAULT_AGENTS)})",
    )  # fmt: skip
    what.add_argument(
        "--set", default=DEFAULT_SET, metavar="NAME",
        help=f"set of games: {', '.join(bundled_sets())}, or a folder of your own (default: {DEFAULT_SET})",
    )  # fmt: skip
    what.add_argument(
        "--games",
        type=options.name_list,
        metavar="A,B,...",
        help="these games instead, of any set, or files like moles.txt",
    )
    what.add_argument(
        "--repeats", type=options.positive, default=1, metavar="N", help="runs per agent and game (default: 1)"
    )
    what.add_argument("--planner", metavar="NAME", help="a controller that plays the validation levels for comparison")
    what.add_argument(
        "--planner-plays", type=options.positive, default=3, metavar="N", help="its plays per level (default: 3)"
    )
    add_rules(groups)
    groups.seed("the rules")
    _add_chat(groups)
    groups.isolation("learner")
    groups.store("runs in parallel, a core each")
    groups.output("play")


def add_rules(groups: Groups) -> None:
    """Add the options of the rules."""
    rules = groups.plan("the rules")
    rules.add_argument(
        "--profile", choices=[*map(str, Profile)], default=str(Profile.STEPS),
        help="what limits learning: ticks of the game, or the agent's own time (default: steps)",
    )  # fmt: skip
    rules.add_argument(
        "--steps", type=options.positive, default=STANDARD.steps, metavar="N",
        help=f"learning budget of the profile steps (default: {STANDARD.steps})",
    )  # fmt: skip
    _time(rules, "--time", 1000 * STANDARD.seconds, "learning budget of the profile time")
    rules.add_argument(
        "--training", type=options.level_list, default=list(STANDARD.training), metavar="0-2",
        help="training levels (default: 0-2)",
    )  # fmt: skip
    rules.add_argument(
        "--validation", type=options.level_list, default=list(STANDARD.validation), metavar="3-4",
        help="validation levels (default: 3-4)",
    )  # fmt: skip
    _number(rules, "--rounds", STANDARD.rounds, "plays of each validation level")
    _number(rules, "--longest", STANDARD.longest, "ticks after which a play is cut off")
    rules.add_argument(
        "--probes", type=options.count, default=STANDARD.probes, metavar="N",
        help=f"plays of each validation level at 1000, 2000, 5000, ... steps; 0: none (default: {STANDARD.probes})",
    )  # fmt: skip
    rules.add_argument(
        "--frozen", action="store_true", help="every validation play starts from the agent as it was after training"
    )
    rules.add_argument(
        "--clock", choices=[str(Clock.CPU), str(Clock.WALL)], default=str(Clock.CPU),
        help="what times are counted in: CPU time of all processes of the agent, or wall time (default: cpu)",
    )  # fmt: skip
    _time(rules, "--construction", STANDARD.construction_ms, "to construct the agent")
    _time(rules, "--init", STANDARD.init_ms, "to begin a play")
    _time(rules, "--act", STANDARD.action_ms, "per action; a quarter more, at least 10 ms, disqualifies")
    _time(rules, "--result", STANDARD.result_ms, "to learn after a play, in the profile steps")


def _number(group: options.Group, name: str, value: int, what: str) -> None:
    group.add_argument(name, type=options.positive, default=value, metavar="N", help=f"{what} (default: {value})")


def _time(group: options.Group, name: str, value: float, what: str) -> None:
    shown = f"{value / 1000:g}s" if value >= 1000 else f"{value:g}ms"
    group.add_argument(name, type=options.milliseconds, default=value, metavar="T", help=f"{what} (default: {shown})")


def _add_chat(groups: Groups) -> None:
    how = groups.plan("language models")
    add_models(how)
    add_sampling(how, 1024)
    how.add_argument("--chat-form", choices=["text", "json"], default="text", help="of observations (default: text)")
    add_limits(groups.session("language models"))


def plan(chosen: Mapping[str, Any]) -> Plan:
    """The plan that the options describe.

    Raises:
        OptionError, LearningError, SetNotFound, EntryNotFound: the options do not describe one.
    """
    if chosen["planner"]:
        CONTROLLERS.find(chosen["planner"])
    models = Models(chosen)
    entries = find_agents(chosen["agents"], models.tables)
    addresses = {}
    for entry in entries:
        if entry.location == CHAT:
            url, _, model = entry.class_name.partition("#")
            addresses[entry.ranking_name] = (url, model)
    return Plan(
        entries=entries,
        games=find_games(chosen["games"]) if chosen["games"] else find_set(chosen["set"]).paths,
        repeats=chosen["repeats"],
        rules=rules_of(chosen),
        planner=chosen["planner"] or "",
        planner_plays=chosen["planner_plays"],
        chat=ChatSettings(
            models.endpoints(addresses), Sampling(chosen["reply_tokens"], chosen["temperature"]), chosen["chat_form"]
        ),
        restrictions=options.restrictions(chosen),
        secret=seeds.fresh_secret() if chosen["seed"] is None else int(chosen["seed"]),
    )


def rules_of(chosen: Mapping[str, Any]) -> LearningRules:
    """The rules that the options describe.

    Raises:
        OptionError, LearningError: they contradict each other, or cannot be enforced here.
    """
    action_ms = chosen["act"]
    rules = LearningRules(
        profile=Profile(chosen["profile"]),
        steps=chosen["steps"],
        seconds=chosen["time"] / 1000,
        training=tuple(chosen["training"]),
        validation=tuple(chosen["validation"]),
        rounds=chosen["rounds"],
        longest=chosen["longest"],
        frozen=chosen["frozen"],
        probes=chosen["probes"],
        clock=Clock(chosen["clock"]),
        construction_ms=chosen["construction"],
        init_ms=chosen["init"],
        action_ms=action_ms,
        disqualification_ms=max(1.25 * action_ms, action_ms + LEAST_MARGIN_MS),
        result_ms=chosen["result"],
    )
    if rules.clock is Clock.CPU and not cpu_clock.can_measure():
        raise OptionError("CPU times can be measured on Linux only; use --clock wall")
    return rules
