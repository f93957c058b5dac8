"""A language model as a learner: it reads observations as text, and remembers what it has found out in notes.

It plays in turns, without a clock: calls and money are limited (`vgdl.competition.chat`). Each reply names the next
actions, up to `MOST_ACTIONS`, and may replace the notes, which the model sees again in every later turn, also in later
plays. That is all that it keeps, so a run can be repeated from the cache of replies.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from typing import Self

from vgdl import Action, StateObservation
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.chat.model import ChatModel, Message
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.closing import Closing
from vgdl.competition.tracks.learning.plan import ChatSettings
from vgdl.competition.tracks.learning.players import Choice, Wish
from vgdl.competition.tracks.learning.rows import RunKey
from vgdl.competition.tracks.learning.rules import LearningRules, Profile
from vgdl.competition.tracks.learning.spaces import Mode
from vgdl.competition.tracks.learning.views import Course, Views

VERSION = "1"
"""Version of the prompt, part of the key under which replies are cached."""

MOST_ACTIONS = 8
"""Actions that a reply may name."""

MOST_NOTES = 4_000
"""Characters of the notes that are kept."""

RECENT = 12
"""Ticks that a turn recounts."""

RECALLED = 20
"""Outcomes of plays that a turn recounts."""

PROMPT = """\
You play a two-dimensional video game that you have never seen. Its rules are secret: find them out by playing. The \
score, victory and defeat tell you how you are doing. Types of things have numbers; a number means the same type in \
all plays and levels of this game.

First you practise on training levels, {budget}. Then you play validation levels that you have not seen, and only \
these count: win as many as you can, then score high. A play ends after at most {longest} ticks.

Every turn you see the game. Reply with up to {most} actions, which are played one per tick before you see the game \
again, and with your notes: what you have found out about types, actions, goals and dangers. You see nothing of \
earlier turns but your notes, the outcomes of your plays and the last few ticks, so write down all that you need. \
Notes replace the former ones; leave them out to keep those.

End your reply with these lines:
NOTES: what you know, on one line or several
ACTIONS: one or more of {actions}, separated by commas"""

_CHOICES = frozenset(action.name for action in Action) - {"ESCAPE"}

_ACTIONS = re.compile(r"^\W*ACTIONS?\W*:(.*)$", re.IGNORECASE | re.MULTILINE)
_NOTES = re.compile(r"^\W*NOTES?\W*:(.*?)(?=^\W*ACTIONS?\W*:|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)


class ChatPlayer(Closing):
    """A language model in a run."""

    can_fork = True

    def __init__(
        self,
        model: ChatModel,
        settings: ChatSettings,
        session: ChatSession,
        rules: LearningRules,
        key: RunKey,
        lot: int,
    ) -> None:
        """Prepare to ask a model; nothing is sent yet.

        Args:
            model: the model to ask.
            settings: how it is asked.
            session: cache, accounts and limits.
            rules: the rules, which the prompt explains.
            key: the run, part of the key under which replies are cached.
            lot: seed of the numbers of types.
        """
        self._model = model
        self._settings, self._session, self._rules, self._key, self._lot = settings, session, rules, key, lot
        self._copies = ""  # distinguishes the requests of copies
        self._turn = self._forks = 0
        self.notes = ""
        self._plan: deque[Action] = deque()
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._outcomes: deque[str] = deque(maxlen=RECALLED)
        self._score = 0.0
        self._views: Views | None = None
        self._plays = 0
        self._instructions = ""
        self._play = ""

    def close(self) -> None:
        """Nothing is held."""

    def construct(self, course: Course) -> None:
        """Write the instructions."""
        self._views = Views(course, self._rules, Mode(self._settings.form), None, self._lot)
        rules = self._rules
        budget = f"{rules.steps} ticks in all" if rules.profile is Profile.STEPS else f"{rules.seconds:g} s of thinking"
        self._instructions = PROMPT.format(
            budget=budget,
            longest=rules.longest,
            most=MOST_ACTIONS,
            actions=", ".join(action.name for action in course.actions),
        )

    def init(self, state: StateObservation, level: int, *, validation: bool) -> float:
        """Begin a play."""
        self._plan.clear()
        self._recent.clear()
        self._score = state.score
        self._play = f"{'Validation' if validation else 'Training'} level {level}, play {self._plays + 1}."
        return 0.0

    def act(self, state: StateObservation, level: int, *, validation: bool) -> Choice:
        """The next action of the model's last reply; if there is none left, ask it.

        Raises:
            ChatError: there is no reply, or no further one is allowed; the run can be resumed.
        """
        used_ms, is_late = 0.0, False
        if state.score != self._score and self._plan:
            self._plan.clear()  # something happened: the model should see it
        if not self._plan:
            used_ms = self._ask(state, level, validation=validation)
            is_late = not self._plan
        action = self._plan.popleft() if self._plan else Action.NIL
        self._recent.append(f"tick {state.tick}: score {state.score:g}, you chose {action.name}")
        self._score = state.score
        return Choice(action, used_ms, is_late)

    def result(self, state: StateObservation, level: int, limit_ms: float, *, validation: bool) -> Wish:
        """Remember the outcome; training levels take turns."""
        self._plays += 1
        ending = {1: "won", 0: "lost"}.get(int(state.winner), "ended without a winner")
        self._outcomes.append(f"play {self._plays}, level {level}: {ending}, score {state.score:g}, {state.tick} ticks")
        training = self._rules.training
        return Wish(training[self._plays % len(training)], 0.0)

    def fork(self) -> Self:
        """A copy, whose requests are cached apart from those of the original."""
        self._forks += 1
        twin = copy.copy(self)
        twin._plan, twin._recent, twin._outcomes = self._plan.copy(), self._recent.copy(), self._outcomes.copy()
        twin._copies = f"{self._copies}/{self._forks}"
        return twin

    def _ask(self, state: StateObservation, level: int, *, validation: bool) -> float:
        """Ask for the next actions; returns the milliseconds that the reply took."""
        assert self._views is not None
        data = self._views.show(state, level, "ACT", validation=validation)["data"]
        shown = data.decode() if isinstance(data, bytes) else str(data)
        parts = [self._play, f"Your notes:\n{self.notes or '(none yet)'}"]
        if self._outcomes:
            parts.append("Your plays so far:\n" + "\n".join(self._outcomes))
        if self._recent:
            parts.append("The last ticks:\n" + "\n".join(self._recent))
        parts.append(f"The game now:\n{shown}")
        messages: list[Message] = [
            {"role": "system", "content": self._instructions},
            {"role": "user", "content": "\n\n".join(parts)},
        ]
        self._turn += 1
        reply = self._session.ask(
            self._model,
            messages,
            self._settings.sampling,
            version=f"learning {VERSION}",
            key=(self._key.agent, self._key.game, self._key.repeat, self._copies, self._turn),
            label=self._key.game,
            player=self._key.agent,
        )
        actions, notes = read(reply.answer)
        available = [*state.actions_of(0), Action.NIL]
        self._plan.extend(action for action in actions if action in available)
        if notes:
            self.notes = notes
        return 1000.0 * reply.seconds


def read(text: str) -> tuple[list[Action], str]:
    """The actions and the notes of a reply; none if it has none. Of several lists of actions, the last one counts."""
    text = printable(text[-50_000:])
    lists = _ACTIONS.findall(text)
    names = re.findall(r"[A-Za-z]+", lists[-1].upper()) if lists else []
    actions = [Action[name] for name in names if name in _CHOICES][:MOST_ACTIONS]
    notes = _NOTES.findall(text)
    return actions, notes[-1].strip()[:MOST_NOTES] if notes else ""
