"""The ARC server without HTTP: games, cards and sessions, and the effects of requests on them (arc, 2 to 4).

It is thread-safe. A lock of the service guards its dictionaries and is never held during a command of a game; a lock
per session serialises its commands.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vgdl.competition.store import now
from vgdl.competition.tracks.arc.cards import Card, Play, Step, legacy
from vgdl.competition.tracks.arc.errors import BadActionError, NotAllowedError, NotStartedError
from vgdl.competition.tracks.arc.frame import RESET, Frame
from vgdl.competition.tracks.arc.game import FPS
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.protocol import ArcError, Command, Opening, invalid, not_found, not_started
from vgdl.competition.tracks.arc.recording import Recorder
from vgdl.competition.tracks.arc.scorecard import Played, scorecard
from vgdl.competition.tracks.arc.scoring import LATEST, Scoring
from vgdl.competition.tracks.arc.session import Run, Session
from vgdl.competition.tracks.arc.store import (
    CardRow,
    CommandRow,
    Ledger,
    PlayRow,
    add_card,
    cards,
    close_card,
    find_card,
    owner_of,
    whole_card,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """A server's rules for cards.

    Attributes:
        competition: whether all cards are in competition mode, with one open card per key.
        stale_minutes: time without a command after which a card is closed.
        most_hours: time since its opening after which a card is closed.
        show_baselines: whether the list of games has the baselines.
        scoring: version of the score.
        source: source of the baselines, as named on cards.
    """

    competition: bool = False
    stale_minutes: float = 15.0
    most_hours: float = 24.0
    show_baselines: bool = False
    scoring: Scoring = LATEST
    source: str = ""


@dataclass(slots=True)
class _OpenCard:
    card: Card
    owner: str
    opened: float  #: monotonic time in seconds
    used: float
    plays: list[_OpenPlay] = field(default_factory=list)
    closed: bool = False


@dataclass(slots=True)
class _OpenPlay:
    session: Session
    on: _OpenCard
    lock: threading.Lock = field(default_factory=threading.Lock)


class ArcService:
    """The offered games, open cards in memory, and all cards in a store."""

    def __init__(
        self,
        games: Sequence[ArcGame],
        ledger: Ledger,
        settings: Settings | None = None,
        baselines: Mapping[str, tuple[int, ...]] | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        """Set up the service.

        Cards that an earlier server left open are closed with their plays so far.

        Args:
            games: games with different ids.
            ledger: the store; the service does not close it.
            settings: by default those of a public server.
            baselines: actions per level, by game id.
            recorder: writes recordings of all plays, if given.

        Raises:
            StoreError: the store cannot be read or written.
        """
        self.settings = settings or Settings()
        self.ledger = ledger
        self.games = sorted(games, key=lambda game: game.title)
        self._by_name = {name: game for game in games for name in (game.id, game.base)}
        self._baselines = dict(baselines or {})
        self._recorder = recorder
        self._offered_since = now()
        self._cards: dict[str, _OpenCard] = {}
        self._plays: dict[str, _OpenPlay] = {}
        self._lock = threading.Lock()
        for row in ledger.call(cards, closed=False):
            card = ledger.call(whole_card, row)
            card.closed = card.updated
            ledger.call(close_card, card, self.report(card))

    # ------------------------------------------------------------------------------------------ games

    def find(self, name: str) -> ArcGame | None:
        """Find a game by its id, or by the part of it before the version."""
        return self._by_name.get(name)

    def game_facts(self, game: ArcGame) -> dict[str, Any]:
        """A game as described by the API (arc, 2.2)."""
        baseline = self._baselines.get(game.id) if self.settings.show_baselines else None
        facts = {
            "game_id": game.id,
            "title": game.title,
            "tags": list(game.tags),
            "default_fps": FPS,
            "class_name": game.base[:4].capitalize(),
            "date_downloaded": self._offered_since,
        }
        return facts | ({"baseline_actions": list(baseline)} if baseline else {})

    # ------------------------------------------------------------------------------------------ cards

    def open(self, key: str, opening: Opening) -> str:
        """Open a card; returns its id.

        Raises:
            ArcError: in competition mode, the key already has an open card.
            StoreError: the store cannot be written.
        """
        if self.settings.competition:
            opening = replace(opening, competition=True)
        moment, owner, clock = now(), owner_of(key), time.monotonic()
        card = Card(str(uuid.uuid4()), opening, moment, moment)
        opened = _OpenCard(card, owner, clock, clock)
        with self._lock:
            if self.settings.competition and any(other.owner == owner for other in self._cards.values()):
                raise ArcError(409, "SERVER_ERROR", "cannot open multiple scorecards in competition mode")
            self._cards[card.card_id] = opened
        try:
            self.ledger.call(add_card, card, owner)
        except BaseException:
            with self._lock:
                del self._cards[card.card_id]
            raise
        return card.card_id

    def public_card(self, card_id: str) -> dict[str, Any] | None:
        """A card as shown to anyone with its id; None if there is none, or if it is open and in competition mode.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._lock:
            opened = self._cards.get(card_id)
        if opened is not None:
            return None if opened.card.opening.competition else self.report(opened.card)
        row: CardRow | None = self.ledger.call(find_card, card_id)
        return row.final if row else None

    def scorecard(self, key: str, card_id: str, game_id: str | None = None) -> dict[str, Any]:
        """A card, or the part of it about one game with the fields of older clients.

        Raises:
            ArcError: there is no such card of this key, or it is open and in competition mode.
            StoreError: the store cannot be read.
        """
        owner = owner_of(key)
        with self._lock:
            opened = self._cards.get(card_id)
        if opened is not None and opened.owner == owner:
            if opened.card.opening.competition:
                raise not_found("cannot get scorecard that is in competition mode", 403)
            return self.report(opened.card, game_id)
        row = self.ledger.call(find_card, card_id)
        if row is None or row.owner != owner or row.final is None:
            raise not_found(f"card_id `{card_id}` not found", 404)
        if game_id is None:
            final: dict[str, Any] = row.final
            return final
        return self.report(self.ledger.call(whole_card, row), game_id)

    def close(self, key: str, card_id: str) -> dict[str, Any]:
        """Close a card and end its sessions; returns it. A closed card is returned unchanged.

        Raises:
            ArcError: there is no such card of this key.
            StoreError: the store cannot be written.
        """
        owner = owner_of(key)
        with self._lock:
            opened = self._cards.get(card_id)
        if opened is not None and opened.owner == owner:
            return self._close(opened)
        row = self.ledger.call(find_card, card_id)
        if row is None or row.owner != owner or row.final is None:
            raise ArcError(404, "VALIDATION_ERROR", f"scorecard {card_id} not found")
        final: dict[str, Any] = row.final
        return final

    def close_stale(self) -> list[str]:
        """Close the cards whose time is up; returns their ids.

        Raises:
            StoreError: the store cannot be written.
        """
        clock = time.monotonic()
        idle, most = 60 * self.settings.stale_minutes, 3600 * self.settings.most_hours
        with self._lock:
            over = [card for card in self._cards.values() if clock - card.used > idle or clock - card.opened > most]
        for opened in over:
            self._close(opened)
        return [opened.card.card_id for opened in over]

    def close_all(self) -> None:
        """Close every open card when a server stops.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._lock:
            over = list(self._cards.values())
        for opened in over:
            self._close(opened)

    def report(self, card: Card, game_id: str | None = None) -> dict[str, Any]:
        """A card as JSON; with a game's id, only the part about that game, with the fields of older clients."""
        runs = card.runs()
        if card.opening.competition and card.closed:
            runs |= {game.id: [] for game in self.games if game.id not in runs}
        asked = self._by_name[game_id].id if game_id in self._by_name else game_id
        shown = [self._played(card, each, runs[each]) for each in runs if asked in (None, each)]
        facts = scorecard(
            card.card_id,
            shown,
            scoring=self.settings.scoring,
            source=self.settings.source,
            tags=list(card.opening.tags),
            source_url=card.opening.source_url,
            opaque=card.opening.opaque,
            competition_mode=card.opening.competition or None,
            open_at=card.opened,
            last_update=card.updated,
            published_at=card.closed,
        )
        return facts | (legacy(card, asked) if asked else {})

    def _played(self, card: Card, game_id: str, runs: Sequence[tuple[str, Run]]) -> Played:
        game = self._by_name.get(game_id)  # none: an earlier server offered it
        levels = next((play.levels for play in card.plays if play.game_id == game_id), game.win_levels if game else 0)
        return Played(game_id, tuple(game.tags) if game else (), levels, self._baselines.get(game_id), runs)

    def _close(self, opened: _OpenCard) -> dict[str, Any]:
        with self._lock:
            opened.closed = True
            plays = list(opened.plays)
        for play in plays:
            with play.lock:  # a command in progress still counts
                pass
        with self._lock:
            for play in plays:
                self._plays.pop(play.session.guid, None)
        card = opened.card
        card.closed = card.closed or now()
        final = self.report(card)
        self.ledger.call(close_card, card, final)
        if self._recorder:
            for each in card.plays:
                self._recorder.end(each.game_id, each.guid, self.report(card, each.game_id))
        with self._lock:  # only now: earlier requests find it here, later ones in the store
            self._cards.pop(card.card_id, None)
        return final

    # ------------------------------------------------------------------------------------------ commands

    def command(self, key: str, command: Command) -> tuple[Frame, str, str]:
        """Execute a command; returns the frame, the guid of its session and the id of its card.

        Raises:
            ArcError: it cannot be executed, and is not counted.
            StoreError: an earlier command could not be stored.
        """
        game = self.find(command.game_id)
        if game is None:
            raise not_found(f"game {command.game_id} not found")
        owner = owner_of(key)
        play = self._play(owner, game, command) if command.guid else self._new_play(owner, game, command)
        with play.lock:
            if play.on.closed:
                raise not_found(f"game {command.game_id} not found")
            frame = _carry_out(play.session, command)
            self._record(play, Step.of(now(), command, frame))
            if self._recorder:
                self._recorder.add(command, frame, play.session.guid)
        return frame, play.session.guid, play.on.card.card_id

    def _play(self, owner: str, game: ArcGame, command: Command) -> _OpenPlay:
        with self._lock:
            play = self._plays.get(command.guid or "")
        if play is None or play.session.game is not game:
            raise not_found(f"game {command.game_id} not found")
        if play.on.owner != owner:
            raise invalid(f"game {command.game_id} with guid {command.guid} does not match the API key")
        return play

    def _new_play(self, owner: str, game: ArcGame, command: Command) -> _OpenPlay:
        with self._lock:
            opened = self._cards.get(command.card_id or "")
            if opened is None or opened.owner != owner or opened.closed:
                raise not_found(f"game {command.game_id} not found")
            competition = opened.card.opening.competition
            if competition and any(play.session.game is game for play in opened.plays):
                raise not_found(f"game {command.game_id} not found: it is being played, or was played, on this card")
            play = _OpenPlay(Session(game, competition=competition), opened)
            opened.plays.append(play)
            self._plays[play.session.guid] = play
        return play

    def _record(self, play: _OpenPlay, step: Step) -> None:
        session, opened = play.session, play.on
        opened.used = time.monotonic()
        opened.card.updated = step.time
        if len(session.runs) == 1 and step.full_reset:
            game, guid = session.game, session.guid
            with self._lock:
                opened.card.plays.append(Play(guid, game.id, game.win_levels, session.runs))
            row = PlayRow(guid, opened.card.card_id, game.id, game.win_levels, step.time, session.chance)
            self.ledger.note(row, CommandRow.of(guid, step))
        else:
            self.ledger.note(CommandRow.of(session.guid, step))


def _carry_out(session: Session, command: Command) -> Frame:
    try:
        if command.action == RESET:
            return session.reset()
        return session.act(command.action, command.x, command.y)
    except NotStartedError:
        raise not_started(command.game_id) from None
    except (BadActionError, NotAllowedError) as error:
        raise invalid(str(error)) from None
