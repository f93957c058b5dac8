"""A track is a plug-in: a kind of competition, with its options, plan, rows, results and pages.

Tracks are found by the entry-point group ``vgdl.tracks``; those of this package are entries like any other. A track
derives from `Track`, or from `Played` if it is a run of units of work, which `vgdl.competition.run` then does: it
creates or resumes the store, works in parallel, saves every result at once, shows progress, and prints the tables at
the end and after Ctrl-C. `docs/adding-a-track.md` has a complete example.
"""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from rich.console import Console, RenderableType

from vgdl.competition.closing import Closing
from vgdl.competition.entering import Entering
from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import STANDARD_OUTPUT
from vgdl.competition.options import Groups
from vgdl.competition.results import Results
from vgdl.competition.store import Store
from vgdl.competition.table import Table
from vgdl.language import suggestion
from vgdl.registry import installed

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site

GROUP = "vgdl.tracks"
"""The entry-point group by which packages announce tracks."""

HOME = "vgdl"
"""The distribution whose tracks no other can replace."""


class TrackNotFound(CompetitionError, LookupError):
    """There is no such track, or it cannot be loaded; the message says what to do."""


class Plan(Protocol):
    """Everything that the results of a competition depend on: plain data, which a store keeps."""

    @property
    def secret(self) -> int:
        """The number from which all seeds derive."""

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""


P = TypeVar("P", bound=Plan)

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
"""Where a store is shown without the command line that ran it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of work, done as a whole by one worker."""

    key: Hashable  #: distinguishes it from the other units of the plan
    task: Any = None  #: what the track needs to do it


@dataclass(frozen=True, slots=True)
class Result:
    """Something that has been done: rows that are saved together, in one transaction.

    Without rows, it is a note on the progress of a unit.
    """

    rows: tuple[Any, ...]
    label: str  #: what was done, for the display
    seconds: float = 0.0  #: its duration
    waited_ms: float = 0.0  #: how long agents were ready to run but had no core
    counts: bool = True  #: whether it is one of the total
    replaces: bool = False  #: whether the rows replace earlier ones with the same keys
    record: Any = None  #: what `Work.saved` needs to know of it


@dataclass(frozen=True, slots=True)
class Command:
    """A further command of a track: ``vgdl-compete TRACK WORD ...``."""

    place: str  #: ``module:function``; the function takes the remaining arguments, and returns the exit status
    summary: str

    def run(self, arguments: Sequence[str]) -> int:
        """Run the command."""
        module, _, function = self.place.partition(":")
        status: int = getattr(import_module(module), function)(arguments)
        return status


@dataclass(frozen=True, slots=True)
class OnSite:
    """What people can do in a track on a competition site: addresses there, beginning with ``/``; empty: nothing."""

    play: str = ""  #: where they play themselves
    watch: str = ""  #: where they watch games as they are played; stored ones are on the boards
    vote: str = ""  #: where they say what they prefer
    enter: str = ""  #: where they enter a program of theirs
    judge: str = ""  #: where they have something of theirs judged
    pages: str = ""  #: ``module:function`` that returns the routes of the track's own pages, below ``/tracks/NAME``
    work: str = ""
    """``module:function`` that the workers of a site call between plays: it does the next piece of other work of the
    track. Its arguments are the database, the worker's name, the level of isolation and the `Place`; it returns whether
    there was anything to do, and raises `Stopped` if the worker ends."""


class Stopped(Exception):
    """Work was stopped from outside before it had a result."""


class UnitLost(Exception):
    """A unit has no result, and not because of the run: others go on, and a resumed run tries it again."""


@dataclass(eq=False)
class Place:
    """Where a worker works: its cores, and the means to stop it."""

    cores: tuple[int | None, ...] = (None,)  #: those that agents are pinned to; None for any
    stopped: threading.Event = field(default_factory=threading.Event)  #: shared by all workers
    agents: set[Any] = field(default_factory=set)  #: the running agents of all workers, which ``stop`` kills
    post: Callable[[Result], None] = lambda result: None  #: passes on a result or a note from within a unit

    def check(self) -> None:
        """Raise `Stopped` if the work is to end."""
        if self.stopped.is_set():
            raise Stopped

    @contextlib.contextmanager
    def running(self, agent: Any) -> Iterator[None]:
        """Let an agent, which has a method ``kill``, be killed by ``stop`` until the ``with`` block ends.

        Raises:
            Stopped: the work is to end; the agent is killed.
        """
        self.agents.add(agent)
        try:
            if self.stopped.is_set():  # `stop` was called during its start, and did not know it yet
                agent.kill()
                raise Stopped
            yield
        finally:
            self.agents.discard(agent)

    def stop(self) -> None:
        """End the work of all workers."""
        self.stopped.set()
        for agent in tuple(self.agents):
            agent.kill()


