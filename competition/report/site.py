"""The folder of a site: pages, and replays in files of their own that the player loads when they are asked for.

Nothing in it is fetched, since browsers do not let pages fetch local files: data are scripts that call a function of
the player. A site is built beside its place and moved there when it is complete.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import vgdl
from vgdl.competition.report import controller_page, film, game_page, index_page, protocol_page, replay_page
from vgdl.competition.report.facts import Facts
from vgdl.competition.report.parts import STATIC
from vgdl.competition.results import standings
from vgdl.competition.results.records import Outcome, PlayResult, write_csv, write_json
from vgdl.competition.results.store import Store
from vgdl.render import frame, png

MARK = ".vgdl-report"
"""A file that tells a site from other folders, which are never replaced."""

_ASSETS = ("style.css", "player.js")
_THUMBNAIL = 12
_OUTCOMES = tuple(Outcome)


class SiteError(ValueError):
    """A site cannot be written there; the message says why."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which plays can be watched: the first so many of each controller in each game; None for all."""

    most: int | None

    def of(self, plays: Sequence[tuple[int, PlayResult]]) -> list[int]:
        """The numbers of the plays that are chosen, given in the order of the plan."""
        if self.most is None:
            return [number for number, _ in plays]
        seen: Counter[tuple[str, str]] = Counter()
        chosen = []
        for number, play in plays:
            keys = [(play.game, player.controller) for player in play.players]
            if any(seen[key] < self.most for key in keys):
                chosen.append(number)
                seen.update(keys)
        return chosen


class Site:
    """A site that is being written; leaving the ``with`` block throws away what is not finished."""

    def __init__(self, store: Store, folder: Path, title: str | None = None) -> None:
        """Read what is to be told.

        Raises:
            SiteError: there is something else in the folder.
        """
        folder = folder.resolve()
        if folder.exists() and not (folder / MARK).is_file() and (not folder.is_dir() or any(folder.iterdir())):
            raise SiteError(f"{folder} is there and no site of vgdl-compete report: name another folder, or remove it")
        self.folder = folder
        self.facts = Facts(store, title)
        self._store = store
        self._part = folder.with_name(f"{folder.name}.part")
        self._games: dict[str, vgdl.Game] = {}
        self._pictures: dict[str, film.Pictures] = {}
        self._plays = dict(self.facts.plays)

    def begin(self, replays: Choice) -> list[int]:
        """Make an empty folder; returns the plays to be filmed, one by one, by ``film``.

        Raises:
            OSError: it cannot be made.
        """
        shutil.rmtree(self._part, ignore_errors=True)
        for name in ("assets", "games", "controllers", "pictures", "drawings", "replays"):
            (self._part / name).mkdir(parents=True)
        for game in self.facts.games:
            loaded = self.facts.board_source(game)
            if loaded is not None:
                self._games[game] = loaded
                self._draw(game, loaded)
        return [number for number in replays.of(self.facts.plays) if self._plays[number].game in self._games]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._part, ignore_errors=True)

    def film(self, fixture: int) -> None:
        """Write the replay of a play; one that does not come to the result in the store is left out, and told of."""
        play = self._plays[fixture]
        game = self._games[play.game].drawn(play.seed)
        actions = self._store.actions(fixture)
        pictures = self._pictures.setdefault(play.game, film.Pictures())
        taken, final = film.take(game.board(play.level), play.seed, actions, pictures)
        if not _agrees(play, final):
            self.facts.failures.setdefault(play.game, f"play {fixture} does not lead to its recorded result")
            return
        used = [self._store.used(fixture, player) for player in range(len(play.players))]
        facts = taken.facts() | {"actions": _columns(actions, len(play.players)), "used": used}
        self._script(f"replays/{fixture}.js", "film", fixture, film.packed(facts))
        self.facts.films.add(fixture)

    def finish(self) -> None:
        """Write the pages, and put the site in its place."""
        facts = self.facts
        for game, pictures in self._pictures.items():
            self._script(f"drawings/{facts.pages[game]}.js", "drawings", facts.pages[game], pictures.urls)
        self._script("assets/plays.js", "plays", self._index())
        for name in _ASSETS:
            self._write(f"assets/{name}", (STATIC / name).read_text(encoding="utf-8"))
        self._write("index.html", index_page.write(facts))
        self._write("protocol.html", protocol_page.write(facts))
        self._write("replay.html", replay_page.write(facts))
        for game in facts.games:
            self._write(f"games/{facts.pages[game]}.html", game_page.write(facts, game))
        for name in facts.controllers:
            self._write(f"controllers/{facts.controller_pages[name]}.html", controller_page.write(facts, name))
        if facts.complete:
            results = [play for _, play in facts.plays]
            write_json(self._part / "results.json", standings.everything(self._store, results))
            write_csv(self._part / "results.csv", results)
        self._write(MARK, "The folder of a site by vgdl-compete report, which replaces it when it is run again.\n")
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self._part.rename(self.folder)

    def _draw(self, game: str, loaded: vgdl.Game) -> None:
        """The picture of a game: how its first level begins."""
        level, *_ = self.facts.levels(game)
        seed = next(play.seed for play in self._plays.values() if play.game == game)
        image = frame(loaded.drawn(seed).board(level).start(seed), _THUMBNAIL)
        png.write(self._part / "pictures" / f"{self.facts.pages[game]}.png", image)
        self.facts.drawn.add(game)

    def _index(self) -> dict[str, Any]:
        """All plays that can be watched, for the player's lists, as numbers of names."""
        facts = self.facts
        games = {name: place for place, name in enumerate(facts.games)}
        controllers = {name: place for place, name in enumerate(facts.controllers)}
        plays = [
            [
                number,
                games[play.game],
                play.level,
                play.repeat,
                play.ticks,
                *(
                    [controllers[p.controller], _OUTCOMES.index(p.outcome), p.score, p.cause, p.details[-300:]]
                    for p in play.players
                ),
            ]
            for number, play in facts.plays
            if number in facts.films
        ]
        limits = facts.plan.protocol.limits
        return {
            "games": list(games),
            "files": [facts.pages[name] for name in games],
            "controllers": list(controllers),
            "outcomes": _OUTCOMES,
            "plays": plays,
            "unit": facts.plan.protocol.unit,
            "limits": [limits.action, limits.disqualification],
        }

    def _script(self, name: str, function: str, *arguments: Any) -> None:
        """A script file that hands data to the player."""
        handed = ",".join(json.dumps(argument, separators=(",", ":")) for argument in arguments)
        self._write(name, f"vgdl.{function}({handed});\n")

    def _write(self, name: str, text: str) -> None:
        (self._part / name).write_text(text, encoding="utf-8")


def _columns(actions: Sequence[Sequence[str | None]], players: int) -> list[list[str]]:
    """The actions of each player; empty where it was not asked."""
    return [[tick[player] or "" for tick in actions] for player in range(players)]


def _agrees(play: PlayResult, final: vgdl.StateObservation) -> bool:
    """Whether a replay came to the result that the store has; a disqualification hides the game's own."""
    if final.tick != play.ticks:
        return False
    for player, winner, score in zip(play.players, final.winners, final.scores, strict=True):
        if player.outcome is Outcome.WON:
            same = winner == 1  # a winner's score is raised to 1
        elif player.outcome is Outcome.DISQUALIFIED:
            same = True
        else:
            same = winner != 1 and score == player.score
        if not same:
            return False
    return True
