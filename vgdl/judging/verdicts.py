"""The judge of levels and games: can a level be won, what wins it without skill, what in the game is never used.

`judge_level` is the referee of the generation track as well as the service ``vgdl-check --play`` (generation, 3 and 6).
"""

from __future__ import annotations

import enum
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vgdl.game import Board, Game
from vgdl.judging.cells import Grid, novelty
from vgdl.judging.coverage import Counters, Coverage
from vgdl.judging.decisions import decisions
from vgdl.judging.description import GameDescription, describe
from vgdl.judging.exploring import explore
from vgdl.judging.feasibility import Feasibility, held_wins, idle_feasibility, static_feasibility
from vgdl.judging.plays import DO_NOTHING, JUDGES, STRONGEST, Effort, Played, play, played_plan, seed_of
from vgdl.judging.profile import Profile, profile, rule_value, wilson
from vgdl.judging.proof import Claim, Outcome, verify

SEARCH = "search"  #: the judge that a win found by exploring is credited to
PATIENT = Effort(plays=1, calls=5_000, ticks=2000)  #: the last attempt of the service on levels that no judge has won
NO_ATTEMPT = Effort(plays=0, calls=1, ticks=2000)  #: for competitions, in which the judges' plays decide
COVERED_PLAYS = 2  #: plays per judge that are replayed to count rules and types


class Verdict(enum.StrEnum):
    """Whether a level can be won.

    >>> from vgdl.judging import Verdict
    >>> Verdict("winnable") is Verdict.WINNABLE
    True
    """

    WINNABLE = "winnable"  #: there is a win, which another process has replayed
    IMPOSSIBLE = "impossible"  #: all states that can follow were seen, and none of them is a win
    NOT_WON = "not won"  #: no judge and no search has won it, which proves nothing


@dataclass(frozen=True)
class LevelJudgement:
    """What the judges found out about a level.

    >>> from vgdl.judging import Effort, describe, judge_level
    >>> game = vgdl.load("sokoban")
    >>> board = game.board("xxxxxx\\nx$A.ox\\nxxxxxx\\n")
    >>> judged = judge_level(board, describe(game), Effort(plays=1, calls=10, ticks=10), seed=1)
    >>> judged.verdict, judged.width, judged.height
    (<Verdict.IMPOSSIBLE: 'impossible'>, 6, 3)
    """

    name: str
    width: int
    height: int
    verdict: Verdict
    reason: str  #: in words
    feasibility: Feasibility
    profile: Profile
    win: Played | None  #: the proof: the shortest win
    is_verified: bool  #: another process has replayed the win
    decisions: float  #: share of ticks of the shortest win
    novelty: float  #: to the other levels
    held: Mapping[str, float]  #: share of plays that each held key wins
    unreachable: Mapping[str, int]  #: cells that the avatar cannot come to, by the types in them; empty cells are ""
    coverage: Coverage
    ticks_per_second: float  #: of random play; CPU time

    @property
    def depth(self) -> float:
        """Skill depth, 0 for a level that is not feasible."""
        return self.profile.depth if self.feasibility.is_feasible else 0.0

    @property
    def warnings(self) -> list[str]:
        """What an author should look at, in words."""
        found = []
        if self.verdict is not Verdict.WINNABLE:
            found.append(f"{self.verdict}: {self.reason}")
        idle = self.profile.result(DO_NOTHING)
        if idle.wins:
            found.append(f"doing nothing wins {idle.wins} of {idle.plays} plays")
        found += [f"holding {key} wins {share:.0%} of the plays" for key, share in self.held.items() if share > 0.2]
        blocked = {name: number for name, number in self.unreachable.items() if name}
        if blocked:
            listed = ", ".join(f"{number} × {name}" for name, number in sorted(blocked.items()))
            found.append(f"the avatar cannot walk to: {listed}")
        failures = {played.error for played in self.profile.plays if played.error}
        found += [f"a play stopped: {error}" for error in sorted(failures)]
        return found

    @property
    def plain(self) -> dict[str, Any]:
        """The judgement as JSON values, without the plays but with the actions of the winning one."""
        low, high = self.profile.difficulty
        return {
            "level": self.name,
            "width": self.width,
            "height": self.height,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "verified": self.is_verified,
            "win": None if self.win is None else _win_as_plain(self.win),
            "constraints": dict(self.feasibility.shares),
            "feasible": self.feasibility.is_feasible,
            "depth": self.profile.depth,
            "score_value": self.profile.score_value,
            "decisions": self.decisions,
            "novelty": self.novelty,
            "difficulty": [low, high],
            "held_keys": dict(self.held),
            "judges": [
                {
                    "judge": row.judge, "plays": row.plays, "wins": row.wins, "score": row.score, "ticks": row.ticks,
                    "shortest_win": row.shortest_win, "win_interval": list(wilson(row.wins, row.plays)),
                }
                for row in self.profile.judges
            ],
            "unreachable": dict(self.unreachable),
            "ticks_per_second": round(self.ticks_per_second),
            "warnings": self.warnings,
        }  # fmt: skip


