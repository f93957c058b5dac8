"""Competitions: created, opened, closed and decided by organisers, with an audit log.

A competition goes through the states of ``State``. When it is closed, uploads are locked and the deciding plays are
queued (``jobs.queue_final``); ``upkeep`` announces the result once they are done.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from types import MappingProxyType

from vgdl import games
from vgdl.competition import seeds, typed
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.planning.game_set import GameSet, find_set
from vgdl.competition.tracks.planning.plan import Boards, Plan
from vgdl.competition.tracks.planning.rules import Rules, with_budget, with_construction
from vgdl.competition.web import arenas, names
from vgdl.competition.web.database import Database, Row, Transaction
from vgdl.controllers import registry
from vgdl.registry import Entry

MOST_TEXT = 10_000
"""Maximum length of a description or an announcement, in characters."""


PLANNING = "planning"
"""The track whose plays are jobs of their own, and whose rankings are those of ``rankings``."""

RESERVED = ("announce", "audit", "course", "entries", "undo", "users")
"""Addresses below ``/organise`` that are not those of competitions."""


class SettingsError(CompetitionError):
    """A competition cannot be run like this; the message says why."""


class State(enum.StrEnum):
    """The state of a competition."""

    DRAFT = "draft"  #: visible to organisers only
    OPEN = "open"
    CLOSING = "closing"  #: no more uploads; the deciding plays are in progress
    DECIDED = "decided"


class Role(enum.StrEnum):
    """The purpose of a set of games."""

    TRAINING = "training"
    VALIDATION = "validation"
    TEST = "test"  #: played only after the close, and shown only once an organiser publishes it


@dataclass(frozen=True, slots=True)
class SetOfGames:
    """Games that are played and ranked together."""

    name: str  #: used in addresses and headings
    role: Role
    source: str  #: name of a bundled set, or path of a folder on every worker and on the web machine
    games: tuple[str, ...] = ()  #: only these; all if empty
    levels: tuple[int, ...] = ()  #: only these; all if empty

    def game_set(self) -> GameSet:
        """The files of the games.

        Raises:
            SetNotFound: there is no such set or game.
        """
        everything = find_set(self.source)
        return everything.only(self.games) if self.games else everything


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a competition."""

    sets: tuple[SetOfGames, ...]
    repeats: int = 1  #: plays per level in an evaluation
    budget: str = "40ms"
    construction: str = ""
    per_day: int = 5  #: entries per user in 24 hours
    storage_mb: int = 200  #: total size of a user's zip files
    baselines: tuple[str, ...] = ("samplemcts", "random")  #: bundled controllers to compare entries with
    final_plays: int = 200  #: minimum number of deciding plays of each counted entry
    final_plays_top: int = 1000  #: the same for the top entries
    top: int = 3  #: number of top entries
    team_size: int = 1  #: maximum number of members of a team; 1: there are no teams
    restrictions: Restrictions = field(default_factory=Restrictions)
    track: str = (
        PLANNING  #: all settings but ``per_day``, ``storage_mb``, ``baselines`` and ``team_size`` are planning's
    )
    options: tuple[str, ...] = ()  #: of another track, as ``NAME=VALUE``
    final_options: tuple[str, ...] = ()  #: those of the deciding run that differ

    @property
    def is_planning(self) -> bool:
        """Whether controllers play sets of games; otherwise a track runs, see ``runs``."""
        return self.track == PLANNING

    def rules(self) -> Rules:
        """The rules of its plays."""
        rules = with_budget(Rules(), self.budget)
        return with_construction(rules, self.construction) if self.construction else rules

    def set_called(self, name: str) -> SetOfGames:
        """One of the sets.

        Raises:
            SettingsError: there is none of this name.
        """
        for one in self.sets:
            if one.name == name:
                return one
        raise SettingsError(f"there is no set {name!r:.60} in this competition")

    def plan(self, set_name: str, entries: tuple[Entry, ...], repeats: int, secret: int) -> Plan:
        """The plan of some entries on one of the sets."""
        chosen = self.set_called(set_name)
        return Plan(entries, chosen.game_set(), chosen.levels or None, repeats, self.rules(), self.restrictions, secret)

    def check(self) -> None:
        """Check that everything exists and can be played.

        Raises:
            CompetitionError, vgdl.VGDLError, ValueError: it cannot; the message says why.
        """
        if self.is_planning:
            self._check_sets()
        else:
            arenas.check(self.track, self.baselines, self.options, self.final_options)
        for value, words in (
            (self.repeats, "repeats"), (self.per_day, "entries per day"), (self.storage_mb, "storage"),
            (self.final_plays, "deciding plays"), (self.top, "entries at the top"),
            (self.team_size, "members of a team"),
            (self.final_plays_top, "deciding plays of the top entries"),
        ):  # fmt: skip
            if not 1 <= value <= 100_000:
                raise SettingsError(f"{words}: {value} is not a number of 1 to 100000")
        limits = self.restrictions
        for value, words, least, most in (
            (limits.memory_mb, "memory in MiB", 128, 1 << 20),
            (limits.processes, "processes", 1, 4096),
            (limits.scratch_mb, "scratch space in MiB", 1, 1 << 20),
        ):
            if not least <= value <= most:
                raise SettingsError(f"{words}: {value} is not a number of {least} to {most}")

    def _check_sets(self) -> None:
        if not self.sets:
            raise SettingsError("a competition needs at least one set of games")
        names = [one.name for one in self.sets]
        for one in self.sets:
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", one.name) or names.count(one.name) > 1:
                raise SettingsError(f"{one.name!r:.60} is not a name for a set: use letters, digits and - once")
            boards = Boards(self.plan(one.name, (), 1, 0))
            if len({game.n_players for game in boards.games.values()}) > 1:
                raise SettingsError(f"the set {one.name} mixes games for one and for two players: make two sets")
        if not any(one.role is not Role.TEST for one in self.sets):
            raise SettingsError("a test set is played at the close only: add a training or validation set")
        self.rules()
        for name in self.baselines:
            registry.find(name)

    def baseline(self, name: str) -> Entry:
        """A bundled program to compare entries with.

        Raises:
            EntryNotFound: there is none of this name.
        """
        return registry.find(name) if self.is_planning else arenas.entering(self.track).registry.find(name)