@dataclass(frozen=True)
class Setting:
    """The circumstances of a session, on which results do not depend."""

    options: Mapping[str, Any]  #: all options of the command line
    console: Console  #: for warnings and progress
    store: Path | None = None  #: file of the store, if there is one
    hidden: tuple[Path, ...] = ()  #: further files and folders that agents must not see
    packages: tuple[Path, ...] = ()  #: folders that agents in them see as a whole

    @property
    def jobs(self) -> int:
        """The number of parallel workers."""
        return int(self.options["jobs"])

    @property
    def quiet(self) -> bool:
        """Whether no progress is shown."""
        return bool(self.options["quiet"])

    @property
    def hidden_files(self) -> list[Path]:
        """The store, and files of results, which agents must not see; an interrupted session writes them as well."""
        options = (self.options.get(name) for name in ("json", "csv"))
        written = [Path(file) for file in options if file and file != STANDARD_OUTPUT]
        return [*([self.store] if self.store else []), *written, *self.hidden]


class Backend(Protocol):
    """Does units of work, here or elsewhere."""

    def play(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, Result | UnitLost]]:
        """Do the units; yields results as they come, in any order."""

    def stop(self) -> None:
        """End all work in progress; it is lost."""


class Work(Closing, ABC):
    """A plan that is being worked on: its games are loaded, and agents can be started.

    Attributes:
        total: number of results that there are to be.
        games: names and other facts of the games, which a resumed store must have as well.
        hashes: SHA-256 of entries that are files, which must not change either.
        circumstances: facts for the record of the session.
        cores: number of cores that each worker needs; 0 if the work is not measured.
        is_interactive: whether a person is asked in the terminal, where nothing else must be drawn.
    """

    total: int = 0
    games: Sequence[Mapping[str, Any]] = ()
    hashes: Mapping[str, str] = {}
    circumstances: Mapping[str, Any] = {}
    cores: int = 1
    is_interactive: bool = False

    @abstractmethod
    def units(self, store: Store) -> Sequence[Unit]:
        """What is left to do, given what is in the store. Asked again after all units are done, until none are left."""

    @abstractmethod
    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        """Do a unit; thread-safe. Yields results as they come.

        Raises:
            UnitLost: it has no result, but others may.
        """

    def begin(self, store: Store, session: int) -> int:
        """Begin a session, after the store is there; returns the number of results that are in it."""
        return 0

    def prepare(self, cores: Sequence[Sequence[int | None]]) -> None:
        """Get ready to work on these cores, one group per worker."""

    def backend(self) -> Backend | None:
        """Where to work; None for threads of this process."""
        return None

    def stop(self) -> None:
        """End all work in progress, besides the agents of `Place.running`."""

    def saved(self, result: Result) -> None:
        """Take note of a result that is in the store."""

    def ended(self) -> None:
        """Take note of the end of the session, however it ended; the store is still open."""

    def line(self) -> RenderableType:
        """The standings so far, in one line, or whatever else is to be shown below the progress bar."""
        return ""

    def close(self) -> None:
        """Release what is held."""