def _win_as_plain(win: Played) -> dict[str, Any]:
    return {"judge": win.judge, "seed": win.seed, "ticks": win.ticks, "score": win.score}


@dataclass(frozen=True)
class GameJudgement:
    """What the judges found out about a game.

    >>> from vgdl.judging import Effort, judge_game
    >>> game = vgdl.load("sokoban")
    >>> board = game.board("xxxxxx\\nx$A.ox\\nxxxxxx\\n")
    >>> judged = judge_game(game, [board], Effort(plays=1, calls=10, ticks=10), seed=1)
    >>> judged.absent
    ()
    """

    game: Game
    description: GameDescription
    levels: tuple[LevelJudgement, ...]
    coverage: Coverage  #: of all levels

    @property
    def idle_rules(self) -> tuple[tuple[int, str], ...]:
        """The lines of the InteractionSet that fired in no play, with their numbers; empty if rules are not counted."""
        texts = {rule.line: rule.text for rule in self.description.rules}
        return tuple((line, texts.get(line, "")) for line, number in self.coverage.fired.items() if not number)

    @property
    def absent(self) -> tuple[str, ...]:
        """The types that appeared in no play."""
        return tuple(s.name for s in self.description.sprites if s.name not in self.coverage.types)

    @property
    def pairs_met(self) -> int:
        """Different ordered pairs of names whose rules fired."""
        fired = {line for line, number in self.coverage.fired.items() if number}
        return len({(rule.first, rule.second) for rule in self.description.rules if rule.line in fired})

    @property
    def plain(self) -> dict[str, Any]:
        """The judgement as JSON values."""
        return {
            "game": self.game.name,
            "levels": [level.plain for level in self.levels],
            "rules_fired": self.coverage.share,
            "rule_value": rule_value(self.pairs_met),
            "rules_that_never_fired": [{"line": line, "text": text} for line, text in self.idle_rules],
            "rules_not_counted": self.coverage.reason,
            "types_that_never_appeared": list(self.absent),
        }


def judge_game(
    game: Game,
    boards: Iterable[Board],
    effort: Effort,
    seed: int,
    progress: Callable[[LevelJudgement], None] = lambda judged: None,
    *,
    verifier: Callable[[Sequence[Claim]], Sequence[Outcome]] = verify,
) -> GameJudgement:
    """Judge a game by some of its levels.

    >>> from vgdl.judging import Effort, judge_game
    >>> game = vgdl.load("sokoban")
    >>> board = game.board("xxxxxx\\nx$A.ox\\nxxxxxx\\n")
    >>> judged = judge_game(game, [board], Effort(plays=1, calls=10, ticks=10), seed=1)
    >>> [str(level.verdict) for level in judged.levels]
    ['impossible']

    Args:
        game: the game; open parameters are drawn from ``seed``.
        boards: its levels.
        effort: of the judges.
        seed: of all plays.
        progress: called with each level's judgement.
        verifier: replays the wins, by default in another process.
    """
    game = game.drawn(seed)
    description, counters = describe(game), Counters(game)
    boards = list(boards)
    grids = [Grid.of(board.level.source.text) for board in boards]
    total = Coverage()
    levels = []
    for place, board in enumerate(boards):
        others = grids[:place] + grids[place + 1 :]
        judged = judge_level(board, description, effort, seed, others=others, counters=counters, verifier=verifier)
        total = total + judged.coverage
        levels.append(judged)
        progress(judged)
    return GameJudgement(game, description, tuple(levels), total)


