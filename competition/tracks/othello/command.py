"""The command ``vgdl-compete othello``."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from vgdl.cli import program
from vgdl.competition import notices, options, seeds
from vgdl.competition.agents import cores, cpu_clock
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.view import view
from vgdl.competition.errors import using
from vgdl.competition.files import write_json
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.options import OptionError
from vgdl.competition.progress import SHOWN, Display
from vgdl.competition.store import StoreError
from vgdl.competition.tracks.othello import check_command, entries, tables
from vgdl.competition.tracks.othello.adapter import service
from vgdl.competition.tracks.othello.generator import Kind, generate
from vgdl.competition.tracks.othello.logs import to_json, to_text
from vgdl.competition.tracks.othello.metrics import ANALYSIS_S, GAME_S, Weights
from vgdl.competition.tracks.othello.plan import ApiHost, ApiLevel, Failed, Memory, Plan, generated
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.stages import read_stages
from vgdl.competition.tracks.othello.store import OthelloStore
from vgdl.competition.tracks.othello.tournament import AnalysisDone, GameDone, Tournament
from vgdl.competition.tracks.planning.session import working_sandbox
from vgdl.tabletop.othello_stages import EXTENDED, PUBLIC, STAGES, Stage

FAILED = 1
"""Exit status if the tournament had to be abandoned; finished games are in the store."""

_DESCRIPTION = """\
Let systems analyse Othello boards that they have never seen, and play each other on them.

