"""One run: an agent learns a game and is judged by levels that it has never seen (learning, 2)."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from vgdl import Action, StateObservation, Winner
from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.seeds import derive, derive_key
from vgdl.competition.tracks.learning.players import Player
from vgdl.competition.tracks.learning.rows import DISQUALIFIED_SCORE, Ending, Phase, PlayRow, RunKey, RunRow
from vgdl.competition.tracks.learning.rules import LearningRules, Profile, next_mark
from vgdl.competition.tracks.learning.views import Course
from vgdl.replay import stir

LAST_WORDS_MS = 1_000.0
"""Time for ``result`` once a learning budget of time is spent."""

_ENDINGS = {Winner.PLAYER_WINS: Ending.WON, Winner.PLAYER_LOSES: Ending.LOST, Winner.NO_WINNER: Ending.NO_WINNER}


@dataclass(slots=True)
class _Record:
    """A play in progress."""

    phase: Phase
    level: int
    steps: int  #: of training, before the play
    stirring: str  #: key of its random events
    ticks: int = 0
    late: int = 0
    used_ms: float = 0.0
    is_given_up: bool = False


class Lesson:
    """A run. Iterate over ``plays()``; afterwards, ``failure`` says whether the agent was disqualified."""

    def __init__(
        self,
        key: RunKey,
        course: Course,
        rules: LearningRules,
        player: Player,
        secret: int,
        *,
        on_step: Callable[[int], None] = lambda steps: None,
    ) -> None:
        """Prepare a run.

        Args:
            key: which run it is.
            course: the game.
            rules: the rules.
            player: the agent, not yet constructed.
            secret: the competition's secret, from which the plays' seeds derive. They depend on the game, the level,
                the repeat and the number of the play, not on the agent.
            on_step: called with the experience after every tick of training.
        """
        self.key = key
        self.steps = 0  #: ticks of training
        self.training_ms = 0.0  #: the agent's time in training plays
        self.late = 0  #: late answers in training and validation
        self.probe_failures = 0  #: probes in which the copy failed
        self.failure: AgentFailed | None = None
        self._course, self._rules, self._player, self._secret = course, rules, player, secret
        self._lots = random.Random(derive(secret, "levels by lot", key.game, key.repeat))
        self._on_step = on_step
        self._mark = next_mark(0) if rules.probes and player.can_fork else None
        self._counts = dict.fromkeys(Phase, 0)
        self._on_level = dict.fromkeys(rules.training, 0)
        self._open: tuple[StateObservation, _Record] | None = None  # the play in progress

    def plays(self) -> Iterator[PlayRow]:
        """Play the whole run; yields every play as it ends, and probes before the play that they interrupt."""
        try:
            self._player.construct(self._course)
            yield from self._train()
            yield from self._validate()
        except AgentFailed as failure:
            self.failure = failure
            if self._open is not None:
                yield self._row(*self._open, Ending.DISQUALIFIED)
            yield from self._forfeited()

    def run_row(self, *, seed: int, isolation: str, seconds: float) -> RunRow:
        """The row of the run, once it has ended.

        Args:
            seed: of the agent.
            isolation: the level of isolation; empty for none.
            seconds: wall time of the run.
        """
        return RunRow(
            agent=self.key.agent,
            game=self.key.game,
            repeat=self.key.repeat,
            seed=seed,
            steps=self.steps,
            training_ms=self.training_ms,
            late=self.late,
            cause=self.failure.cause if self.failure else "",
            details=self.failure.details if self.failure else "",
            probe_failures=self.probe_failures,
            isolation=isolation,
            seconds=seconds,
        )

    # ---------------------------------------------------------------------------------------------------- training

    def _train(self) -> Iterator[PlayRow]:
        wish: int | None = None
        for level in self._rules.training:  # phase 1
            if not self._is_spent:
                wish = yield from self._training_play(level)
        while wish is not None and not self._is_spent:  # phase 2
            if wish not in self._rules.training:
                wish = self._lots.choice(self._rules.training)
            wish = yield from self._training_play(wish)

    def _training_play(self, level: int) -> Generator[PlayRow, None, int | None]:
        """Play a training level; returns the level that the agent wants next."""
        state, record = self._begin(self._player, Phase.TRAINING, level, self._on_level[level])
        self._on_level[level] += 1
        while not (self._is_finished(state, record) or self._is_spent):
            self._tick(self._player, state, record)
            self.steps += 1
            self._on_step(self.steps)
            if not (self._is_finished(state, record) or self._is_spent):
                yield from self._probe_if_due()
        limit_ms = self._rules.result_ms
        if self._rules.profile is Profile.TIME:
            limit_ms = max(LAST_WORDS_MS, 1000.0 * self._rules.seconds - self.training_ms)
        wish = self._player.result(state, level, limit_ms, validation=False)
        self._charge(record, wish.used_ms)
        yield self._end(state, record)
        if not self._is_spent:  # else the validation shows the same agent
            yield from self._probe_if_due()
        return wish.level

    @property
    def _is_spent(self) -> bool:
        """Whether the learning budget is spent."""
        if self._rules.profile is Profile.TIME:
            return self.training_ms >= 1000.0 * self._rules.seconds
        return self.steps >= self._rules.steps

    # ------------------------------------------------------------------------------------------------------ probes

    def _probe_if_due(self) -> Iterator[PlayRow]:
        """Probe the agent if its experience has just passed a mark: a copy of it plays the validation levels."""
        if self._mark is None or self.steps < self._mark:
            return
        self._mark = next_mark(self.steps)
        interrupted = self._open
        try:
            with self._player.fork() as copy:
                for number in range(self._rules.probes):
                    for level in self._rules.validation:
                        yield self._judged_play(copy, Phase.PROBE, level, number)
        except AgentFailed:
            self.probe_failures += 1
            if self._open is not None and self._open is not interrupted:
                yield self._row(*self._open, Ending.DISQUALIFIED)
        finally:
            self._open = interrupted

    # -------------------------------------------------------------------------------------------------- validation

    def _validate(self) -> Iterator[PlayRow]:
        for number in range(self._rules.rounds):
            for level in self._rules.validation:
                if self._rules.frozen:
                    with self._player.fork() as copy:
                        row = self._judged_play(copy, Phase.VALIDATION, level, number)
                else:
                    row = self._judged_play(self._player, Phase.VALIDATION, level, number)
                yield row

    def _judged_play(self, player: Player, phase: Phase, level: int, number: int) -> PlayRow:
        """Play a validation level."""
        state, record = self._begin(player, phase, level, number)
        while not self._is_finished(state, record):
            self._tick(player, state, record)
        limit_ms = LAST_WORDS_MS if self._rules.profile is Profile.TIME else self._rules.result_ms
        self._charge(record, player.result(state, level, limit_ms, validation=True).used_ms)
        return self._end(state, record)

    def _forfeited(self) -> Iterator[PlayRow]:
        """The validation plays that a disqualified agent does not play."""
        for number in range(self._counts[Phase.VALIDATION], self._rules.rounds * len(self._rules.validation)):
            level = self._rules.validation[number % len(self._rules.validation)]
            yield self._play_row(Phase.VALIDATION, number, level, Ending.DISQUALIFIED, DISQUALIFIED_SCORE)

    # ------------------------------------------------------------------------------------------------------- plays

    def _begin(self, player: Player, phase: Phase, level: int, number: int) -> tuple[StateObservation, _Record]:
        """Begin a play; its random events depend on game, repeat, phase, level and number only."""
        labels = (self.key.game, self.key.repeat, phase, level, number)
        state = self._course.boards[level].start(derive(self._secret, "play", *labels))
        record = _Record(phase, level, self.steps, derive_key(self._secret, "stirring", *labels))
        self._open = state, record
        self._charge(record, player.init(state, level, validation=phase is not Phase.TRAINING))
        return state, record

    def _tick(self, player: Player, state: StateObservation, record: _Record) -> None:
        choice = player.act(state, record.level, validation=record.phase is not Phase.TRAINING)
        self._charge(record, choice.used_ms)
        record.late += choice.is_late
        if choice.action is Action.ESCAPE:
            record.is_given_up = True
            return
        stir(state, record.stirring)
        state.advance(choice.action)
        record.ticks += 1

    def _is_finished(self, state: StateObservation, record: _Record) -> bool:
        return state.is_over or record.is_given_up or record.ticks >= self._rules.longest

    def _charge(self, record: _Record, used_ms: float) -> None:
        record.used_ms += used_ms
        if record.phase is Phase.TRAINING:
            self.training_ms += used_ms

    def _end(self, state: StateObservation, record: _Record) -> PlayRow:
        ending = Ending.CUT
        if record.is_given_up:
            ending = Ending.LOST
        elif state.is_over:
            ending = _ENDINGS[state.winner]
        if record.phase is not Phase.PROBE:
            self.late += record.late
        return self._row(state, record, ending)

    def _row(self, state: StateObservation, record: _Record, ending: Ending) -> PlayRow:
        number = self._counts[record.phase]
        self._counts[record.phase] += 1
        self._open = None
        score = DISQUALIFIED_SCORE if ending is Ending.DISQUALIFIED else state.score
        if ending is Ending.WON and score <= 0:
            score = 1.0  # as in the planning track (engine, 7.10)
        return self._play_row(record.phase, number, record.level, ending, score, record)

    def _play_row(
        self, phase: Phase, number: int, level: int, ending: Ending, score: float, record: _Record | None = None
    ) -> PlayRow:
        """The row of a play; without a record, of one that was not begun."""
        return PlayRow(
            agent=self.key.agent,
            game=self.key.game,
            repeat=self.key.repeat,
            phase=phase,
            number=number,
            level=level,
            steps=record.steps if record else self.steps,
            ticks=record.ticks if record else 0,
            ending=ending,
            score=score,
            late=record.late if record else 0,
            used_ms=record.used_ms if record else 0.0,
        )
