"""The terminations: they end a game and determine who wins (effects, 13; language, 9)."""

from __future__ import annotations

from vgdl.ontology.rows import Kind, Lookup, Parameter, Refers, Termination


def _counted(name: str, lookup: Lookup = Lookup.CHECKED) -> tuple[Parameter, Parameter]:
    number = name.replace("stype", "itype")
    return (
        Parameter(name, Kind.TEXT, None, "Type that is counted.", Refers.SPRITE, lookup),
        Parameter(number, Kind.INT, -1, f"Number of the type that `{name}` names; overwritten.", internal=True),
    )


_UP_TO_THREE = (*_counted("stype1"), *_counted("stype2"), *_counted("stype3"))

TERMINATION = Termination(
    "Termination",
    None,
    "What all terminations have in common.",
    "effects 13.2",
    parameters=(
        Parameter("limit", Kind.INT, 0, "Number that it waits for.", low=0),
        Parameter(
            "win", Kind.TEXT, None, "Whether the players win; one flag per player, False if missing.", Refers.FLAGS
        ),
        Parameter("count_score", Kind.BOOL, False, "The players with the highest score win, whatever `win` says."),
        Parameter("canEnd", Kind.BOOL, True, "Whether counting may end the game, as StopCounter sets it."),
    ),
)

TERMINATIONS: tuple[Termination, ...] = (
    TERMINATION,
    Termination(
        "SpriteCounter",
        "Termination",
        "Ends the game when at most so many sprites of a type are alive.",
        "effects 13.3",
        parameters=_counted("stype", Lookup.REQUIRED),
        opcode="SPRITE_COUNTER",
    ),
    Termination(
        "SpriteCounterMore",
        "Termination",
        "Ends the game when at least so many sprites of a type are alive.",
        "effects 13.4",
        parameters=_counted("stype", Lookup.REQUIRED),
        opcode="SPRITE_COUNTER_MORE",
    ),
    Termination(
        "MultiSpriteCounter",
        "Termination",
        "Ends the game when exactly so many sprites of up to three types together are alive.",
        "effects 13.5",
        parameters=(*_UP_TO_THREE, Parameter("min", Kind.BOOL, False, "Also end it when there are more.")),
        opcode="MULTI_SPRITE_COUNTER",
    ),
    Termination(
        "MultiSpriteCounterSubTypes",
        "Termination",
        "Ends the game when exactly so many sprites of a type, of exactly so many kinds, are alive.",
        "effects 13.6",
        parameters=(*_counted("stype1"), Parameter("subTypesNum", Kind.INT, -1, "Number of kinds.", low=-1)),
        opcode="MULTI_SPRITE_COUNTER_SUB_TYPES",
    ),
    Termination(
        "Timeout",
        "Termination",
        "Ends the game at the tick `limit`.",
        "effects 13.7",
        parameters=(
            Parameter("use_counter", Kind.BOOL, False, "The game counters decide who wins."),
            Parameter(
                "compare", Kind.BOOL, False, "Player 0 wins if the counters differ, the others if they are equal."
            ),
            Parameter(
                "limits", Kind.TEXT, "0", "Wanted counters, one per player; a list such as `5,5`.", Refers.SCORES
            ),
        ),
        opcode="TIMEOUT",
    ),
    Termination(
        "StopCounter",
        "Termination",
        "Does not end the game, but keeps other counters from ending it while the number of sprites does not fit.",
        "effects 13.8",
        parameters=(
            *_UP_TO_THREE,
            Parameter("min", Kind.BOOL, False, "They may end it at `limit` or fewer; otherwise at any other number."),
        ),
        opcode="STOP_COUNTER",
    ),
)
