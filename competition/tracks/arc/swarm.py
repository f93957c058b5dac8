"""A swarm: one agent plays many games on one card, each game in its own thread (arc, 8)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.arc.agents import FrameAgent, Task
from vgdl.competition.tracks.arc.environment import Arc, Environment
from vgdl.competition.tracks.arc.errors import CommandError
from vgdl.competition.tracks.arc.frame import RESET, Frame, State
from vgdl.competition.tracks.arc.recording import RecordedEnvironment, Recorder

MakeAgent = Callable[[Task], FrameAgent]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a play."""

    actions: int | None = 80  #: including RESETs after the first one; None: any number
    seconds: float | None = None


@dataclass(slots=True)
class Progress:
    """The progress of a game's play; written by its thread, read by others."""

    game_id: str
    title: str
    levels: int = 0
    levels_completed: int = 0
    actions: int = 0
    state: str = State.NOT_PLAYED
    guid: str = ""
    error: str = ""  #: reason why the play was aborted
    done: bool = False


@dataclass(slots=True)
class Swarm:
    """The plays of one agent.

    Attributes:
        arc: the games and their card; the caller closes it.
        games: ids of the games.
        make_agent: makes the agent of a game.
        limits: limits of each play.
        jobs: number of games in parallel.
        recorder: writes recordings, if given.
        progress: progress of each game, in the order of ``games``.
    """

    arc: Arc
    games: Sequence[str]
    make_agent: MakeAgent
    limits: Limits
    jobs: int
    recorder: Recorder | None = None
    progress: list[Progress] = field(init=False)
    _stop: threading.Event = field(init=False, default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Initialise the progress of all games."""
        titles = {info.game_id: info.title for info in self.arc.games}
        self.progress = [Progress(game, titles.get(game, game)) for game in self.games]

    def run(self, watch: Callable[[], None] = lambda: None) -> None:
        """Play all games.

        A failing agent or connection ends the play of its game; ``Progress.error`` says why.

        Args:
            watch: called about five times a second.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the plays have ended after their current actions.
        """
        with ThreadPoolExecutor(self.jobs, thread_name_prefix="arc-play") as threads:
            try:
                left: set[Future[None]] = {threads.submit(self._play, progress) for progress in self.progress}
                while left:
                    ended, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
                    for future in ended:
                        future.result()
                    watch()
            except BaseException:
                self._stop.set()
                threads.shutdown(wait=True, cancel_futures=True)
                raise

    def _play(self, progress: Progress) -> None:
        """Play one game."""
        environment: Environment | None = None
        try:
            environment = self.arc.make(progress.game_id)
            if self.recorder:
                environment = RecordedEnvironment(environment, self.recorder)
            self._play_on(environment, progress)
        except (CompetitionError, CommandError, LookupError, ImportError) as error:
            progress.error = str(error)
        except Exception as error:  # agents are arbitrary programs
            progress.error = f"{type(error).__name__}: {error}"
        finally:
            progress.done = True
            progress.guid = environment.guid if environment else ""

    def _play_on(self, environment: Environment, progress: Progress) -> None:
        began = time.monotonic()
        frame = environment.reset()
        task = Task(environment.info.game_id, frame.available_actions, frame.win_levels)
        agent = self.make_agent(task)
        _note(progress, frame)
        while frame.state != State.WIN and not self._is_over(progress, began):
            act = agent.act(frame)
            if act.id == RESET or frame.state == State.GAME_OVER:
                frame = environment.reset()
            else:
                frame = environment.step(act.id, act.x, act.y, act.reasoning)
            progress.actions += 1
            _note(progress, frame)

    def _is_over(self, progress: Progress, began: float) -> bool:
        limits = self.limits
        return (
            self._stop.is_set()
            or (limits.actions is not None and progress.actions >= limits.actions)
            or (limits.seconds is not None and time.monotonic() - began >= limits.seconds)
        )


def _note(progress: Progress, frame: Frame) -> None:
    progress.levels = frame.win_levels
    progress.levels_completed = frame.levels_completed
    progress.state = frame.state
