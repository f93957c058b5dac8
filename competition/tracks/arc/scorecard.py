"""Scorecards: the results of an agent's plays, in the format of ARC-AGI-3 clients (spec, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.tracks.arc.frame import State
from vgdl.competition.tracks.arc.scoring import LATEST, GameScore, Scoring, game_score, total
from vgdl.competition.tracks.arc.session import Run

NO_BASELINE = "Human baseline actions are not available for this environment"


@dataclass(frozen=True, slots=True)
class Played:
    """A game on a card.

    Attributes:
        game_id: ``<base>-<version>``.
        tags: tags of the game.
        win_levels: levels of the game.
        baselines: actions per level, None if there are none.
        runs: every run with the guid of its session, in order; empty for a game that was never played.
    """

    game_id: str
    tags: tuple[str, ...]
    win_levels: int
    baselines: tuple[int, ...] | None
    runs: Sequence[tuple[str, Run]]


def scorecard(
    card_id: str,
    games: Sequence[Played],
    *,
    scoring: Scoring = LATEST,
    source: str = "",
    **facts: object,
) -> dict[str, Any]:
    """A card as a JSON object; scores are 0 to 100.

    Args:
        card_id: id of the card.
        games: the games played; in a competition all games.
        scoring: version of the score.
        source: source of the baselines, as named in results.
        facts: further members, such as ``tags`` and ``open_at``; those that are None are left out.
    """
    environments = [environment(game, scoring) for game in games]
    card = {
        "card_id": card_id,
        "score": total(found["score"] for found in environments),
        "environments": environments,
        "tags_scores": _tag_scores(games, scoring),
        "total_environments_completed": sum(found["completed"] for found in environments),
        "total_environments": len(environments),
        "total_levels_completed": sum(found["levels_completed"] for found in environments),
        "total_levels": sum(found["level_count"] for found in environments),
        "total_actions": sum(found["actions"] for found in environments),
        "scoring": scoring.value,
        "baseline": source,
    }
    return card | {name: value for name, value in facts.items() if value is not None}


def environment(game: Played, scoring: Scoring = LATEST) -> dict[str, Any]:
    """The entry of a game on a card: all its runs, and the score of the best one."""
    runs = [run_entry(game, guid, run, scoring) for guid, run in game.runs or [("", Run(state=State.NOT_PLAYED))]]
    return {
        "id": game.game_id,
        "runs": runs,
        "score": max(run["score"] for run in runs),
        "actions": sum(run["actions"] for run in runs),
        "resets": sum(run["resets"] for run in runs),
        "levels_completed": max(run["levels_completed"] for run in runs),
        "completed": any(run["completed"] for run in runs),
        "level_count": game.win_levels,
    }


def run_entry(game: Played, guid: str, run: Run, scoring: Scoring = LATEST) -> dict[str, Any]:
    """The entry of one run of a game."""
    n = game.win_levels
    baselines = list(game.baselines) if game.baselines else [-1] * n
    scored = game_score(scoring, baselines, run.level_actions) if game.baselines else GameScore(0.0, (0.0,) * n)
    entry: dict[str, Any] = {
        "id": game.game_id,
        "guid": guid,
        "score": 100 * scored.game,
        "levels_completed": run.levels_completed,
        "actions": run.actions,
        "resets": run.resets,
        "state": run.state.value,
        "completed": run.state is State.WIN,
        "level_scores": [100 * level for level in scored.levels],
        "level_actions": level_actions(run, n),
        "level_baseline_actions": baselines,
        "number_of_levels": n,
        "number_of_environments": 1,
    }
    return entry if game.baselines else entry | {"message": NO_BASELINE}


def level_actions(run: Run, levels: int) -> list[int]:
    """Actions per level: of the completed levels, then of the one in progress, then 0."""
    spent = list(run.level_actions)
    if len(spent) < levels:
        spent.append(run.actions - sum(spent))
    return spent + [0] * (levels - len(spent))


def _tag_scores(games: Sequence[Played], scoring: Scoring) -> list[dict[str, Any]]:
    """One entry per tag of the games, over the levels of their best runs."""
    tags = dict.fromkeys(tag for game in games for tag in game.tags)
    return [_tag_score(tag, [game for game in games if tag in game.tags], scoring) for tag in tags]


def _tag_score(tag: str, games: Sequence[Played], scoring: Scoring) -> dict[str, Any]:
    best: list[Mapping[str, Any]] = [
        max(environment(game, scoring)["runs"], key=lambda run: run["score"]) for game in games
    ]
    return {
        "id": tag,
        "guid": "",
        "score": total(run["score"] for run in best),
        "levels_completed": sum(run["levels_completed"] for run in best),
        "actions": sum(run["actions"] for run in best),
        "resets": sum(run["resets"] for run in best),
        "state": State.WIN.value if all(run["completed"] for run in best) else State.NOT_FINISHED.value,
        "completed": all(run["completed"] for run in best),
        "level_scores": [score for run in best for score in run["level_scores"]],
        "level_actions": [actions for run in best for actions in run["level_actions"]],
        "level_baseline_actions": [actions for run in best for actions in run["level_baseline_actions"]],
        "number_of_levels": sum(run["number_of_levels"] for run in best),
        "number_of_environments": len(best),
    }