@dataclass(frozen=True, slots=True)
class Competition:
    """A competition of the site."""

    id: int
    slug: str
    title: str
    text: str
    state: State
    settings: Settings
    test_open: bool
    secret: int
    opens: float | None
    closes: float | None
    created: float

    @property
    def takes_entries(self) -> bool:
        """Whether entries may be uploaded, until the deadline of the user (``people.why_closed``)."""
        return self.state is State.OPEN

    def shows(self, set_name: str) -> bool:
        """Whether rankings and replays of a set are public."""
        return self.settings.set_called(set_name).role is not Role.TEST or self.test_open

    @property
    def shown_sets(self) -> tuple[SetOfGames, ...]:
        """The sets whose rankings are public."""
        return tuple(one for one in self.settings.sets if self.shows(one.name))

    @property
    def final_sets(self) -> tuple[SetOfGames, ...]:
        """The deciding sets: those for testing, or else those for validation, or else all."""
        for role in (Role.TEST, Role.VALIDATION):
            chosen = tuple(one for one in self.settings.sets if one.role is role)
            if chosen:
                return chosen
        return self.settings.sets

    @property
    def evaluation_sets(self) -> tuple[SetOfGames, ...]:
        """The sets that every new entry plays."""
        return tuple(one for one in self.settings.sets if one.role is not Role.TEST)


