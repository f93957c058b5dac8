"""Run by the official toolkit's own interpreter: plays on our server as its documentation shows, and prints what it saw.

python toolkit_play.py URL online|competition
"""

import json
import logging
import random
import sys
from collections.abc import Callable
from typing import Any

from arc_agi import Arcade, OperationMode  # type: ignore[import-not-found]
from arcengine import GameAction, GameState  # type: ignore[import-not-found]

url, mode = sys.argv[1:]
log = logging.getLogger("arc")
log.addHandler(logging.StreamHandler(sys.stderr))
log.setLevel(logging.WARNING)
told: dict[str, Any] = {"played": {}}


def play(environment: Any, actions: int) -> Any:
    """Random actions with data and reasoning, RESET where the game is lost; returns what the answers were."""
    frame = environment.observation_space
    for step in range(actions):
        if frame.state == GameState.WIN and mode == "competition":
            break
        if frame.state in (GameState.GAME_OVER, GameState.WIN):
            frame = environment.step(GameAction.RESET)
        else:
            action = GameAction.from_id(random.choice(frame.available_actions))
            frame = environment.step(action, data={"x": step % 64, "y": 30}, reasoning={"step": step, "why": "é"})
        assert frame is not None, step
        assert frame.frame[-1].shape == (64, 64)
    return frame


random.seed(1)
arcade = Arcade(arc_api_key="toolkit", arc_base_url=url, operation_mode=OperationMode(mode), logger=log)
told["games"] = [info.game_id for info in arcade.get_environments()]
card = arcade.create_scorecard(tags=["toolkit"], source_url="https://example.org", opaque={"a": 1})
for game_id in told["games"][:2]:
    environment = arcade.make(game_id.split("-")[0], scorecard_id=card, save_recording=True)
    frame = play(environment, 80)
    told["played"][game_id] = [frame.state.name, frame.levels_completed, frame.win_levels, frame.guid]
    if frame.state != GameState.WIN:
        assert environment.reset() is not None
if mode == "online":
    told["card"] = json.loads(arcade.get_scorecard(card).model_dump_json())
else:
    calls: dict[str, Callable[[], object]] = {
        "second card": lambda: arcade.create_scorecard(),
        "card": lambda: arcade.get_scorecard(card),
    }
    for what, call in calls.items():
        try:
            call()
        except Exception as error:  # of the toolkit's HTTP library
            told[what] = error.response.status_code  # type: ignore[attr-defined]
    told["second session"] = arcade.make(told["games"][0], scorecard_id=card).observation_space is None
told["final"] = json.loads(arcade.close_scorecard(card).model_dump_json())
print(json.dumps(told))