class Track(ABC, Generic[P]):
    """A competition: what is played, by whom, and how it is judged."""

    name: ClassVar[str]
    title: ClassVar[str] = ""  #: for people; by default the name
    summary: ClassVar[str]  #: one line
    tables: ClassVar[Sequence[Table[Any]]] = ()  #: its rows in the store
    sealed: ClassVar[Collection[str]] = ()
    """Facts of the plan, besides its secret, that reveal what is played: encrypted in the store until the end."""
    templates: ClassVar[str] = ""  #: package with the folders ``templates`` and ``static`` of its pages, if it has any
    noun: ClassVar[str] = "plays"  #: what results are called
    commands: ClassVar[Mapping[str, Command]] = {}  #: further commands
    on_site: ClassVar[OnSite] = OnSite()  #: what people can do on a competition site, besides looking at boards

    @abstractmethod
    def plan_of(self, facts: Mapping[str, Any]) -> P:
        """Restore a plan from its facts.

        Raises:
            ValueError, LookupError, TypeError: they do not describe one.
        """

    @abstractmethod
    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        """The results in a store, finished or not.

        Args:
            store: the store.
            options: those of the command line, if the track ran just now; some change what is shown.

        Raises:
            StoreError: the store is damaged.
        """

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        """Write the pages of the results site; by default one page, with all tables of the results.

        Raises:
            StoreError, SiteError: the store is damaged, or a template is wrong.
        """
        site.title = options.title or f"{self.name[:1].upper()}{self.name[1:]}"
        site.page("index.html", "results.html", title=site.title, results=self.results(store))

    def results_in(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        """The results in a store, whatever is in it.

        Raises:
            StoreError: the store is damaged, also where each value has its type, but they do not fit each other.
        """
        with store.reading("its results"):
            return self.results(store, options)

    def write_pages(self, store: Store, site: Site, options: PageOptions) -> None:
        """Write the pages of a store, whatever is in it.

        Raises:
            StoreError, SiteError: as for `results_in`; a template is wrong.
        """
        with store.reading("what its pages show", passing=(CompetitionError,)):
            self.pages(store, site, options)

    def plan_in(self, store: Store) -> P:
        """The plan in a store.

        Raises:
            StoreError: the store is damaged.
        """
        facts = store.plan
        with store.reading("its plan"):
            return self.plan_of(facts)


class Played(Track[P]):
    """A track that is a run of units of work."""

    description: ClassVar[str]  #: of the command, for its help
    epilog: ClassVar[str] = ""  #: examples, for the help
    entering: ClassVar[Entering | None] = None  #: how people enter programs on a site; None: they cannot

    @abstractmethod
    def add_options(self, groups: Groups) -> None:
        """Declare the options, among them ``groups.seed``, ``groups.store`` and ``groups.output``."""

    @abstractmethod
    def plan(self, options: Mapping[str, Any]) -> P:
        """The plan that the options describe.

        Raises:
            OptionError: they describe none.
        """

    def check(self, options: Mapping[str, Any]) -> None:
        """Check the options of a session.

        Raises:
            OptionError: they cannot be combined.
        """

    @abstractmethod
    def work(self, plan: P, setting: Setting) -> Work:
        """Load what a plan needs, before there is a store.

        Raises:
            CompetitionError, vgdl.VGDLError: it cannot be worked on.
        """

    def finish(self, store: Store, setting: Setting) -> None:
        """Write what the options ask for besides tables, at the end of a session."""


def names() -> list[str]:
    """The names of all tracks that are installed, this package's first."""
    return list(_points())


@cache
def find(name: str) -> Track[Any]:
    """A track by its name.

    Raises:
        TrackNotFound: there is none, or it cannot be loaded.
    """
    points = _points()
    if name not in points:
        raise TrackNotFound(
            f"there is no track {name!r}{suggestion(name, points)}; there are {', '.join(points)}. "
            "If it comes with a package, install the package"
        )
    try:
        track = points[name].load()()
    except Exception as error:  # a package is an arbitrary program
        raise TrackNotFound(f"the track {name!r} ({points[name].value}) cannot be loaded: {error!r:.300}") from error
    if not isinstance(track, Track) or track.name != name:
        raise TrackNotFound(f"{points[name].value} is not a track called {name!r}")
    return track


def _points() -> dict[str, EntryPoint]:
    points: dict[str, EntryPoint] = {}
    found = installed(GROUP)
    for point in sorted(found, key=lambda point: point.dist is None or point.dist.name != HOME):
        points.setdefault(point.name, point)
    return points


class OpenStore(Closing):
    """A store that is open, and its track."""

    def __init__(self, store: Store, track: Track[Any]) -> None:
        self.store, self.track = store, track

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True) -> Self:
        """Open the store of any track.

        Raises:
            StoreError: it cannot be used.
            TrackNotFound: its track is not installed.
        """
        store = Store.open(path, read_only=read_only)
        try:
            try:
                track = find(store.track)
            except TrackNotFound as error:
                raise TrackNotFound(f"{path} belongs to the track {store.track!r}: {error}") from None
            store.use(track.tables, read_only=read_only)
        except BaseException:
            store.close()
            raise
        return cls(store, track)

    def close(self) -> None:
        self.store.close()
