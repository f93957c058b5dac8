"""Small competitions for tests, on the toy games beside the tests of the competition."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from vgdl.competition.agents import cores
from vgdl.competition.agents.isolation import Level, Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.entrants import hashes_of
from vgdl.competition.running import Threads
from vgdl.competition.store import Store
from vgdl.competition.track import Result, Unit
from vgdl.competition.tracks.planning.game_set import find_set
from vgdl.competition.tracks.planning.plan import Boards, Plan
from vgdl.competition.tracks.planning.records import TABLES, PlayerResult, PlayRow
from vgdl.competition.tracks.planning.records import opened as read
from vgdl.competition.tracks.planning.rules import Rules, with_budget
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.competition.tracks.planning.track import PlanningWork
from vgdl.controllers import registry
from vgdl.registry import Entry

__all__ = ["CORRIDOR", "Competition", "PlayRecord", "plan", "play", "read", "sandbox_for"]

HERE = Path(__file__).parent / "competition"
TOY = HERE / "toy"
MISBEHAVING = HERE / "misbehaving.py"
LINGERER = b"vgdl-lingerer"
"""The names of processes in ``misbehaving.py`` that try to outlive their play."""
CORRIDOR = 1
"""The level in which only going to the right wins, in four steps, and up and down lose."""

_DUEL = """
BasicGame no_players=2
    SpriteSet
        wall > Immovable
        goal > Immovable
        first > MovingAvatar
        second > MovingAvatar
    LevelMapping
        w > wall
        g > goal
        A > first
        B > second
    InteractionSet
        first wall > stepBack
        second wall > stepBack
        goal first > killSprite scoreChange=1,0
        goal second > killSprite scoreChange=0,1
    TerminationSet
        MultiSpriteCounter stype1=goal limit=1 win=True,False
        Timeout limit=40 win=False,False
"""
_CORRIDORS = "wwwwww\nwA..gw\nwwwwww\nwB..gw\nwwwwww\n"

_RACE = """
BasicGame no_players=2
    SpriteSet
        wall > Immovable
        finish > Immovable
            finish1 >
            finish2 >
        first > MovingAvatar
        second > MovingAvatar
    LevelMapping
        w > wall
        1 > finish1
        2 > finish2
        A > first
        B > second
    InteractionSet
        first wall > stepBack
        second wall > stepBack
        finish1 first > killSprite scoreChange=1,0
        finish2 second > killSprite scoreChange=0,1
    TerminationSet
        SpriteCounter stype=finish1 limit=0 win=True,False
        SpriteCounter stype=finish2 limit=0 win=False,True
        Timeout limit=40 win=False,False
