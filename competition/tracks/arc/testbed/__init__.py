"""A test bed of hand-written games that are not VGDL: families of five levels each, with recorded winning plays."""

from vgdl.competition.tracks.arc.testbed.games import BedGame, Half, bed_games, families, half_of, lay_out
from vgdl.competition.tracks.arc.testbed.puzzle import Move, Puzzle

__all__ = ["BedGame", "Half", "Move", "Puzzle", "bed_games", "families", "half_of", "lay_out"]