def judge_level(
    board: Board,
    description: GameDescription,
    effort: Effort,
    seed: int,
    *,
    others: Sequence[Grid] = (),
    counters: Counters | None = None,
    judges: Sequence[str] = JUDGES,
    last_attempt: Effort = PATIENT,
    verifier: Callable[[Sequence[Claim]], Sequence[Outcome]] = verify,
) -> LevelJudgement:
    """Judge one level.

    >>> from vgdl.judging import Effort, describe, judge_level
    >>> game = vgdl.load("sokoban")
    >>> board = game.board("xxxxxx\\nx$A.ox\\nxxxxxx\\n")
    >>> print(judge_level(board, describe(game), Effort(plays=1, calls=10, ticks=10), seed=1).reason)
    none of the 7 states that can follow is a win

    Args:
        board: the level.
        description: of its game.
        effort: of the judges.
        seed: of all plays.
        others: levels with which novelty compares it.
        counters: of the game, to count rules and types; None leaves that out.
        judges: who plays, the weakest first.
        last_attempt: of the strongest judge, if nothing else has won.
        verifier: replays the win, by default in another process.
    """
    grid = Grid.of(board.level.source.text)
    found = profile(board, effort, seed, judges)
    start = board.start(seed_of(seed, 0))
    exploration = explore(start, description, ticks=last_attempt.ticks)
    wins = list(found.wins)
    if exploration.plan is not None:
        wins.append(played_plan(board, SEARCH, seed_of(seed, 0), exploration.plan))
    if not wins and not exploration.exhausted:
        attempts = (_last(board, seed_of("last", seed, number), last_attempt) for number in range(last_attempt.plays))
        wins = [played for played in attempts if played.won][:1]
    win = min((played for played in wins if played.won), key=lambda played: played.ticks, default=None)
    verified = win is not None and verifier([Claim.of(board, win)])[0].agrees(win)
    static, idle = static_feasibility(grid, description), idle_feasibility(board, seed)
    feasibility = Feasibility({**static.shares, **idle.shares})
    feasibility = feasibility.with_wins(win.ticks if win is not None and verified else None)
    verdict, reason = _verdict(win, verified, exploration.exhausted, exploration.states)
    covered = [p for judge in judges for p in [q for q in found.plays if q.judge == judge][:COVERED_PLAYS]]
    if win is not None and win not in covered:
        covered.append(win)
    return LevelJudgement(
        board.name,
        grid.width,
        grid.height,
        verdict,
        reason,
        feasibility,
        found,
        win if verified else None,
        verified,
        decisions(board, win, exploration) if win is not None and start.n_players == 1 else 0.0,
        novelty(grid, others, description),
        held_wins(board, seed),
        _unreachable(grid, description),
        counters.coverage(board, covered) if counters is not None else Coverage(),
        _speed(board, seed),
    )


def _last(board: Board, seed: int, effort: Effort) -> Played:
    """A play of the strongest judge, with an equally strong partner in games for two players."""
    return play(board, STRONGEST, seed, effort, partner=STRONGEST)


def _verdict(win: Played | None, verified: bool, exhausted: bool, states: int) -> tuple[Verdict, str]:
    if win is not None and verified:
        return Verdict.WINNABLE, f"won by {win.judge} in {win.ticks} ticks"
    if win is not None:
        return Verdict.NOT_WON, f"the win of {win.judge} could not be replayed by another process"
    if exhausted:
        return Verdict.IMPOSSIBLE, f"none of the {states} states that can follow is a win"
    return Verdict.NOT_WON, "no judge and no search has won it"


def _unreachable(grid: Grid, description: GameDescription) -> dict[str, int]:
    found: Counter[str] = Counter()
    for cell in grid.unreachable(description):
        found.update(description.characters.get(grid[cell], ()) or ("",))
    return dict(found)


def _speed(board: Board, seed: int, ticks: int = 2000) -> float:
    """Ticks per second of CPU time of random play, over at least so many ticks."""
    played, began = 0, time.process_time()
    for number in range(100):
        played += max(1, board.start(seed_of("speed", seed, number)).random_rollout(ticks, number))
        if played >= ticks:
            break
    return played / max(1e-9, time.process_time() - began)


def without_plays(judged: LevelJudgement) -> LevelJudgement:
    """The judgement with the winning play alone, to keep many of them."""
    kept = (judged.win,) if judged.win is not None else ()
    return replace(judged, profile=replace(judged.profile, plays=kept))
