"""The judge of games and levels: descriptions of rules, plays of bots, profiles, constraints, proofs, verdicts.

`judge_game` and `judge_level` are the service behind ``vgdl-check --play``; `describe` says what the rules of a game
mean for its sprites.

>>> from vgdl import judging
>>> judging.JUDGES
('donothing', 'random', 'onesteplookahead', 'samplemcts', 'olets', 'champion')
"""

from vgdl.judging.description import GameDescription, describe
from vgdl.judging.plays import JUDGES, Effort, play
from vgdl.judging.profile import Profile, profile
from vgdl.judging.verdicts import GameJudgement, LevelJudgement, Verdict, judge_game, judge_level

__all__ = [
    "JUDGES",
    "Effort",
    "GameDescription",
    "GameJudgement",
    "LevelJudgement",
    "Profile",
    "Verdict",
    "describe",
    "judge_game",
    "judge_level",
    "play",
    "profile",
]