"""
_TRACKS = "wwwwwwwwwwww\nwA........1w\nwwwwwwwwwwww\nwB........2w\nwwwwwwwwwwww\n"


def duel(folder: Path) -> str:
    """A folder with a two-player game: both run to the right; if either arrives, player 0 wins."""
    (folder / "duel.txt").write_text(_DUEL)
    (folder / "duel_lvl0.txt").write_text(_CORRIDORS)
    return str(folder)


def race(folder: Path) -> str:
    """A folder with a two-player game: the first to run nine cells to the right wins, too far for random actions."""
    (folder / "race.txt").write_text(_RACE)
    (folder / "race_lvl0.txt").write_text(_TRACKS)
    return str(folder)


def plan(
    *controllers: str,
    games: str = str(TOY),
    levels: tuple[int, ...] | None = (CORRIDOR,),
    repeats: int = 1,
    budget: str = "40ms",
    clock: str = "cpu",
    restrictions: Restrictions | None = None,
) -> Plan:
    """A plan with controllers by name, or classes of ``misbehaving.py``."""
    return Plan(
        entries=tuple(map(_entry, controllers)),
        game_set=find_set(games),
        levels=levels,
        repeats=repeats,
        rules=with_budget(Rules(clock=Clock(clock)), budget),
        restrictions=restrictions or Restrictions(),
        secret=5,
    )


def new_store(path: Path | None, planned: Plan, total: int = 1) -> Store:
    """A store of a plan, without any plays."""
    games, hashes = Boards(planned).facts(), hashes_of(planned.entries)
    return Store.create(path, planned.facts(), TABLES, games=games, hashes=hashes, total=total)


def done(store: Store) -> set[int]:
    """Numbers of the finished fixtures."""
    return {row.fixture for row in store.rows(PlayRow)}


class Alone(PlanningWork):
    """The plays of a competition that is given."""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        self._plan = competition.plan
        self._plays = []
        self._replays = None
        self.total = len(competition.fixtures)

    def begin(self, store: Store, session: int) -> int:
        return 0

    def backend(self) -> None:
        """Work here."""

    def threads(self, claim: cores.Claim) -> Threads:
        """Workers on the cores of a claim."""
        self.prepare(claim.groups)
        return Threads(self, claim.groups)


def play_all(competition: Competition, claim: cores.Claim, numbers: Iterable[int]) -> list[PlayRecord]:
    """Some plays, on the cores of a claim."""
    units = [Unit(number, number) for number in numbers]
    return [result.record for _, result in Alone(competition).threads(claim).play(units) if isinstance(result, Result)]


def play(planned: Plan, level: str = "auto", hidden: tuple[Path, ...] = ()) -> PlayRecord:
    """The first play of a plan, under a level of isolation."""
    return Competition(planned, sandbox_for(planned, level, hidden)).play(0)


def player(
    name: str, *, level: str = "auto", budget: str = "40ms", clock: str = "cpu", limits: Restrictions | None = None
) -> PlayerResult:
    """The result of a controller on the corridor."""
    return play(plan(name, budget=budget, clock=clock, restrictions=limits), level).result.players[0]


def found(
    code: str,
    folder: Path,
    *,
    level: str = "auto",
    hidden: tuple[Path, ...] = (),
    top: str = "",
    rivals: tuple[str, ...] = (),
) -> str:
    """What code finds in the place of a controller: the value that it gives to ``found``, as text.

    Args:
        code: statements of Python; ``state`` is what the controller is shown.
        folder: for the controller's file.
        level: of isolation.
        hidden: files that controllers must not see.
        top: statements at the top of the controller's file.
        rivals: other controllers of the competition.
    """
    file = folder / "prober.py"
    file.write_text(_PROBER.format(code=textwrap.indent(textwrap.dedent(code), " " * 8), top=top))
    result = play(plan(f"{file}:Prober", *rivals), level, hidden).result.players[0]
    last = result.details.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: found "), result.details
    return last.removeprefix("RuntimeError: found ")


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Whether a condition becomes true within half a minute."""
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@contextlib.contextmanager
def busy(core: int, processes: int) -> Iterator[None]:
    """Processes that use a core for as long as the ``with`` block lasts.

    Each is in a session of its own: Linux shares a core equally among sessions first.
    """
    code = f"import os; os.sched_setaffinity(0, [{core}]); print(flush=True)\nwhile True: pass"
    with contextlib.ExitStack() as stack:
        for _ in range(processes):
            spinner = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
            )
            stack.callback(spinner.kill)
            assert spinner.stdout
            spinner.stdout.readline()
        yield


def processes_called(name: bytes) -> list[str]:
    """Processes by the name that they set for themselves."""
    return [str(file) for file in Path("/proc").glob("[0-9]*/comm") if _content(file) == name]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes().strip()
    except OSError:
        return b""


@cache
def working_levels() -> tuple[Level, ...]:
    """The levels of isolation that can be had on this machine."""
    return tuple(level for level in Level if _works(level))


def _works(level: Level) -> bool:
    try:
        sandbox_for(plan("random"), level)
    except ValueError:
        return False
    return True


def _entry(name: str) -> Entry:
    if name[0].isupper() and ".py" not in name:
        name = f"{MISBEHAVING}:{name}"
    return registry.find(name)


_PROBER = """
{top}
from vgdl.controllers import Controller

class Prober(Controller):
    def act(self, state, timer):
        found = None
{code}
        raise RuntimeError(f"found {{found}}")
"""
