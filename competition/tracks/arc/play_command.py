"""The command ``vgdl-compete arc play``: an agent plays games on a server or in this process."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.chat.options import Models, add_models
from vgdl.competition.chat.usage import models_table, shown
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.files import write_json
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.options import Group
from vgdl.competition.tracks.arc import agents, game_options
from vgdl.competition.tracks.arc.agents import FrameAgent, Task
from vgdl.competition.tracks.arc.agents.registry import CHAT, address
from vgdl.competition.tracks.arc.client import ArcServer, RemoteArc
from vgdl.competition.tracks.arc.engine import EngineArc
from vgdl.competition.tracks.arc.environment import Arc
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.protocol import Opening
from vgdl.competition.tracks.arc.recording import Recorder
from vgdl.competition.tracks.arc.scoring import Scoring
from vgdl.competition.tracks.arc.swarm import Limits, Swarm
from vgdl.registry import EntryInvalid, EntryNotFound

FAILED = 1
LOCAL = "local"
KEY = "ARC_API_KEY"
DEFAULT_ACTIONS = 80
MOST_JOBS = 64

_EPILOG = """\
examples:
  vgdl-compete arc play --agent random                       the bundled games in this process
  vgdl-compete arc play --agent my_agent.py:Mine --games my_games/ --actions 1000
  vgdl-compete arc play --agent explorer --server http://127.0.0.1:8001 --games all --recordings recordings
  ARC_API_KEY=... vgdl-compete arc play --agent explorer --server https://three.arcprize.org --games ls20"""


def main(arguments: Sequence[str], *, server_stays: bool = True) -> int:
    """Run the command; returns its exit status.

    The address of the card is shown only if the server stays when the command has ended.

    The status is 0, 1 if the server failed or a play was aborted, 2 for wrong arguments, or 130 after Ctrl-C.
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    chosen.server_stays = server_stays
    logging.basicConfig(format="%(levelname)s: %(message)s", stream=sys.stderr)
    try:
        _check(chosen)
        settings = _options(chosen.option)
        endpoints = _endpoints(chosen)
        make = agents.maker(chosen.agent, settings, endpoints.get(_name(chosen)))
    except (CompetitionError, EntryNotFound, EntryInvalid, ImportError) as error:
        parser.error(str(error))
    try:
        with handling(signal.SIGTERM, signal.default_int_handler):
            return _play(chosen, make, endpoints)
    except options.OptionError as error:
        parser.error(str(error))
    except CompetitionError as error:
        print(f"{program('compete')}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _play(
    chosen: argparse.Namespace, make: Callable[[Task, int], FrameAgent], endpoints: Mapping[str, Endpoint]
) -> int:
    """Open a card, play, close the card in any case, and show it."""
    recorder = _recorder(chosen)
    arc, games = _arc(chosen)
    try:
        swarm = Swarm(
            arc,
            games,
            lambda task: make(task, chosen.seed),
            Limits(chosen.actions or None, chosen.seconds),
            chosen.jobs or (min(len(games), MOST_JOBS) if isinstance(arc, RemoteArc) else os.cpu_count() or 1),
            recorder,
        )
        status = 0
        try:
            _run(swarm, chosen)
        except KeyboardInterrupt:
            status = INTERRUPTED
    finally:
        with handling(signal.SIGINT, signal.SIG_IGN):  # a second Ctrl-C does not leave the card open
            card = arc.close()
    if recorder:
        for progress in swarm.progress:
            if progress.guid:
                recorder.end(progress.game_id, progress.guid, _of_game(card, progress.game_id))
    _show(card, swarm, chosen, shown(endpoints, ()))
    return status or (FAILED if any(progress.error for progress in swarm.progress) else 0)


def _arc(chosen: argparse.Namespace) -> tuple[Arc, list[str]]:
    """Return the games' host, and the ids of the games to play."""
    if chosen.games_dir:
        tags = ("agent", _name(chosen), *chosen.tag)
        with using(chosen.games_dir):
            engine = EngineArc(Path(chosen.games_dir), chosen.engine_python, scoring=Scoring(chosen.scoring), tags=tags)
        known = [info.game_id for info in engine.games]
        wanted = game_options.names_of(chosen.games, known)
        return engine, [name for name in known if wanted is None or name in wanted]
    if chosen.server == LOCAL:
        offered = game_options.games_of(chosen)
        local = LocalArc(
            offered,
            scoring=Scoring(chosen.scoring),
            baselines=game_options.baselines_of(chosen),
            competition=chosen.competition,
            tags=("agent", _name(chosen), *chosen.tag),
        )
        return local, [game.id for game in offered]
    server = ArcServer(chosen.server, os.environ.get(KEY, ""))
    ids = [info.game_id for info in server.games()]
    bases = [name.partition("-")[0] for name in ids]
    wanted = game_options.names_of(chosen.games, [*ids, *bases])
    games = [name for name in ids if wanted is None or {name, name.partition("-")[0]} & wanted]
    if not games:
        raise options.OptionError(f"{chosen.server} offers no games")
    opening = Opening(("agent", _name(chosen), *chosen.tag), competition=chosen.competition)
    return RemoteArc(server, opening), games


