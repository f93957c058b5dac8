"""Find the rules that a log obeys by replaying it with every combination of the three flags (specification 13.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from vgdl.competition.tracks.othello.board import BLACK, COLOURS, WHITE, count, notation, opponent, playable
from vgdl.competition.tracks.othello.logs import Transcript
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import Stage


@dataclass(frozen=True, slots=True)
class Fit:
    """The result for a log and one combination of rules."""

    ignore_occlusion: bool
    fewer_pieces_continue: bool
    fewest_wins: bool
    problem: str | None  #: where the log deviates from these rules; None if it obeys them

    @property
    def rules(self) -> str:
        """The rules in words."""
        names = {
            "ignore occlusion": self.ignore_occlusion,
            "fewer pieces continue": self.fewer_pieces_continue,
            "fewest wins": self.fewest_wins,
        }
        return ", ".join(name for name, is_set in names.items() if is_set) or "standard"


def fits(transcript: Transcript, stage: Stage) -> list[Fit]:
    """All eight combinations of rules, the standard ones first.

    Args:
        transcript: the game.
        stage: gives the initial board if the log does not; its flags are not used.
    """
    found = []
    for occlusion, fewer, fewest in product((False, True), repeat=3):
        variant = replace(stage, ignore_occlusion=occlusion, fewer_pieces_continue=fewer, fewest_wins=fewest)
        found.append(Fit(occlusion, fewer, fewest, next(_problems(transcript, variant), None)))
    return found


def _problems(transcript: Transcript, stage: Stage) -> Iterator[str]:
    """Deviations of a game from a stage's rules, in order."""
    rules = Rules(stage)
    board = transcript.initial_board or stage.board()
    due = BLACK
    for number, ply in enumerate(transcript.plies, start=1):
        move = f"move {number}, {COLOURS[ply.player]} {notation(ply.cell)}"
        if due != ply.player:
            yield f"{move}: " + (f"it is {COLOURS[due]}'s turn" if due else "the game is over")
            return
        played = rules.simulate(board, ply.player, *ply.cell)
        if played.resulting_board is None:
            yield f"{move}: illegal"
            return
        board = played.resulting_board
        if ply.board_after is not None and ply.board_after != board:
            yield f"{move}: the board after it is another"
            return
        due = rules.next_player(board, ply.player)
    black, white = count(board, BLACK), count(board, WHITE)
    winner = rules.winner(board)
    if transcript.forfeit is not None:
        winner = opponent(transcript.forfeit)
        black, white = (playable(board), 0) if winner == BLACK else (0, playable(board))
    elif due:
        yield f"after {len(transcript.plies)} moves it is {COLOURS[due]}'s turn, but the log ends"
        return
    if transcript.scores not in (None, (black, white)):
        yield f"the final score is {black}-{white}"
    if transcript.winner not in (None, winner):
        yield f"{COLOURS[winner]} wins" if winner else "the game is a tie"
