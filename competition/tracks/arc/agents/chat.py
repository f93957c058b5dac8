"""`chat`: a language model chooses the actions, or helps `experimenter` when that is stuck.

The model gets the areas of the frame as text, what its actions did, a scratch pad, and the rules that it has written
down; these are kept from level to level. It answers with one JSON object: a few actions, or regions to look at first.
An answer that cannot be used is a wasted request; without requests, `experimenter` plays on.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.chat.accounts import Accounts, LimitReached, Limits
from vgdl.competition.chat.cache import Cache
from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.chat.model import (
    ChatModel,
    EndpointUnreachable,
    Message,
    RequestRefused,
    Sampling,
    TransportError,
)  # fmt: skip
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.experimenter import Experimenter
from vgdl.competition.tracks.arc.agents.screen import Pixels, last_layer
from vgdl.competition.tracks.arc.agents.segments import segments
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, Frame, State
from vgdl.competition.tracks.arc.shown import image
from vgdl.render import png

VERSION = "2"  #: of the prompt; other versions do not share cached replies
PLAYER = "chat"  #: the only one of a session
LOOKS = 3  #: requests of a turn that may ask for regions
MOST_ACTIONS = 8  #: actions of an answer
MOST_AREAS = 60  #: areas that are listed
MOST_REGION = 32  #: pixels per side of a region
SCALE = 8  #: pixels of a picture per side of a frame's pixel
MOST_NOTES = 2000  #: characters of the scratch pad
MOST_RULES, RULE = 12, 200  #: rules, and characters of one

PICTURES = {
    1: "The picture shows the present frame.",
    2: "The pictures show the frame before the last action and the present one.",
}  #: by their number

SYSTEM = """\
You play an unknown game. Its picture has 64x64 pixels in 16 colours, numbered 0 to 15; x goes right, y goes down. \
Nobody has told you the rules: find out what the actions do and what finishes a level, in as few actions as you can.

Actions: 1 to 4 are usually up, down, left and right, 5 is special, 6 is a click at x and y, 7 takes back the last \
action, 0 restarts the level.

Answer with one JSON object and nothing else. Its members:
  "notes": your scratch pad, which replaces the one before;
  "rules": a list of sentences about the game that you are sure of; they are kept for later levels;
  "look": a list of regions such as {"x": 0, "y": 0, "width": 16, "height": 16} that you want to see pixel by pixel; \
