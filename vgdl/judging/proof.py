"""Proofs that levels can be won: replays, played again by another process.

The process reads JSON from its standard input, a list of objects with the texts of a game and a level and the actions
of a play, and prints the outcome of each. It shares nothing with the judge but the texts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from vgdl.game import Board, loads
from vgdl.judging.plays import Played, outcome_of


class ProofError(RuntimeError):
    """The other process gave no verdict; the message says why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A play that is said to be won."""

    game: str  #: text
    level: str  #: text
    seed: int
    actions: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, board: Board, played: Played) -> Claim:
        """The claim that a play on a board is won."""
        return cls(board.game.text, board.level.source.text, played.seed, played.actions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a play, as another process saw it."""

    outcome: str  #: as `Played.outcome`
    score: float
    ticks: int

    def agrees(self, played: Played) -> bool:
        """Whether this is the end of a play that was recorded."""
        return (self.outcome, self.score, self.ticks) == (played.outcome, played.score, played.ticks)


def verify(claims: Sequence[Claim], timeout_s: float = 600.0) -> list[Outcome]:
    """Play all claims again in another process.

    Args:
        claims: plays of games without open parameters.
        timeout_s: seconds after which to give up.

    Raises:
        ProofError: the process failed.
    """
    if not claims:
        return []
    try:
        answer = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            input=json.dumps([asdict(claim) for claim in claims]),
            capture_output=True,
            text=True,
            check=True,
            timeout=timeout_s,
        )
        return [Outcome(**row) for row in json.loads(answer.stdout)]
    except subprocess.TimeoutExpired:
        raise ProofError(f"no verdict within {timeout_s:g} s") from None
    except subprocess.CalledProcessError as error:
        raise ProofError(f"the process ended with status {error.returncode}: {error.stderr[-2000:]}") from None


def outcome(claim: Claim) -> Outcome:
    """Play a claim in this process."""
    level = claim.level if claim.level.endswith("\n") else f"{claim.level}\n"
    state = loads(claim.game).board(level).start(claim.seed)
    ticks = state.rollout(claim.actions)
    return Outcome("failed" if state.error else outcome_of(state), float(state.score), ticks)


def main() -> None:
    """Read claims from standard input and print their outcomes."""
    claims = [
        Claim(row["game"], row["level"], row["seed"], tuple(tuple(tick) for tick in row["actions"]))
        for row in json.load(sys.stdin)
    ]
    json.dump([asdict(outcome(claim)) for claim in claims], sys.stdout)


if __name__ == "__main__":
    main()
