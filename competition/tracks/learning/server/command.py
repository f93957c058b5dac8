"""The command ``vgdl-compete learning serve``."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from vgdl.cli import counted, program
from vgdl.competition import options, seeds
from vgdl.competition.errors import CompetitionError
from vgdl.competition.interrupts import handling
from vgdl.competition.listening import listening
from vgdl.competition.options import Groups, OptionError, Parser
from vgdl.competition.results import Column, Results, ResultTable, console_for, rows_of
from vgdl.competition.tracks.learning.plan import find_games
from vgdl.competition.tracks.learning.rows import Phase
from vgdl.competition.tracks.learning.rules import LearningRules, Profile
from vgdl.competition.tracks.learning.server.games import wire_course
from vgdl.competition.tracks.learning.server.service import LearningService, ServedRun
from vgdl.competition.tracks.planning.game_set import bundled_sets, find_set

PORT = 8080

EXAMPLES = """\
examples:
  vgdl-compete learning serve                                 the training set at 127.0.0.1:8080, game after game
  vgdl-compete learning serve --games aliens --port 8080      clients play one game
  vgdl-compete learning serve --games aliens --runs 1 --json result.json
  vgdl-compete learning serve --profile steps --steps 10000   learning is limited by ticks, not by time"""

_RUNS = (
    Column("agent", "client"), Column("game"), Column("steps"),
    Column("victories", show=lambda row: f"{row['victories']}/{row['plays']}"), Column("plays", hidden=True),
    Column("score", form=".2f"), Column("cause", "disqualified"), Column("details", hidden=True),
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Serve until Ctrl-C, SIGTERM or the last run; returns the exit status.

    The status is 0, and 2 for wrong arguments.
    """
    parser = _parser()
    chosen = vars(parser.parse_args(arguments))
    served: list[ServedRun] = []
    console = console_for(chosen["json"])
    try:
        options.check_files(chosen["json"], chosen["csv"])
        rules = _rules(chosen)
        paths = find_games(chosen["games"]) if chosen["games"] else find_set(chosen["set"]).paths
        courses = [wire_course(path, rules) for path in paths]
        secret = seeds.fresh_secret() if chosen["seed"] is None else int(chosen["seed"])

        def on_run(one: ServedRun) -> None:
            served.append(one)
            console.print(_line(one), markup=False, highlight=False, soft_wrap=True)

        service = LearningService(courses, rules, secret, on_run=on_run, most_runs=chosen["runs"])
        with (
            listening(chosen["host"], chosen["port"]) as opened,
            handling(signal.SIGTERM, signal.default_int_handler),
            contextlib.suppress(KeyboardInterrupt),
        ):
            host, port = opened.getsockname()[:2]
            where = f"{counted(len(courses), 'game')} at {host}:{port}, seed {secret}; Ctrl-C stops"
            console.print(where, markup=False, highlight=False, soft_wrap=True)
            _serve(service, opened)
    except options.OWN_ERRORS as error:
        parser.error(str(error))
    results = _results(served, rules)
    results.print(console)
    try:
        results.write(chosen["json"], chosen["csv"])
    except CompetitionError as error:
        parser.error(str(error))
    return 0


def _serve(service: LearningService, opened: Any) -> None:
    """Serve in a thread, so that Ctrl-C is handled at once."""
    thread = threading.Thread(target=service.serve, args=(opened,), daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(0.5)
    finally:
        service.stop()
        if thread.ident is not None:
            thread.join()


def _line(one: ServedRun) -> str:
    row = _row(one)
    ending = f"; {row['cause']}: {row['details']}" if row["cause"] else ""
    won = f"{row['victories']} of {row['plays']} validation plays won, mean score {row['score']:.2f}"
    return f"{row['agent']}, {row['game']}: {row['steps']} steps of training, {won}{ending}"


def _row(one: ServedRun) -> dict[str, Any]:
    judged = [play for play in one.plays if play.phase is Phase.VALIDATION]
    return {
        "agent": one.run.agent,
        "game": one.run.game,
        "steps": one.run.steps,
        "victories": sum(play.is_won for play in judged),
        "plays": len(judged),
        "score": sum(play.score for play in judged) / len(judged),
        "cause": one.run.cause,
        "details": one.run.details,
    }


def _results(served: Sequence[ServedRun], rules: LearningRules) -> Results:
    runs = ResultTable("runs", "Runs", _RUNS, [_row(one) for one in served])
    rows = [asdict(play) for one in served for play in one.plays]
    names = tuple(rows[0]) if rows else ("agent", "game")
    columns = tuple(Column(name) for name in names)
    plays = ResultTable("plays", "Plays", columns, rows_of(columns, (tuple(row.values()) for row in rows)))
    facts = {"rules": asdict(rules)}
    return Results("learning", True, [runs, plays], facts, [runs] if served else [], csv="plays", done=len(served))


def _rules(chosen: Mapping[str, Any]) -> LearningRules:
    if chosen["profile"] == Profile.STEPS and chosen["steps"] is None:
        raise OptionError("--profile steps needs a budget: --steps 10000")
    return LearningRules(
        profile=Profile(chosen["profile"]),
        steps=chosen["steps"] or LearningRules().steps,
        seconds=chosen["time"] / 1000,
        training=tuple(chosen["training"]),
        validation=tuple(chosen["validation"]),
        rounds=chosen["rounds"],
        longest=chosen["longest"],
        probes=0,
    )


def _parser() -> Parser:
    standard = LearningRules()
    parser = Parser(
        prog=f"{program('compete')} learning serve",
        description="Serve clients that speak the learning protocol of the reference, one run per connection.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    groups = Groups(parser)
    what = groups.session("what is played")
    what.add_argument(
        "--set",
        default="training",
        metavar="NAME",
        help=f"{', '.join(bundled_sets())}, or a folder (default: training)",
    )
    what.add_argument("--games", type=options.name_list, metavar="A,B,...", help="these games instead, or files")
    what.add_argument("--runs", type=options.positive, metavar="N", help="end after N clients (default: go on)")
    what.add_argument("--seed", type=options.seed, metavar="S", help="seed of all plays (default: a new one)")
    rules = groups.session("the rules")
    rules.add_argument(
        "--profile", choices=[*map(str, Profile)], default=str(Profile.TIME),
        help="what limits learning: the time until answers, or ticks (default: time)",
    )  # fmt: skip
    rules.add_argument("--steps", type=options.positive, metavar="N", help="learning budget of the profile steps")
    rules.add_argument(
        "--time", type=options.milliseconds, default=1000 * standard.seconds, metavar="T",
        help=f"learning budget of the profile time (default: {standard.seconds:g}s)",
    )  # fmt: skip
    rules.add_argument("--training", type=options.level_list, default=list(standard.training), metavar="0-2")
    rules.add_argument("--validation", type=options.level_list, default=list(standard.validation), metavar="3-4")
    rules.add_argument("--rounds", type=options.positive, default=standard.rounds, metavar="N", help="default: 10")
    rules.add_argument(
        "--longest",
        type=options.positive,
        default=standard.longest,
        metavar="N",
        help="ticks of a play (default: 1000)",
    )
    where = groups.session("where")
    where.add_argument("--host", default="127.0.0.1", metavar="NAME", help="to listen on (default: 127.0.0.1)")
    where.add_argument("--port", type=options.port, default=PORT, metavar="N", help=f"0 for any (default: {PORT})")
    options.add_output(groups.session("output"), "play")
    return parser
