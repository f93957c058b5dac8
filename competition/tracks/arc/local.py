"""ARC games in the same process: the same interface as the client of a server, without HTTP."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from vgdl.competition.tracks.arc.baselines import Baselines, bundled_baselines
from vgdl.competition.tracks.arc.errors import NotAllowedError
from vgdl.competition.tracks.arc.frame import Frame
from vgdl.competition.tracks.arc.game import bundled
from vgdl.competition.tracks.arc.playable import ArcGame, GameInfo
from vgdl.competition.tracks.arc.scorecard import Played, scorecard
from vgdl.competition.tracks.arc.scoring import LATEST, Scoring
from vgdl.competition.tracks.arc.session import Session


class LocalEnvironment:
    """One play of a game; see `environment.Environment`."""

    def __init__(self, arc: LocalArc, session: Session) -> None:
        self._arc = arc
        self._session = session
        self.info = session.game.info

    @property
    def guid(self) -> str:
        return self._session.guid if self._session.runs else ""

    def reset(self) -> Frame:
        self._arc.check_open()
        return self._session.reset()

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        self._arc.check_open()
        return self._session.act(action, x, y)


class LocalArc:
    """Games to be played in this process, on one card; see `environment.Arc`.

    Different environments may be used from different threads.

    Args:
        games: the games; by default the bundled ones.
        scoring: version of the score on the card.
        baselines: numbers of actions per level against which games are scored; by default those of planners.
        competition: one play per game and no full resets; the card lists all games.
        tags: tags of the card.
    """

    def __init__(
        self,
        games: Iterable[ArcGame] | None = None,
        *,
        scoring: Scoring = LATEST,
        baselines: Baselines | None = None,
        competition: bool = False,
        tags: Sequence[str] = (),
    ) -> None:
        self._games = {game.id: game for game in (bundled() if games is None else games)}
        self._scoring = scoring
        self._baselines = baselines or bundled_baselines()
        self._competition = competition
        self._tags = tuple(tags)
        self._sessions: dict[str, list[Session]] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.card_id = str(uuid.uuid4())

    @property
    def games(self) -> tuple[GameInfo, ...]:
        return tuple(game.info for game in self._games.values())

    def make(self, game_id: str) -> LocalEnvironment:
        """A play of a game.

        Args:
            game_id: id or base of the game.

        Raises:
            LookupError: there is no such game.
            NotAllowedError: a second play in competition mode, or the card is closed.
        """
        self.check_open()
        game = self._games.get(game_id) or next((g for g in self._games.values() if g.base == game_id), None)
        if game is None:
            raise LookupError(f"no game {game_id!r}; there are {', '.join(sorted(self._games))}")
        session = Session(game, competition=self._competition)
        with self._lock:
            sessions = self._sessions.setdefault(game.id, [])
            if sessions and self._competition:
                raise NotAllowedError("a competition has one play of each game")
            sessions.append(session)
        return LocalEnvironment(self, session)

    def scorecard(self) -> dict[str, Any]:
        """The current state of the card (spec, 4.2)."""
        played = [self._played(game) for game in self._games.values()]
        shown = [game for game in played if game.runs or self._competition]
        mode = True if self._competition else None
        tags = list(self._tags)
        return scorecard(
            self.card_id,
            shown,
            scoring=self._scoring,
            source=self._baselines.source,
            tags=tags,
            competition_mode=mode,
        )

    def close(self) -> dict[str, Any]:
        """End all plays; returns the final card."""
        self._closed = True
        return self.scorecard()

    def check_open(self) -> None:
        """Raise NotAllowedError if the card is closed."""
        if self._closed:
            raise NotAllowedError("the card is closed")

    def _played(self, game: ArcGame) -> Played:
        runs = [(session.guid, run) for session in self._sessions.get(game.id, ()) for run in session.runs]
        return Played(game.id, game.tags, game.win_levels, self._baselines.of(game), runs)
