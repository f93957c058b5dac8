"""What a session of the planning track needs besides its plays: a sandbox, and replay files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vgdl import replay
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.entrants import files_of
from vgdl.competition.tracks.planning.controller_adapter import service
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord


def sandbox_for(plan: Plan, isolation: str, hidden: Sequence[Path] = (), packages: Sequence[Path] = ()) -> Sandbox:
    """The best sandbox that works here, or the requested one; it is tested with a real process.

    Args:
        plan: what is played.
        isolation: a level, or ``auto``.
        hidden: files and folders that controllers must not see, besides the games.
        packages: folders that controllers in them see as a whole.

    Raises:
        IsolationError: no process can be started so.
        FilesRefused: a controller asks for files that are hidden.
    """
    sight = view(files_of(plan.entries), (*plan.hidden, *hidden), packages)
    return working_sandbox(plan.entries, service(plan.rules), plan.restrictions, sight, isolation)


def hiding(sandbox: Sandbox, plan: Plan, hidden: Sequence[Path], packages: Sequence[Path] = ()) -> Sandbox:
    """The sandbox with more files of the competition hidden from controllers.

    Raises:
        FilesRefused: a controller asks for one of them.
    """
    hiding = replace(sandbox, view=view(files_of(plan.entries), (*plan.hidden, *hidden), packages))
    for entry in plan.entries:
        hiding.of(entry.location)
    return hiding


def write_replay(folder: Path, competition: Competition, record: PlayRecord) -> None:
    """Write the replay file of a play."""
    fixture, result = competition.fixtures[record.fixture], record.result
    board = competition.boards.games[fixture.game].drawn(result.seed).board(fixture.level)
    state = replay.simulate(board, result.seed, record.actions, result.stirring)
    played = replay.record(state, result.seed, record.actions, controllers=fixture.names, stirring=result.stirring)
    replay.write(played, folder / f"{played.level}_play{fixture.repeat}_{'_'.join(fixture.names)}.json")
