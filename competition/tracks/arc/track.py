"""ARC-AGI-3: a server of games for its agents and for people, and agents for its games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.results import Column, Results, ResultTable
from vgdl.competition.store import Store
from vgdl.competition.track import NO_OPTIONS, Command, Track
from vgdl.competition.tracks.arc.store import TABLES, cards

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site

_HERE = "vgdl.competition.tracks.arc"

_CARDS = (
    Column("tags", show=lambda row: printable(str(row["tags"]).replace(",", ", "), 60)),
    Column("score", form=".2f"),
    Column(
        "total_levels_completed", "levels", show=lambda row: f"{row['total_levels_completed']} / {row['total_levels']}"
    ),
    Column("total_levels", hidden=True),
    Column("total_actions", "actions"),
    Column(
        "total_environments_completed",
        "games won",
        show=lambda row: f"{row['total_environments_completed']} / {row['total_environments']}",
    ),
    Column("total_environments", hidden=True),
    Column("scoring"),
    Column("baseline", "baselines", show=lambda row: str(row["baseline"] or "none")),
    Column("card_id", "card"),
)


@dataclass(frozen=True, slots=True)
class ArcPlan:
    """A server has no plan but its track; chance is that of its games."""

    secret: int = 0

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        return {}


class ArcTrack(Track[ArcPlan]):
    """Unknown games of 64×64 pixels, scored by actions against people."""

    name = "arc"
    title = "ARC"
    summary = "ARC-AGI-3: a server of our games for its agents, and agents for its games"
    tables = TABLES
    templates = f"{_HERE}.pages"
    noun = "cards"
    commands: ClassVar[Mapping[str, Command]] = {
        "serve": Command(f"{_HERE}.serve_command:main", "offer games to any ARC-AGI-3 client, and to people"),
        "play": Command(f"{_HERE}.play_command:main", "let an agent play games on a server or in this process"),
        "games": Command(f"{_HERE}.games_command:main", "list the games that serve and play offer"),
        "baselines": Command(f"{_HERE}.baselines_command:main", "human baselines from a server's store"),
        "measure": Command(f"{_HERE}.measure_command:main", "baselines for games of your own"),
        "check": Command(f"{_HERE}.check_command:main", "play recordings again and compare every frame"),
        "film": Command(f"{_HERE}.film_command:main", "a recording as an animation or a video"),
        "smoke": Command(f"{_HERE}.smoke_command:main", "a server, a client, a card and its recordings, in a minute"),
    }

    def plan_of(self, facts: Mapping[str, Any]) -> ArcPlan:
        return ArcPlan()

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        """The closed cards, the best first."""
        final = [row.final for row in cards(store, closed=True) if row.final]
        with store.reading("the cards"):
            final.sort(key=lambda card: (-card["score"], -card["total_levels_completed"], card["total_actions"]))
            rows = [
                {**{column.name: card.get(column.name) for column in _CARDS}, "tags": ",".join(card["tags"])}
                for card in final
            ]
            table = ResultTable("cards", "Scorecards", _CARDS, rows)
            [column.text(row) for row in rows for column in _CARDS]  # what is shown later must not fail
        return Results(self.name, True, [table], {"cards": final}, [table], csv="cards", done=len(rows))

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.arc.pages import write_pages

        write_pages(store, site, options)