On every stage each system has 60 s to analyse the board and returns a strategy; every strategy meets every
other one as black and as white, with 10 s for all its moves of a game."""

_EXAMPLES = """\
examples:
  vgdl-compete othello --stages public --systems random,greedy,positional,template --analysis 1s --game 1s
  vgdl-compete othello --systems my_system.py,template --stages public,generated:4 --store june.db
  vgdl-compete othello --resume june.db --jobs 2        continue after an interruption, two stages at a time
  vgdl-compete othello --systems my_system.py,greedy --logs logs     write a text and a JSON log per stage
  vgdl-compete othello check game.log                   which rules does a log obey?
  vgdl-compete report june.db --out site                a web site of it, with replays: open site/index.html"""

_KINDS = ", ".join(Kind)
_STAGES = f"""\
stages, between commas:
  public             {", ".join(stage.id for stage in PUBLIC)}
  extended           {", ".join(stage.id for stage in EXTENDED)}
  generated:N        N new hidden stages
  generated:KIND:N   the same of one kind: {_KINDS}
  seed:S             the generated stage of a seed
  FILE.json          the stages of a file
  or any of the names in the first two rows"""

COMMANDS = {"check": check_command.main}
"""Subcommands by name: functions of the remaining arguments."""

DEFAULT_SYSTEMS = ("random", "greedy", "corners", "positional", "template")
MOST_GENERATED = 1000
"""Most stages that one name generates: each takes a tenth of a second, and then its games."""

_KEPT = (
    "stages", "systems", "repeats", "analysis", "game", "clock", "api", "api_host", "memory", "failed", "adaptation",
    "weights", "seed", "memory_mb", "processes", "scratch",
)  # fmt: skip
"""Options that are kept in a store and so cannot be given again when it is resumed."""


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    if arguments and arguments[0] in COMMANDS:
        return COMMANDS[arguments[0]](arguments[1:])
    parser = _parser()
    parser.refuse_word(arguments, COMMANDS)
    chosen = parser.parse_args(arguments)
    try:
        _check(parser, chosen)
        with handling(signal.SIGTERM, signal.default_int_handler):
            return _compete(chosen)
    except StoreError as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except options.OWN_ERRORS as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _compete(chosen: argparse.Namespace) -> int:
    """Open or create the store, play the remaining games, and show the results."""
    errors = Console(stderr=True)
    cores.require(chosen.jobs)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(OthelloStore.open(Path(chosen.resume))) if chosen.resume else None
        plan = store.tournament if store else _plan(chosen)
        asked = service(plan.clock, plan.analysis_ms, plan.game_ms)
        sight = view(plan.files(), _hidden(chosen))
        sandbox = working_sandbox(plan.entries, asked, plan.restrictions, sight, chosen.isolation)
        notices.warn_if_weak(plan.clock, sandbox, errors)
        if store is None:  # only now, so that a tournament that cannot be played leaves no file behind
            store = stack.enter_context(OthelloStore.begin(Path(chosen.store) if chosen.store else None, plan))
        store.check_systems()
        if chosen.logs:  # before the games, which would be lost without a store
            with using(chosen.logs):
                Path(chosen.logs).mkdir(parents=True, exist_ok=True)
        try:
            complete = _play(chosen, Tournament(plan, sandbox), store, errors)
        except (StoreError, IsolationError, MachineBusy) as error:
            show(store, chosen.json, chosen.csv)
            print(f"vgdl-compete: {error}", file=sys.stderr)
            return FAILED
        if chosen.logs:
            with using(chosen.logs):
                write_logs(Path(chosen.logs), store)
        show(store, chosen.json, chosen.csv)
    return 0 if complete else INTERRUPTED


def _play(chosen: argparse.Namespace, tournament: Tournament, store: OthelloStore, errors: Console) -> bool:
    """Play the remaining games, with a progress display on standard error; returns whether all are done."""
    plan = store.tournament
    results = Results(plan, store.analyses(), store.rows())
    units = tournament.units(results)
    session = store.begin_session({"jobs": chosen.jobs})

    def standings() -> str:
        rows = Results(plan, store.analyses(), store.rows()).overall()[:SHOWN]
        return "  ".join(f"{row.rank}. {row.name} {row.win_rate} %" for row in rows)

    display = Display(errors, results.done + len(results.pending), results.done, standings, quiet=chosen.quiet)
    claim = cores.claim(min(chosen.jobs, max(len(units), 1)))
    try:
        if not chosen.quiet:
            notices.warn_if_busy(claim, errors)
        with display:
            for done in tournament.play(units, claim.cores):
                if isinstance(done, AnalysisDone):
                    store.add_analysis(done.analysis, session, done.isolation)
                    left = Results(plan, store.analyses(), store.rows())
                    display.shrink(left.done + len(left.pending))
                else:
                    _store_game(store, session, display, plan, done)
    except KeyboardInterrupt:
        return False
    finally:
        tournament.stop()
        claim.release()
    return True


def _store_game(store: OthelloStore, session: int, display: Display, plan: Plan, done: GameDone) -> None:
    store.add_game(done.fixture, done.record, session, seconds=done.seconds, waited_ms=done.waited_ms)
    fixture = done.fixture
    what = f"{plan.shown(fixture.stage).name}: {fixture.black} - {fixture.white}"
    display.add(what, done.seconds, done.waited_ms)


def show_standings(path: Path, json_file: str | None, csv_file: str | None) -> None:
    """Show the contents of a store, even during a tournament; raises ``StoreError`` if it cannot be read."""
    with OthelloStore.open(path, read_only=True) as store:
        show(store, json_file, csv_file)


def show(store: OthelloStore, json_file: str | None, csv_file: str | None) -> None:
    """Print the tables of a store, and write the requested machine-readable files; - is standard output."""
    tables.show(Console(stderr=json_file == "-"), store)
    if json_file:
        write_json(json_file, tables.everything(store))
    if csv_file:
        tables.write_csv(Path(csv_file), store)


def write_logs(folder: Path, store: OthelloStore) -> None:
    """Write a text and a JSON log of every stage into an existing folder."""
    plan = store.tournament
    games = store.rows()
    for number, stage in enumerate(plan.stages):
        records = [store.record(game.number) for game in games if game.stage == number]
        if records:
            safe = re.sub(r"[^\w.-]+", "-", stage.id)  # an id from a stage file may have any characters
            name = f"{number:02}-{safe[:50]}"
            (folder / f"{name}.json").write_text(json.dumps(to_json(records)), encoding="utf-8")
            text = to_text(records, stage, game_limit_s=plan.game_ms / 1000)
            (folder / f"{name}.log").write_text(text, encoding="utf-8")


def _parser() -> options.Parser:
    made = options.Parser(
        prog=f"{program('compete')} othello",
        description=_DESCRIPTION,
        epilog=f"{_STAGES}\n\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_what(made.add_argument_group("what is played"))
    _add_rules(made.add_argument_group("the rules"))
    options.add_isolation(made.add_argument_group("isolation of systems"), agent="system", memory="--memory-mb")
    where = made.add_argument_group("where results are kept")
    where.add_argument("--store", metavar="FILE", help="keep every finished game in a new results store")
    where.add_argument("--resume", metavar="FILE", help="continue the tournament in a store")
    where.add_argument(
        "--jobs", type=options.positive, default=1, metavar="N", help="stages in parallel, a core each (default: 1)"
    )
    output = made.add_argument_group("output")
    options.add_output(output)
    output.add_argument("--logs", metavar="DIR", help="write a text log and a JSON log of every stage into a folder")
    output.add_argument("--quiet", action="store_true", help="no progress display")
    return made


def _add_what(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--systems", type=options.name_list, default=list(DEFAULT_SYSTEMS), metavar="A,B,...",
        help=f"who plays: {', '.join(entries.BUILT_IN)}, or FILE.py[:CLASS] (default: {','.join(DEFAULT_SYSTEMS)})",
    )  # fmt: skip
    group.add_argument(
        "--stages", type=options.name_list, default=["public"], metavar="A,B,...",
        help="what is played on; see below (default: public)",
    )  # fmt: skip
    group.add_argument(
        "--repeats", type=options.positive, default=1, metavar="N", help="games of each pair and colour (default: 1)"
    )
    group.add_argument(
        "--adaptation", action="store_true", help="repeat analyses with a quarter, 1/15 and 1/60 of the time, for A"
    )


def _add_rules(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--analysis", type=_time, default=1000 * ANALYSIS_S, metavar="T", help="time to analyse a stage (default: 60s)"
    )
    group.add_argument(
        "--game", type=_time, default=1000 * GAME_S, metavar="T", help="time for all moves of a game (default: 10s)"
    )
    group.add_argument(
        "--clock", choices=[str(Clock.CPU), str(Clock.WALL)], default=Clock.CPU,
        help="CPU time of all processes of a system, or wall time (default: cpu)",
    )  # fmt: skip
    group.add_argument(
        "--api", choices=[*map(str, ApiLevel)], default=ApiLevel.OBSERVABLE,
        help="the paper's three calls, or turn order and winner as well (default: observable)",
    )  # fmt: skip
    group.add_argument(
        "--api-host", choices=[*map(str, ApiHost)], default=ApiHost.LOCAL,
        help="who holds the rules: a compiled object in the system's process, or the referee, for submissions "
        "(default: local)",
    )  # fmt: skip
    group.add_argument(
        "--memory", choices=[*map(str, Memory)], default=Memory.FORK,
        help="every game starts from the snapshot after the analysis, or one process plays all (default: fork)",
    )  # fmt: skip
    group.add_argument(
        "--failed", choices=[*map(str, Failed)], default=Failed.ABSENT,
        help="replacement of a system without a strategy (default: absent)",
    )  # fmt: skip
    group.add_argument(
        "--weights", type=_weights, default=Weights(), metavar="P,A,E,G,R",
        help="weights of the score (default: 0.5,0.1,0.1,0.15,0.15)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=options.seed, metavar="S",
        help="seed of all random choices and generated stages (default: a new one, printed at the end)",
    )  # fmt: skip


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Check that the options can be combined and their files written; raises ``OptionError`` for those that cannot."""
    if chosen.resume:
        if chosen.store:
            raise OptionError("--resume FILE continues that store; omit --store")
        for name in _KEPT:
            if getattr(chosen, name) != parser.get_default(name):
                raise OptionError(f"{chosen.resume} already fixes --{name.replace('_', '-')}; omit it")
    options.check_files(chosen.json, chosen.csv, chosen.store or chosen.resume)
    if chosen.clock == Clock.CPU and not cpu_clock.can_measure():
        raise OptionError("CPU times can be measured from outside on Linux only; use --clock wall")
    if chosen.adaptation and not entries.OPPONENTS & set(chosen.systems):
        raise OptionError(f"--adaptation is measured against {', '.join(sorted(entries.OPPONENTS))}: enter one of them")


