"""The command ``vgdl-compete worldmodels``."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from vgdl.cli import Parser, program
from vgdl.competition import options
from vgdl.competition.chat.model import ChatError
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.store import Store, StoreError
from vgdl.competition.tracks.worldmodels import authors
from vgdl.competition.tracks.worldmodels import options as world_model_options
from vgdl.competition.tracks.worldmodels.authors import AUTHORS, AuthorKind
from vgdl.competition.tracks.worldmodels.results import show
from vgdl.competition.tracks.worldmodels.search import command as search
from vgdl.competition.tracks.worldmodels.store import WorldModelsStore
from vgdl.competition.tracks.worldmodels.texts import plan as text_plan
from vgdl.competition.tracks.worldmodels.texts import results as text_results
from vgdl.competition.tracks.worldmodels.texts.store import TextStore
from vgdl.competition.tracks.worldmodels.tools import TOOLS

_EXAMPLES = """\
examples:
  vgdl-compete worldmodels --games tic_tac_toe,leduc_poker --author scripted
  vgdl-compete worldmodels --games sokoban --author search
  vgdl-compete worldmodels --games sokoban,butterflies --author https://host/v1#big-model
  vgdl-compete worldmodels --games sokoban --author scripted --language python     a VGDL game as a Python program
  vgdl-compete worldmodels --author https://host/v1#big-model --store may.db --price 2.5/10 --run-cost 20
  vgdl-compete worldmodels --resume may.db --jobs 4     resume after an interruption; cached replies cost nothing
  vgdl-compete report may.db --out site                 a web site of it

tools, each with a --help of its own:
  vgdl-compete worldmodels record GAME --out FILE       recorded plays as JSON lines, open or closed deck
  vgdl-compete worldmodels scan FILE                    look for hidden fields in closed plays
  vgdl-compete worldmodels check PROGRAM.py GAME        run the unit tests on a program of your own"""

FAILED = 1
"""Exit status if the run could not go on; finished work is in the store."""

_DESCRIPTION = """\
Let an author write games as programs, from their rules and a few recorded plays, and play with the learnt programs."""


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, 1 if it broke off, 2 for wrong arguments, 130 after Ctrl-C."""
    if arguments and arguments[0] in TOOLS:
        return TOOLS[arguments[0]](arguments[1:])
    parser = make_parser()
    parser.refuse_word(arguments, TOOLS)
    chosen = parser.parse_args(arguments)
    try:
        _check(parser, chosen)
        kind = _resumed(Path(chosen.resume)) if chosen.resume else authors.find(chosen.author, chosen.games or ())
    except StoreError as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except (LookupError, options.OptionError) as error:
        parser.error(str(error))
    try:
        with handling(signal.SIGTERM, signal.default_int_handler):
            return kind.load()(chosen)
    except options.OptionError as error:
        parser.error(str(error))
    except (*options.OWN_ERRORS, ChatError) as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _resumed(path: Path) -> AuthorKind:
    """The kind of author that a store was begun with.

    Raises:
        StoreError: the store cannot be read, or is of another track.
    """
    with Store.open(path, read_only=True) as store:
        try:
            return authors.of_store(store.plan_facts.get("track"))
        except LookupError as error:
            raise StoreError(f"{path} cannot be resumed: {error}") from None


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Check that the options are compatible.

    Raises:
        OptionError: they are not.
    """
    if chosen.author == "search" and not chosen.resume:
        for name, value in vars(chosen).items():
            if name not in search.OPTIONS and value != parser.get_default(name):
                raise options.OptionError(f"--{name.replace('_', '-')} does not go with the author search")
    options.check_files(chosen.json, chosen.csv, chosen.store or chosen.resume)
    if not chosen.resume:
        return
    if chosen.store:
        raise options.OptionError("--resume FILE continues that store; omit --store")
    for name in world_model_options.kept():
        if getattr(chosen, name) != parser.get_default(name):
            raise options.OptionError(f"--{name.replace('_', '-')} is fixed by the store; omit it with --resume")


def show_standings(path: Path, json_file: str | None, csv_file: str | None) -> None:
    """Print the results of a store of world models, for ``vgdl-compete standings``.

    Raises:
        StoreError: it cannot be read.
    """
    with Store.open(path, read_only=True) as any_store:
        track = any_store.plan_facts.get("track")
    if track == text_plan.TRACK:
        with TextStore.open(path, read_only=True) as text_store:
            text_results.show(text_store, json_file, csv_file)
        return
    if track == search.TRACK:
        with search.SearchStore.open(path, read_only=True) as search_store:
            search.show(search_store, json_file)
        return
    with WorldModelsStore.open(path, read_only=True) as store:
        show(store, json_file, csv_file)


def make_parser() -> Parser:
    """The parser of the command."""
    listed = "\n".join(f"  {kind.form:<18} {kind.summary}" for kind in AUTHORS)
    parser = Parser(
        prog=f"{program('compete')} worldmodels",
        description=_DESCRIPTION,
        epilog=f"authors:\n{listed}\n\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what is learnt")
    what.add_argument("--games", type=options.name_list, metavar="A,B,...", help="the games (default: all)")
    what.add_argument("--author", default="scripted", metavar="A", help="author of the programs, see below")
    what.add_argument("--seed", type=options.seed, metavar="S", help="seed of all random choices (default: a new one)")
    options.add_isolation_level(what)
    where = parser.add_argument_group("where it is kept")
    where.add_argument("--store", metavar="FILE", help="keep everything in a new results store")
    where.add_argument("--resume", metavar="FILE", help="continue the run in a store")
    where.add_argument("--jobs", type=options.positive, default=1, metavar="N", help="games in parallel (default: 1)")
    output = parser.add_argument_group("output")
    options.add_output(output)
    output.add_argument("--no-published", action="store_true", help="leave the paper's numbers out of the tables")
    output.add_argument("--quiet", action="store_true", help="no progress display")
    world_model_options.add(parser)
    return parser
