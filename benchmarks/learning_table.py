"""Write the tables of docs/learning-track.md from benchmarks/results/learning*.csv: python benchmarks/learning_table.py"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from vgdl import games
from vgdl.competition.tracks.learning.measures import interquartile_mean

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "learning-track.md"
BEGIN, END = "<!-- tables: benchmarks/learning_table.py -->\n", "<!-- end of tables -->\n"
AGENTS = ("random", "explorer", "qlearning", "dqn", "ppo", "inducer")
ONE_PLAYER = ("training", "validation", "test")


@dataclass
class Cell:
    """The validation plays of an agent on a game."""

    plays: int = 0
    victories: int = 0
    total: float = 0.0
    levels: dict[int, list[tuple[int, float]]] = field(default_factory=dict)  #: plays and mean scores by level
    is_disqualified: bool = False

    def add(self, level: int, plays: int, victories: int, score: float) -> None:
        """Add the plays of a level."""
        self.plays += plays
        self.victories += victories
        self.total += plays * score
        self.levels.setdefault(level, []).append((plays, score))

    def __str__(self) -> str:
        if self.is_disqualified:
            return "out"
        won = f" ({self.victories})" if self.victories else ""
        return f"{self.total / self.plays:.1f}{won}"


Cells = dict[tuple[str, int, str], Cell]


def measured() -> Cells:
    """The validation plays by agent, budget and game."""
    cells: defaultdict[tuple[str, int, str], Cell] = defaultdict(Cell)
    for path in sorted(RESULTS.glob("learning*.csv")):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["phase"] == "validation":
                    cell = cells[row["agent"], int(row["budget"]), row["game"]]
                    cell.add(int(row["level"]), int(row["plays"]), int(row["victories"]), float(row["score"]))
                    cell.is_disqualified |= bool(row["cause"])
    return dict(cells)


def planner() -> dict[str, tuple[float, int, int]]:
    """The champion's mean score, victories and plays on the validation levels."""
    rows: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for path in RESULTS.glob("champion-bundled*.csv"):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["level"] in "34":
                    rows[row["game"]].append((float(row["score"]), row["outcome"] == "won"))
    return {
        game: (sum(score for score, _ in own) / len(own), sum(won for _, won in own), len(own))
        for game, own in rows.items()
    }


def scales() -> dict[tuple[str, int], tuple[float, float]]:
    """The scores that are 0 and 1, by game and level."""
    with (ROOT / "competition" / "tracks" / "learning" / "scales.csv").open(newline="") as file:
        return {
            (row["game"], int(row["level"])): (float(row["random"]), float(row["planner"]))
            for row in csv.DictReader(file)
        }


def normalised(cells: Cells, agent: str, budget: int) -> float | None:
    """The interquartile mean of the scores on the scale of each level."""
    known, values = scales(), []
    for (name, steps, game), cell in cells.items():
        if (name, steps) == (agent, budget):
            for level, parts in cell.levels.items():
                low, high = known[game, level]
                if high > low:
                    mean = sum(plays * score for plays, score in parts) / sum(plays for plays, _ in parts)
                    values.append(0.0 if cell.is_disqualified else (mean - low) / (high - low))
    return interquartile_mean(values) if values else None


def summary(cells: Cells) -> list[str]:
    """A row per agent and budget."""
    lines = ["| agent | steps | games | victories | score (IQM, normalised) |", "|---|--:|--:|--:|--:|"]
    for agent in AGENTS:
        for budget in sorted({steps for name, steps, _ in cells if name == agent}):
            own = [cell for (name, steps, _), cell in cells.items() if (name, steps) == (agent, budget)]
            won, plays = sum(cell.victories for cell in own), sum(cell.plays for cell in own)
            score = normalised(cells, agent, budget)
            shown = "–" if score is None else f"{score:.3f}"
            lines.append(f"| `{agent}` | {budget:,} | {len(own)} | {won}/{plays} ({won / plays:.1%}) | {shown} |")
    plans = planner().values()
    won, plays = sum(row[1] for row in plans), sum(row[2] for row in plans)
    lines.append(f"| champion, with the forward model | – | {len(plans)} | {won}/{plays} ({won / plays:.1%}) | 1 |")
    return lines


def by_game(cells: Cells, budget: int) -> list[str]:
    """A row per game that an agent has played with one budget."""
    agents = [agent for agent in AGENTS if any(key[:2] == (agent, budget) for key in cells)]
    played = {game for _, steps, game in cells if steps == budget}
    names = [game for group in ONE_PLAYER for game in games.names(group) if game in played]
    plans = planner()
    lines = [
        f"| game | {' | '.join(f'`{agent}`' for agent in agents)} | champion |",
        f"|---|{'--:|' * len(agents)}--:|",
    ]
    for game in names:
        shown = [str(cells[agent, budget, game]) if (agent, budget, game) in cells else "·" for agent in agents]
        score, won, plays = plans[game]
        lines.append(f"| {game} | {' | '.join(shown)} | {score:.1f} ({won} of {plays}) |")
    return lines


def tables() -> str:
    """Everything between the markers."""
    cells = measured()
    parts = [*summary(cells), ""]
    for budget in sorted({steps for _, steps, _ in cells}):
        parts += [f"After {budget:,} steps:", "", *by_game(cells, budget), ""]
    return "\n".join(parts)


def page(text: str) -> str:
    """The page with new tables."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