def create(
    database: Database,
    actor: str,
    slug: str,
    title: str,
    settings: Settings,
    *,
    text: str = "",
    opens: float | None = None,
    closes: float | None = None,
) -> Competition:
    """Create a competition, as a draft.

    Args:
        database: the database of the site.
        actor: the user who does this, for the audit log; likewise in all functions here.
        slug: name in addresses: lower-case letters, digits and ``-``.
        title: displayed name.
        settings: settings of the competition.
        text: a description.
        opens: time at which it opens automatically.
        closes: time at which it closes automatically.

    Raises:
        CompetitionError, vgdl.VGDLError, ValueError: it cannot be run with these settings.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", slug):
        raise SettingsError(f"{slug!r:.60} is not an address: use 1 to 40 lower-case letters, digits and hyphens")
    if slug in RESERVED:
        raise SettingsError(f"{slug!r} is the address of a page of the site; choose another")
    now = database.now()
    title = _checked(title, opens, closes, now)
    settings.check()
    with database.transaction() as transaction:
        made = insert(
            transaction, slug=slug, title=title, text=text, settings=settings, opens=opens, closes=closes, created=now
        )
        note(transaction, now, actor, "create", slug, title)
    return made


def _checked(title: str, opens: float | None, closes: float | None, now: float) -> str:
    """A title as it is stored, after a check of the dates."""
    title = " ".join(title.split())
    if not 1 <= len(title) <= 80 or not title.isprintable():
        raise SettingsError("a title has 1 to 80 printable letters")
    if opens is not None and closes is not None and opens >= closes:
        raise SettingsError("a competition opens before it closes")
    if closes is not None and closes <= now:
        raise SettingsError("the date at which it closes has passed")
    return title


def insert(
    transaction: Transaction,
    *,
    slug: str,
    title: str,
    text: str,
    settings: Settings,
    opens: float | None,
    closes: float | None,
    created: float,
) -> Competition:
    """Write a checked competition, as a draft, with its bundled controllers.

    Raises:
        SettingsError: there is one of this address.
    """
    row = transaction.row(
        "INSERT INTO competitions (slug, title, text, state, settings, test_open, secret, opens, closes, created) "
        "VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING RETURNING *",
        *(slug, title, text[:MOST_TEXT], State.DRAFT, json.dumps(asdict(settings))),
        *(str(seeds.fresh_secret()), opens, closes, created),
    )
    if row is None:
        raise SettingsError(f"there is a competition {slug} already")
    made = _competition(row)
    for name in settings.baselines:
        _add_baseline(transaction, made.id, settings.baseline(name), created)
    if not settings.is_planning:  # a track may know its own programs by their names
        for name in arenas.entering(settings.track).registry.names().values():
            transaction.run(
                "INSERT INTO entry_names (competition_id, outline, user_id) VALUES (?, ?, NULL) ON CONFLICT DO NOTHING",
                *(made.id, names.outline(name)),
            )
    return made


def _add_baseline(transaction: Transaction, competition_id: int, entry: Entry, now: float) -> None:
    transaction.run(
        "INSERT INTO entries (competition_id, name, location, class_name, sha256, size, secret, state, "
        "message, details, counted, count_when_done, barred, refunded, deleted, created, changed) "
        "VALUES (?, ?, ?, ?, '', 0, ?, 'evaluated', '', '', 1, 0, '', 0, 0, ?, ?)",
        *(competition_id, entry.ranking_name, entry.location, entry.class_name, str(seeds.fresh_secret()), now, now),
    )


def change(
    database: Database,
    actor: str,
    competition: Competition,
    title: str,
    settings: Settings,
    *,
    text: str = "",
    opens: float | None = None,
    closes: float | None = None,
) -> None:
    """Change what was entered when a competition was created; the audit log says what was changed.

    Rules and sets decide what plays mean: they can be changed in a draft only. Limits, dates, texts and the number of
    deciding plays can be changed until it is closed, and baselines added.

    Raises:
        CompetitionError, vgdl.VGDLError, ValueError: it cannot be run with these settings, or is closed.
    """
    if competition.state not in (State.DRAFT, State.OPEN):
        raise SettingsError(f"{competition.slug} is {competition.state}: its settings can no longer be changed")
    now = database.now()
    title = _checked(title, opens, closes, now)
    settings.check()
    old = competition.settings
    if competition.state is State.OPEN:
        for name in ("track", "sets", "repeats", "budget", "construction", "restrictions", "options"):
            if getattr(settings, name) != getattr(old, name):
                raise SettingsError(
                    f"{competition.slug} is open: its {name} decided what plays mean, and cannot change"
                )
        if gone := set(old.baselines) - set(settings.baselines):
            raise SettingsError(f"{competition.slug} is open: {', '.join(sorted(gone))} cannot be removed any more")
    before = {"title": competition.title, "text": competition.text, "opens": competition.opens,
              "closes": competition.closes, **asdict(old)}  # fmt: skip
    after = {"title": title, "text": text[:MOST_TEXT], "opens": opens, "closes": closes, **asdict(settings)}
    changed = [f"{name}: {before[name]!r:.200} → {after[name]!r:.200}" for name in after if before[name] != after[name]]
    if not changed:
        return
    with database.transaction() as transaction:
        transaction.run(
            "UPDATE competitions SET title = ?, text = ?, opens = ?, closes = ?, settings = ? WHERE id = ?",
            *(title, after["text"], opens, closes, json.dumps(asdict(settings)), competition.id),
        )
        for name in set(old.baselines) - set(settings.baselines):
            transaction.run(
                "DELETE FROM entries WHERE competition_id = ? AND user_id IS NULL AND location = ? AND class_name = ?",
                *(competition.id, (entry := old.baseline(name)).location, entry.class_name),
            )
        for name in settings.baselines:
            if name not in old.baselines:
                _add_baseline(transaction, competition.id, settings.baseline(name), now)
        note(transaction, now, actor, "change", competition.slug, "; ".join(changed))


def find(database: Database, slug: str) -> Competition:
    """The competition with a name.

    Raises:
        SettingsError: there is none.
    """
    row = database.row("SELECT * FROM competitions WHERE slug = ?", slug)
    if row is None:
        raise SettingsError(f"there is no competition {slug!r:.60}")
    return _competition(row)


def get(database: Database, number: int) -> Competition:
    """The competition with a number, which must exist."""
    row = database.row("SELECT * FROM competitions WHERE id = ?", number)
    assert row is not None
    return _competition(row)


def every(database: Database) -> list[Competition]:
    """All competitions, the newest first."""
    return [_competition(row) for row in database.rows("SELECT * FROM competitions ORDER BY created DESC, id DESC")]


def set_state(transaction: Transaction, competition: Competition, state: State) -> None:
    """Set the state of a competition, as part of a larger transaction."""
    transaction.run("UPDATE competitions SET state = ? WHERE id = ?", state, competition.id)


def show_test(database: Database, actor: str, competition: Competition, *, shown: bool) -> None:
    """Publish or hide the rankings and replays of the test sets."""
    now = database.now()
    with database.transaction() as transaction:
        transaction.run("UPDATE competitions SET test_open = ? WHERE id = ?", int(shown), competition.id)
        note(transaction, now, actor, "show test" if shown else "hide test", competition.slug)


def announce(database: Database, actor: str, competition: Competition | None, title: str, words: str) -> None:
    """Publish an announcement on the page of a competition or, without one, on the home page.

    Raises:
        SettingsError: there is no title.
    """
    title = " ".join(title.split())[:120]
    if not title:
        raise SettingsError("an announcement needs a title")
    now = database.now()
    with database.transaction() as transaction:
        transaction.run(
            "INSERT INTO announcements (competition_id, at, title, words) VALUES (?, ?, ?, ?)",
            *(competition.id if competition else None, now, title, words[:MOST_TEXT]),
        )
        note(transaction, now, actor, "announce", competition.slug if competition else "", title)


def announcements(database: Database, competition: Competition | None) -> list[Row]:
    """Announcements, the newest first."""
    if competition is None:
        return database.rows("SELECT * FROM announcements WHERE competition_id IS NULL ORDER BY id DESC LIMIT 10")
    query = "SELECT * FROM announcements WHERE competition_id = ? ORDER BY id DESC LIMIT 20"
    return database.rows(query, competition.id)


def note(transaction: Transaction, now: float, actor: str, action: str, subject: str, details: str = "") -> None:
    """Add a line to the audit log."""
    transaction.run(
        "INSERT INTO audit (at, actor, action, subject, details) VALUES (?, ?, ?, ?, ?)",
        *(now, actor, action, subject, details),
    )


def audit(database: Database, most: int = 500) -> list[Row]:
    """The audit log, the newest line first."""
    return database.rows("SELECT * FROM audit ORDER BY id DESC LIMIT ?", most)


@lru_cache(maxsize=1)
def game_titles() -> Mapping[str, str]:
    """Titles of the bundled games by name."""
    return MappingProxyType({name: games.facts(name).title for name in games.names()})


@lru_cache(maxsize=256)
def _settings(text: str) -> Settings:
    """Settings as they are stored; every page of a competition reads them."""
    return typed.read(Settings, json.loads(text), "settings")


def _competition(row: Row) -> Competition:
    return Competition(
        id=int(row["id"]),
        slug=row["slug"],
        title=row["title"],
        text=row["text"],
        state=State(row["state"]),
        settings=_settings(row["settings"]),
        test_open=bool(row["test_open"]),
        secret=int(row["secret"]),
        opens=row["opens"],
        closes=row["closes"],
        created=float(row["created"]),
    )
