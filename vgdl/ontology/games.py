"""The game classes and the parameters of the game line (language, 6)."""

from __future__ import annotations

from vgdl.ontology.rows import GameClass, Kind, Parameter, Refers

GAMES: tuple[GameClass, ...] = (
    GameClass(
        "BasicGame",
        None,
        "A game with fixed parameters.",
        "language 6",
        parameters=(
            Parameter("square_size", Kind.INT, -1, "Pixels per cell; -1: chosen by the size of the level.", low=-1),
            Parameter(
                "key_handler", Kind.TEXT, None, "`Pulse`: a key that is held counts once; for human players only."
            ),
            Parameter("no_players", Kind.INT, 1, "Number of players, 1 or 2.", low=1, high=2),
            Parameter("no_counters", Kind.INT, 0, "Number of game counters.", low=0),
            Parameter(
                "obs", Kind.TEXT, None, "Types that block paths; the path-following classes need it.", Refers.SPRITES
            ),
            Parameter("humanPlayer", Kind.OPAQUE, doc="Which players are people."),
            Parameter("parameters", Kind.OPAQUE, doc="Parameters of a game space; use a ParameterSet."),
            Parameter("kill_list", Kind.OPAQUE, doc="Sprites killed in this tick."),
            Parameter("counter", Kind.OPAQUE, doc="The game counters; they start at 0."),
            Parameter("wi", Kind.OPAQUE, doc="The window."),
            Parameter("ki", Kind.OPAQUE, doc="The keys."),
        ),
    ),
    GameClass(
        "GameSpace",
        "BasicGame",
        "A game whose ParameterSet leaves values open, to be chosen later.",
        "language 10",
    ),
)