def _plan(chosen: argparse.Namespace) -> Plan:
    secret = seeds.fresh_secret() if chosen.seed is None else chosen.seed
    found = entries.find_all(chosen.systems)
    stages = [stage for name in chosen.stages for stage in _stages(name, secret)]
    for stage in stages:
        if sum(other.id == stage.id for other in stages) > 1:
            raise OptionError(f"two of the stages are called {stage.id}")
    return Plan(
        entries=found,
        stages=tuple(stages),
        repeats=chosen.repeats,
        analysis_ms=chosen.analysis,
        game_ms=chosen.game,
        clock=Clock(chosen.clock),
        api=ApiLevel(chosen.api),
        api_host=ApiHost(chosen.api_host),
        memory=Memory(chosen.memory),
        failed=Failed(chosen.failed),
        adaptation=chosen.adaptation,
        weights=chosen.weights,
        restrictions=Restrictions(chosen.memory_mb, chosen.processes, chosen.scratch),
        secret=secret,
    )


def _stages(name: str, secret: int) -> list[Stage]:
    """The stages for one of the comma-separated names.

    Raises:
        CompetitionError: there are no such stages.
    """
    if name.endswith(".json"):
        if not (stages := read_stages(Path(name))):
            raise OptionError(f"{name} has no stages")
        return stages
    if name in ("public", "extended"):
        return list(PUBLIC if name == "public" else EXTENDED)
    if name in STAGES:
        return [STAGES[name]]
    if match := re.fullmatch(r"seed:(\d{1,100})", name):
        return [generate(int(match[1]))]
    if match := re.fullmatch(r"generated:(?:([a-z]+):)?(\d{1,30})", name):
        if match[1] and match[1] not in list(Kind):
            raise OptionError(f"there are no stages of kind {match[1]!r}; there are {_KINDS}")
        if int(match[2]) == 0:
            raise OptionError(f"{name!r} asks for no stages; write generated:1 or more")
        if int(match[2]) > MOST_GENERATED:
            raise OptionError(f"{name!r} asks for too many stages; write generated:{MOST_GENERATED} or less")
        return generated(secret, int(match[2]), Kind(match[1]) if match[1] else None)
    raise OptionError(f"there are no stages {name!r}. {_STAGES}")


def _hidden(chosen: argparse.Namespace) -> list[Path]:
    """Files of the tournament that systems must not see."""
    store = chosen.store or chosen.resume
    stores = [Path(store + ending) for ending in ("", "-wal", "-shm")] if store else []
    files = [Path(name) for name in chosen.stages if name.endswith(".json")]
    return [*stores, *files, *([Path(chosen.logs)] if chosen.logs else [])]


def _time(text: str) -> float:
    """Parse a time like ``60s`` or ``500ms``; returns milliseconds."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*(ms|s)", text.strip().lower())
    if match is None or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: write 60s or 500ms")
    return float(match[1]) * (1000 if match[2] == "s" else 1)


def _weights(text: str) -> Weights:
    try:
        return Weights.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