def _recorder(chosen: argparse.Namespace) -> Recorder | None:
    if chosen.recordings is None:
        return None
    folder = Path(chosen.recordings)
    with using(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return Recorder(folder, _name(chosen), chosen.actions)


def _name(chosen: argparse.Namespace) -> str:
    """The name of the agent on cards and recordings, without the path of its file or the address of its model."""
    name: str = chosen.agent
    return name.partition("#")[2] or name.rpartition(":")[2] if name.startswith(CHAT) else name.rpartition(":")[2]


def _endpoints(chosen: argparse.Namespace) -> dict[str, Endpoint]:
    """How the model of the agent is asked, by its name; empty if the agent is none.

    Raises:
        OptionError, EntryInvalid: the options are wrong, or for a model that does not play.
    """
    models = Models(vars(chosen))
    if chosen.agent.startswith(CHAT):
        return models.endpoints({_name(chosen): address(chosen.agent, models.tables)})
    for name in ("models_file", "price", "key_env", "model_option"):
        if getattr(chosen, name):
            raise options.OptionError(f"--{name.replace('_', '-')} is for --agent {CHAT}URL#MODEL or {CHAT}NAME")
    return {}


def _run(swarm: Swarm, chosen: argparse.Namespace) -> None:
    """Play with a display on the standard error stream."""
    columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("games  {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=chosen.quiet) as display:
        bar = display.add_task("", total=len(swarm.progress))

        def watch() -> None:
            done = sum(progress.done for progress in swarm.progress)
            levels = sum(progress.levels_completed for progress in swarm.progress)
            actions = sum(progress.actions for progress in swarm.progress)
            display.update(bar, completed=done, description=f"{levels} levels, {actions:,} actions")

        swarm.run(watch)


def _show(
    card: dict[str, Any], swarm: Swarm, chosen: argparse.Namespace, models: Mapping[str, Mapping[str, Any]]
) -> None:
    """Print the card as a table, with how a model was asked, and write it as JSON if requested."""
    console = Console(stderr=chosen.json == "-")
    scoring = card.get("scoring", "score")
    table = Table("game", *(), title=f"{_name(chosen)} · card {card.get('card_id')}", title_justify="left")
    for heading in ("levels", "actions", "resets"):
        table.add_column(heading, justify="right")
    table.add_column("state")
    table.add_column(str(scoring), justify="right")
    for progress in swarm.progress:
        found = _of_game(card, progress.game_id)
        levels = f"{found.get('levels_completed', 0)} / {found.get('level_count', progress.levels)}"
        counts = (str(found.get("actions", 0)), str(found.get("resets", 0)))
        state = f"{progress.state}: {progress.error}" if progress.error else progress.state
        table.add_row(progress.title, levels, *counts, state, f"{found.get('score', 0.0):.2f}")
    table.add_section()
    totals = [card.get(f"total_{name}", 0) for name in ("levels_completed", "levels", "actions")]
    table.add_row("all", f"{totals[0]} / {totals[1]}", str(totals[2]), "", "", f"{card.get('score', 0.0):.2f}")
    console.print(table, markup=False)
    console.print(_baselines(card), highlight=False, markup=False)
    if isinstance(swarm.arc, RemoteArc) and chosen.server_stays and "scoring" in card:  # our servers have a page
        console.print(f"{swarm.arc.server.base_url}/cards/{swarm.arc.card_id}.html", highlight=False, markup=False)
    if models:
        console.print(models_table(models))
    if chosen.json:
        write_json(chosen.json, card | ({"endpoints": models} if models else {}))


def _baselines(card: dict[str, Any]) -> str:
    """Describe the baselines of a card."""
    games = card.get("environments", [])
    missing = sum(not any(min(run.get("level_baseline_actions") or [-1]) > 0 for run in game["runs"]) for game in games)
    source = card.get("baseline") or "of the server"
    return f"baselines: {source}" + (f"; none for {missing} of {len(games)} games, which score 0" if missing else "")


def _of_game(card: dict[str, Any], game_id: str) -> dict[str, Any]:
    return next((found for found in card.get("environments", []) if found.get("id") == game_id), {})


def _options(texts: Sequence[str]) -> dict[str, Any]:
    """Parse options of the agent, given as ``name=value``; a value is JSON, or else text."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise options.OptionError(f"--option expects NAME=VALUE, not {text!r}")
        try:
            found[name.replace("-", "_")] = json.loads(value)
        except ValueError:
            found[name.replace("-", "_")] = value
    return found


def _check(chosen: argparse.Namespace) -> None:
    options.check_writable(chosen.json)
    if chosen.seconds == 0:
        raise options.OptionError("--seconds must be more than 0")
    if not chosen.actions and not chosen.seconds:
        raise options.OptionError("--actions 0 needs a limit of --seconds")


def _parser() -> argparse.ArgumentParser:
    parser = options.Parser(
        prog=f"{program('compete')} arc play",
        description="Let an agent play ARC-AGI-3 games on one scorecard, which is closed at the end and on Ctrl-C.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    who = parser.add_argument_group("who plays")
    listed = "; ".join(f"{name}: {about}" for name, about in agents.AGENTS.about.items())
    who.add_argument("--agent", required=True, metavar="NAME|FILE:CLASS", help=f"{listed}; or a class in a file")
    who.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the agent; repeatable")
    who.add_argument("--seed", type=options.seed, default=0, metavar="N", help="of the agent's choices (default: 0)")
    add_models(Group(parser.add_argument_group("a language model that plays"), None))
    what = parser.add_argument_group("what is played")
    what.add_argument(
        "--server", default=LOCAL, metavar="URL",
        help=f"an ARC-AGI-3 server; its key is read from {KEY} (default: {LOCAL}, in this process)",
    )  # fmt: skip
    game_options.add_games(what)
    what.add_argument(
        "--games-dir", metavar="DIR",
        help="a folder of games for the official engine, each of which runs in a process of its own",
    )  # fmt: skip
    what.add_argument(
        "--engine-python", default=sys.executable, metavar="FILE",
        help="for --games-dir: a Python that has the package arcengine, which needs 3.12 (default: this one)",
    )  # fmt: skip
    what.add_argument(
        "--actions", type=options.count, default=DEFAULT_ACTIONS, metavar="N",
        help=f"maximum actions per game, 0 for no limit (default: {DEFAULT_ACTIONS})",
    )  # fmt: skip
    what.add_argument("--seconds", type=options.amount, metavar="N", help="maximum seconds per game")
    what.add_argument("--competition", action="store_true", help="open the card in competition mode")
    what.add_argument("--tag", action="append", default=[], metavar="TEXT", help="of the card; repeatable")
    what.add_argument(
        "--jobs",
        type=options.positive,
        metavar="N",
        help="games in parallel (default: all on a server, else one per core)",
    )
    game_options.add_scoring(parser.add_argument_group("scores of games in this process; a server has its own"))
    output = parser.add_argument_group("output")
    output.add_argument("--recordings", metavar="DIR", help="write a recording of every play into a folder")
    output.add_argument("--json", metavar="FILE", help="write the card as JSON; - for the standard output")
    output.add_argument("--quiet", action="store_true", help="no progress display")
    return parser