with "changes": true, only what the last action changed is shown, and "." stands for the rest; or
  "actions": a list of up to 8 actions, each as [number], or [6, x, y] for a click."""


class Chat(FrameAgent):
    """Asks a model.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``; it is part of the key under which replies are cached.
        endpoint: how the model is asked; its limits are those of a play.
        hybrid: whether ``experimenter`` plays, and the model is asked only when that has found no new frame for
            ``patience`` actions.
        patience: see ``hybrid``.
        requests: most requests of a play.
        tokens: most tokens of a play, prompts and replies together; None for no limit.
        cache: a file of replies; by default they are not kept.
        pictures: whether the model is shown the frame before its last action and the present one as pictures of
            512×512 pixels. It has to accept pictures.

    Raises:
        ChatError: the package ``openai`` is missing, or the address or the cache cannot be used.
    """

    def __init__(
        self,
        task: Task,
        seed: int = 0,
        *,
        endpoint: Endpoint,
        hybrid: bool = False,
        patience: int = 60,
        requests: int = 100,
        tokens: int | None = None,
        cache: str | None = None,
        pictures: bool = False,
    ) -> None:
        super().__init__(task, seed)
        self.seed = seed
        self.model: ChatModel = OpenAIChat.of(endpoint)
        accounts = Accounts(Limits(requests, tokens), {PLAYER: endpoint.price}, {PLAYER: endpoint.limits})
        self.session = ChatSession(Cache(Path(cache) if cache else None), accounts)
        self.explorer = Experimenter(task, seed)
        self.hybrid, self.patience, self.shows_pictures = hybrid, patience, pictures
        self.is_over = False  #: whether nothing more is asked
        self.notes = ""
        self.rules: list[str] = []
        self.plan: deque[Act] = deque()
        self.events: list[str] = []  #: what happened since the last request
        self.before: Pixels | None = None
        self.latest: Act | None = None
        self.level = 0
        self.n_asked = 0
        self.n_frames = 0
        self.stale = 0  #: actions since a new frame was found

    def act(self, frame: Frame) -> Act:
        pixels = last_layer(frame)
        self._note(frame, pixels)
        if frame.state == State.GAME_OVER:
            self.plan.clear()
            self.explorer.see(frame)
            return self._done(Act(RESET), pixels)
        if self._is_mine():
            self.explorer.see(frame)
            if not self.plan:
                self.plan.extend(self._ask(frame, pixels))
            if self.plan:
                act = self.plan.popleft()
                self.explorer.took(act)
                return self._done(act, pixels)
            return self._done(self.explorer.choose(), pixels)
        return self._done(self.explorer.act(frame), pixels)

    def _is_mine(self) -> bool:
        """Whether the model is to be asked, or has a plan."""
        if self.is_over and not self.plan:
            return False
        return not self.hybrid or bool(self.plan) or self.stale >= self.patience

    def _done(self, act: Act, pixels: Pixels) -> Act:
        self.before, self.latest = pixels, act
        return act

    def _note(self, frame: Frame, pixels: Pixels) -> None:
        """Write down what the latest action did."""
        n_frames = len(self.explorer.graph.nodes)
        self.stale = 0 if n_frames != self.n_frames else self.stale + 1
        self.n_frames = n_frames
        if self.latest is None or self.before is None:
            return
        what = f"{[self.latest.id]}" if self.latest.id != CLICK else f"[6, {self.latest.x}, {self.latest.y}]"
        if frame.levels_completed > self.level:
            self.events.append(f"{what}: level {frame.levels_completed} is finished")
            self.level = frame.levels_completed
            self.plan.clear()
        elif frame.state == State.GAME_OVER:
            self.events.append(f"{what}: the level is lost, and begins anew")
        else:
            changed = np.argwhere(pixels != self.before)
            self.events.append(f"{what}: {_box(changed)}")
            if not len(changed):
                self.plan.clear()
        del self.events[: -2 * MOST_ACTIONS]

    # ---------------------------------------------------------------------------------------------------- the model

    def _ask(self, frame: Frame, pixels: Pixels) -> list[Act]:
        """The model's next actions; none if its answers cannot be used, or no more requests are allowed."""
        asked: Message = {"role": "user", "content": self._in_words(frame, pixels)}
        if self.shows_pictures:
            frames = [pixels] if self.before is None or not self.events else [self.before, pixels]
            asked["pictures"] = [base64.b64encode(png.encode(image(each, SCALE))).decode() for each in frames]
            asked["content"] += f"\n\n{PICTURES[len(frames)]}"
        messages: list[Message] = [{"role": "system", "content": SYSTEM}, asked]
        self.stale = 0
        for _ in range(LOOKS):
            answer = self._answer(messages)
            if answer is None:
                return []
            actions = self._actions(answer.get("actions"))
            self._keep(answer)
            if actions:
                self.events.clear()
                return actions
            shown = _regions(answer.get("look"), pixels, self.before)
            words = shown or 'That is no answer of the form asked for: give "actions".'
            messages += [
                {"role": "assistant", "content": json.dumps(answer)[:MOST_NOTES]},
                {"role": "user", "content": words},
            ]
        return []

    def _answer(self, messages: Sequence[Message]) -> dict[str, Any] | None:
        """The object in the model's reply, an empty one if there is none; None if it cannot be asked."""
        if self.is_over:
            return None
        self.n_asked += 1
        key = (self.task.game_id, self.seed, self.n_asked)
        try:
            reply = self.session.ask(
                self.model, messages, Sampling(), version=VERSION, key=key, label=self.task.game_id, player=PLAYER
            )
        except (LimitReached, RequestRefused, EndpointUnreachable):
            self.is_over = True
            return None
        except TransportError:
            return None
        return parsed(reply.answer)

    def _in_words(self, frame: Frame, pixels: Pixels) -> str:
        """The message that describes the present state."""
        found = sorted(segments(pixels), key=lambda area: -area.area)
        listed = [
            f"colour {area.colour}: {area.width}x{area.height} at ({area.left}, {area.top}), {area.area} pixels"
            for area in found[:MOST_AREAS]
        ]
        more = f"... and {len(found) - MOST_AREAS} smaller ones" if len(found) > MOST_AREAS else ""
        parts = [
            f"Level {frame.levels_completed + 1} of {frame.win_levels}. Actions of this game: "
            f"{list(self.task.available_actions)}.",
            "Your rules:\n" + "\n".join(f"- {rule}" for rule in self.rules) if self.rules else "",
            f"Your notes:\n{self.notes}" if self.notes else "",
            "What happened:\n" + "\n".join(self.events) if self.events else "",
            "The connected areas of one colour, the largest first:\n" + "\n".join([*listed, more]).strip(),
        ]
        return "\n\n".join(part for part in parts if part)

    def _keep(self, answer: dict[str, Any]) -> None:
        notes, rules = answer.get("notes"), answer.get("rules")
        if isinstance(notes, str):
            self.notes = printable(notes, MOST_NOTES)
        if isinstance(rules, list):
            self.rules = [printable(rule, RULE) for rule in rules if isinstance(rule, str)][:MOST_RULES]

    def _actions(self, listed: object) -> list[Act]:
        """The valid actions at the beginning of a list."""
        actions: list[Act] = []
        for item in listed if isinstance(listed, list) else []:
            parts = item if isinstance(item, list) else [item]
            if not parts or any(type(part) is not int for part in parts) or len(actions) == MOST_ACTIONS:
                break
            number, place = parts[0], parts[1:]
            if number == CLICK and len(place) == 2 and all(0 <= part < SIZE for part in place):
                act = Act(CLICK, *place)
            elif number != CLICK and not place:
                act = Act(number)
            else:
                break
            may_reset = number == RESET and not actions and self.explorer.since > 0
            if number not in self.task.available_actions and not may_reset:
                break
            actions.append(act)
        return actions


