"""Does the ranking of 2014 appear again? All eighteen entries play twenty games; fills in ``docs/results.md``.

    python benchmarks/paper.py paper.db                     # play, or go on playing: about 45 minutes on one core
    python benchmarks/paper.py paper.db --report            # only write the page and its picture, from what is there
    vgdl-compete standings paper.db                         # the tables of every game

Plays are stored one by one as they end, so that a run can be broken off at any time. A budget of calls of the forward
model makes them the same on every machine. They are played in one process (see ``in_process.py``), and are those of
``vgdl-compete --budget calls:100 --seed 2014``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from in_process import InProcessBackend, InProcessCompetition

from vgdl import games
from vgdl.competition.game_set import GameSet
from vgdl.competition.isolation import Restrictions
from vgdl.competition.plan import Plan
from vgdl.competition.protocol import Clock, Protocol
from vgdl.competition.session import run
from vgdl.competition.store import Store
from vgdl.controllers.registry import BUNDLED

SETS = ("training", "validation")
SECRET = 2014  #: from which all seeds derive
NOT_OF_2014 = "openloopmcts"


def plan(calls: int, repeats: int) -> Plan:
    """Everything that is to be played."""
    paths = tuple(games.path(name) for set_ in SETS for name in games.names(set_))
    return Plan(
        entries=tuple(entry for entry in BUNDLED if entry.name != NOT_OF_2014),
        game_set=GameSet(" and ".join(SETS), paths),
        levels=None,
        repeats=repeats,
        protocol=Protocol(clock=Clock.CALLS, calls=calls),
        restrictions=Restrictions(),
        secret=SECRET,
    )


def play(path: Path, planned: Plan) -> None:
    """Play what the store does not hold yet; all controllers play a place before any plays the next."""
    if path.exists():
        with Store.open(path) as store:
            competition = InProcessCompetition(store.plan)
            store.check_unchanged(competition.boards)
            run(competition, store, InProcessBackend(competition), {"backend": "in process"})
        return
    competition = InProcessCompetition(planned)
    with Store.create(path, planned, competition.boards, len(competition.fixtures)) as store:
        run(competition, store, InProcessBackend(competition), {"backend": "in process"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, help="file of the results; it is made, or gone on with")
    parser.add_argument("--calls", type=int, default=100, help="of the forward model per action (default: 100)")
    parser.add_argument("--repeats", type=int, default=5, help="plays on each level (default: 5)")
    options = parser.parse_args()
    play(options.store, plan(options.calls, options.repeats))


if __name__ == "__main__":
    main()
