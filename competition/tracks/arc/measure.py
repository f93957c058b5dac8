"""Measure the baselines of the bundled games and write ``baselines.json`` (spec, 7.5).

``python -m vgdl.competition.tracks.arc.measure`` takes a few minutes; ``--game NAME`` measures one game and keeps the
entries of the others. An interrupted run can be resumed: games whose version is in the file are skipped, unless
``--again`` is given.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vgdl import Action, Meter, StateObservation, replay
from vgdl.competition.tracks.arc.clicks import Walks, target_of
from vgdl.competition.tracks.arc.determinism import is_deterministic
from vgdl.competition.tracks.arc.game import VgdlGame, bundled
from vgdl.competition.tracks.arc.measured import FILE
from vgdl.competition.tracks.arc.options import Clicks, Way
from vgdl.controllers import Timer
from vgdl.controllers.registry import load

FACTOR = 2  #: allowance for not knowing the game (spec, 7.5)
PLANNERS = ("olets",)
CALLS = 400  #: forward model calls per action
ROUNDS = 2  #: plays per planner and level


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Measure the baselines of the bundled games.")
    parser.add_argument("--game", help="measure only this game")
    parser.add_argument("--again", action="store_true", help="measure games that are in the file as well")
    options = parser.parse_args(arguments)
    known = {entry["version"]: entry for entry in _read()}
    offered = bundled(tuple(Way))
    for game in offered:
        if (options.game in (None, game.game.name)) and (options.again or game.version not in known):
            known[game.version] = measured(game)
            _write([known[other.version] for other in offered if other.version in known])
            print(json.dumps(known[game.version]), flush=True)
    return 0


def measured(game: VgdlGame) -> dict[str, Any]:
    """Measure the baselines of a game: from its recorded plays, and from the best known win.

    Recorded plays include those of solvers and planners; if one does not win with the chance events that agents meet,
    planners also play the level with those.
    """
    replays, planners = [], []
    for level in range(game.win_levels):
        recorded = recorded_keys(game, level)
        if recorded is None:
            raise LookupError(f"{game.name}: level {level + 1} has no recorded play")
        replays.append(actions_of(game, level, recorded))
        planners.append(min(wins(game, level)))
    return {
        "game": game.game.name,
        "way": game.way.value,
        "version": game.version,
        "deterministic": is_deterministic(game.boards),
        "replay": replays,
        "planner": [math.ceil(FACTOR * actions) for actions, _ in planners],
        "planners": [name for _, name in planners],
    }


def wins(game: VgdlGame, level: int) -> list[tuple[int, str]]:
    """Known wins of a level, as (actions, source): its recorded play, and those of planners if chance spoils that."""
    recorded = recorded_keys(game, level)
    found = [] if recorded is None else [(actions_of(game, level, recorded), "recorded play")]
    if recorded is None or not _wins(game, level, recorded):
        found += planned(game, level)
    return found


def recorded_keys(game: VgdlGame, level: int) -> list[str] | None:
    """The recorded winning play of a level, the name of each tick's action; None if there is none.

    It is looked for in ``replays/<level>.json`` beside the level's file.

    Raises:
        ReplayError: the file cannot be read.
    """
    path = Path(game.game.levels[level])
    file = path.parent / "replays" / f"{path.stem}.json"
    if not file.is_file():
        return None
    return [tick[0] or "NIL" for tick in replay.read(file).actions]


def actions_of(game: VgdlGame, level: int, keys: Sequence[str]) -> int:
    """The number of actions that a play of a level by keys takes."""
    if game.clicks is Clicks.WALK:
        by_clicks = clicks_of(game, level, [Action[key] for key in keys])
        return min(by_clicks, len(keys)) if game.way is Way.BOTH else by_clicks
    return len(keys)


def clicks_of(game: VgdlGame, level: int, keys: Sequence[Action]) -> int:
    """The number of clicks that a play takes: each walk covers as many keys as possible."""
    states = [game.start(level)]
    for key in keys:
        states.append(states[-1].copy(history=False))
        states[-1].advance(key)
    walks = Walks(game.avatar_keys)
    done = clicks = 0
    while done < len(keys):
        for end in range(len(keys), done, -1):
            cell = target_of(states[end - 1], keys[end - 1])
            path = walks.path(states[done], cell) if cell else []
            if path and _same(states[done], path, states[end]):
                break
        else:
            end = done + 1  # waiting or using: a click on the avatar's own cell
        done, clicks = end, clicks + 1
    return clicks


def planned(game: VgdlGame, level: int) -> list[tuple[int, str]]:
    """Wins of planners on a level with the seed that agents meet, as (actions, the planner's name)."""
    found = []
    for name in PLANNERS if game.clicks in (None, Clicks.STEP) else ():
        for seed in range(ROUNDS):
            state = game.start(level)
            controller: Any = None
            while not state.is_over:
                shown = state.copy(seed=state.tick, history=False)
                shown.meter = Meter()
                timer = Timer(budget_calls=CALLS, meter=shown.meter)
                if controller is None:
                    make: Any = load(name)
                    controller = make(shown, timer, player=0, seed=seed)
                    continue
                state.advance(controller.act(shown, timer))
            if state.winner == 1:
                found.append((state.tick + 1, name))
    return found


def _same(state: StateObservation, path: Sequence[Action], expected: StateObservation) -> bool:
    after = state.copy(history=False)
    after.rollout(path)
    return after.winner == 1 if expected.is_over else not after.is_over and after.key() == expected.key()


def _wins(game: VgdlGame, level: int, keys: Sequence[str]) -> bool:
    """Whether a recorded play wins the level with the chance events that agents meet."""
    state = game.start(level)
    for key in keys:
        replay.advance(state, [key])
    return state.winner == 1


def _read() -> list[dict[str, Any]]:
    return list(json.loads(FILE.read_text(encoding="utf-8"))["games"]) if FILE.is_file() else []


def _write(entries: Sequence[dict[str, Any]]) -> None:
    rows = ",\n  ".join(json.dumps(entry) for entry in sorted(entries, key=lambda entry: (entry["game"], entry["way"])))
    facts = json.dumps({"factor": FACTOR, "calls": CALLS, "rounds": ROUNDS}).removesuffix("}")
    FILE.write_text(f'{facts}, "games": [\n  {rows}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