def parsed(text: str) -> dict[str, Any]:
    """The JSON object in a text; an empty one if there is none."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _box(changed: np.ndarray[Any, Any]) -> str:
    """Where pixels changed."""
    if not len(changed):
        return "nothing changed"
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    return f"{len(changed)} pixels changed, within x {left} to {right} and y {top} to {bottom}"


def _regions(listed: object, pixels: Pixels, before: Pixels | None) -> str:
    """The regions asked for, a hexadecimal digit per pixel; empty if there is none that can be shown.

    Where changes are asked for, a dot stands for each pixel that is as it was ``before``.
    """
    sections = []
    for region in listed[:LOOKS] if isinstance(listed, list) else []:
        values = [region.get(name) for name in ("x", "y", "width", "height")] if isinstance(region, dict) else []
        whole = [int(value) for value in values if type(value) is int and value >= 0]
        if len(whole) != 4:
            continue
        x, y, width, height = whole
        if not (x < SIZE and y < SIZE and width and height):
            continue
        area = slice(y, y + min(height, MOST_REGION)), slice(x, x + min(width, MOST_REGION))
        digits = np.array(list("0123456789abcdef"))[pixels[area]]
        if region.get("changes") is True and before is not None:
            digits[pixels[area] == before[area]] = "."
        sections.append(f"From ({x}, {y}):\n" + "\n".join(map("".join, digits.tolist())))
    return "\n\n".join(sections)
