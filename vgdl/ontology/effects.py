"""The effects, their common fields and those of the timed wrapper (effects, 4, 7 and 10; language, 8).

An effect acts on the first sprite of its line, with the second as partner; either may be absent. ``writes`` lists the
changes that it can make to sprites, ``gates`` those of its own fields that it sets while it runs.
"""

from __future__ import annotations

from vgdl.ontology.rows import Effect, Kind, Lookup, Null, Parameter, Refers, What, Write

EFFECT = Effect(
    "Effect",
    None,
    "What all effects have in common.",
    "effects 4.1",
    parameters=(
        Parameter("scoreChange", Kind.TEXT, "0", "Score for every player, or one per player.", Refers.SCORES),
        Parameter("counter", Kind.TEXT, "0", "Added to the game counters; a list such as `1,0`.", Refers.SCORES),
        Parameter("counterElse", Kind.TEXT, "0", "The same; for effects with an else branch.", Refers.SCORES),
        Parameter("count", Kind.BOOL, True, "Whether `counter` is added."),
        Parameter("countElse", Kind.BOOL, True, "Whether `counterElse` is added."),
        Parameter("applyScore", Kind.BOOL, True, "Whether `scoreChange` is added."),
        Parameter(
            "prob",
            Kind.DOUBLE,
            1.0,
            "Probability that it happens; only effects that draw for it look at it.",
            low=0,
            high=1,
        ),
        Parameter("repeat", Kind.INT, 1, "Times that it happens in a row; pairs of sprites only.", low=1),
        Parameter("enabled", Kind.BOOL, True, "Whether it happens at all."),
        Parameter("inBatch", Kind.BOOL, False, "Handle all partners of a sprite together; few effects can."),
        Parameter("is_kill_effect", Kind.BOOL, False, "Says that it kills; no effect.", internal=True),
        Parameter("is_stochastic", Kind.BOOL, False, "Says that it acts at random; no effect.", internal=True),
        Parameter("sequential", Kind.BOOL, False, "No effect.", internal=True),
        Parameter("hashCode", Kind.INT, 0, "Hash of the effect's name; computed.", internal=True),
    ),
)

TIME_EFFECT = Effect(
    "TimeEffect",
    "Effect",
    "What a line with TIME adds to its effect.",
    "effects 7.1",
    parameters=(
        Parameter("timer", Kind.INT, -1, "Ticks between two runs.", low=-1),
        Parameter("repeating", Kind.BOOL, False, "Run again and again instead of once."),
        Parameter("nextExecution", Kind.INT, -1, "Any value but -1: first run at tick `timer`; otherwise at tick 0."),
        Parameter("itype", Kind.INT, -1, "Number of the type it runs for; overwritten.", internal=True),
        Parameter("isNative", Kind.BOOL, False, "No effect.", internal=True),
        Parameter("delegate", Kind.OPAQUE, doc="The effect that it runs."),
    ),
    null=Null.NONE,
)


def _type(name: str, doc: str, lookup: Lookup = Lookup.REQUIRED, default: str | None = None) -> Parameter:
    return Parameter(name, Kind.TEXT, default, doc, Refers.SPRITE, lookup)


def _number(name: str, of: str) -> Parameter:
    return Parameter(name, Kind.INT, -1, f"Number of the type that `{of}` names; overwritten.", internal=True)


_ITYPE = _number("itype", "stype")
_RESOURCE_ID = _number("resourceId", "resource")
_RESOURCE = (_type("resource", "Resource that it looks at."), _RESOURCE_ID)
_SPAWNED = (_type("stype", "Type of the new sprite."), _ITYPE)
_LIMIT = Parameter("limit", Kind.INT, 0, "Amount that it compares with.", low=0)
_TRANSFORM = (
    _type("stype", "Type that it becomes."),
    _ITYPE,
    Parameter("killSecond", Kind.BOOL, False, "Remove the partner too."),
    Parameter("forceOrientation", Kind.BOOL, False, "Hand on the orientation in any case."),
)
_HEALTH = (
    Parameter("value", Kind.INT, 1, "Health that it gives."),
    Parameter("killSecond", Kind.BOOL, False, "Kill the partner too."),
)
_LIMIT_SPEED = Parameter("limspeed", Kind.DOUBLE, 1.0, "Speed that it compares with.", low=0)
_PIXEL_PERFECT = "pixelPerfect"

_KILL_FIRST = (Write("first", What.KILL),)
_REPLACE_FIRST = (Write("first", What.REMOVE), Write("second", What.REMOVE, when="killSecond"))
_SCORE = ("applyScore",)
_CHANCE = "`nextDouble` every time, whatever `prob` is"
_PUSH = What.RECT | What.ORIENTATION | What.PUSH
_BRAKE = _PUSH | What.SPEED


def _kill_if(
    name: str,
    doc: str,
    opcode: str,
    *,
    parameters: tuple[Parameter, ...] = (),
    null: Null = Null.BOTH,
    gates: tuple[str, ...] = (),
) -> Effect:
    return Effect(name, "Effect", doc, "effects 10.1", parameters, opcode, null, _KILL_FIRST, gates=gates)


_KILLING = (
    Effect("killSprite", "Effect", "Kills the sprite.", "effects 10.1", opcode="KILL_SPRITE", writes=_KILL_FIRST),
    Effect(
        "killBoth",
        "Effect",
        "Kills both sprites.",
        "effects 10.1",
        opcode="KILL_BOTH",
        null=Null.BOTH,
        writes=(Write("first", What.KILL), Write("second", What.KILL)),
    ),
    Effect(
        "killAll",
        "Effect",
        "Kills all sprites of exactly one type.",
        "effects 10.1",
        parameters=(_type("stype", "Type whose sprites die."), _ITYPE),
        opcode="KILL_ALL",
        null=Null.NONE,
        writes=(Write("stype", What.KILL),),
    ),
    _kill_if(
        "killIfAlive",
        "Kills the sprite if its partner was not killed in this tick.",
        "KILL_IF_ALIVE",
    ),
    _kill_if(
        "killIfFromAbove",
        "Kills the sprite if its partner comes down on it from above.",
        "KILL_IF_FROM_ABOVE",
        gates=_SCORE,
    ),
    _kill_if(
        "killIfFrontal",
        "Kills the sprite if the two run into each other head on, or if it did not move.",
        "KILL_IF_FRONTAL",
        gates=_SCORE,
    ),
    _kill_if(
        "killIfNotFrontal",
        "Kills the sprite unless the two run into each other head on; always if it did not move.",
        "KILL_IF_NOT_FRONTAL",
        gates=_SCORE,
    ),
    _kill_if(
        "killIfHasLess",
        "Kills the sprite if it holds at most so much of a resource.",
        "KILL_IF_HAS_LESS",
        parameters=(*_RESOURCE, _LIMIT),
        null=Null.FIRST,
        gates=_SCORE,
    ),
    _kill_if(
        "killIfHasMore",
        "Kills the sprite if it holds at least so much of a resource.",
        "KILL_IF_HAS_MORE",
        parameters=(*_RESOURCE, _LIMIT),
        null=Null.FIRST,
        gates=_SCORE,
    ),
    Effect(
        "killIfOtherHasMore",
        "Effect",
        "Kills the sprite if its partner holds at least so much of a resource.",
        "effects 10.1",
        parameters=(
            _type("resource", "Resource that it looks at.", Lookup.UNCHECKED),
            _RESOURCE_ID,
            _LIMIT,
            Parameter("subtract", Kind.BOOL, False, "Take that amount from the partner."),
        ),
        opcode="KILL_IF_OTHER_HAS_MORE",
        null=Null.BOTH,
        writes=(Write("first", What.KILL), Write("second", What.RESOURCES, when="subtract")),
        gates=_SCORE,
    ),
    _kill_if(
        "killIfSlow",
        "Kills the sprite if the two meet slowly; of two that can move, their orientations are compared.",
        "KILL_IF_SLOW",
        parameters=(_LIMIT_SPEED,),
    ),
    _kill_if(
        "killIfFast",
        "Kills the sprite if the two meet fast; of two that can move, their orientations are compared.",
        "KILL_IF_FAST",
        parameters=(_LIMIT_SPEED,),
    ),
    Effect(
        "killIfNotUpright",
        "Effect",
        "Kills the sprite unless its rotation is about that of pointing up.",
        "effects 10.1",
        opcode="KILL_IF_NOT_UPRIGHT",
        null=Null.FATAL_FIRST,
        writes=_KILL_FIRST,
    ),
)

_TRANSFORMING = (
    Effect(
        "transformTo",
        "Effect",
        "Turns the sprite into one of another type; resources, health and perhaps the orientation are kept.",
        "effects 10.2",
        parameters=_TRANSFORM,
        opcode="TRANSFORM_TO",
        writes=_REPLACE_FIRST,
        creates=("stype",),
    ),
    Effect(
        "transformIfCount",
        "transformTo",
        "Turns the sprite into another type if so many sprites of some type exist, or else into a third type.",
        "effects 10.2",
        parameters=(
            _type("stypeCount", "Type that is counted.", Lookup.UNCHECKED),
            _number("itypeCount", "stypeCount"),
            _type("estype", "Type that it becomes if the number does not fit; none: it stays.", Lookup.OPTIONAL),
            Parameter("geq", Kind.INT, 0, "Least number that fits.", low=0),
            Parameter("leq", Kind.INT, 10000, "Largest number that fits.", low=0),
        ),
        opcode="TRANSFORM_IF_COUNT",
        null=Null.BOTH,
        writes=_REPLACE_FIRST,
        creates=("stype", "estype"),
        gates=("applyScore", "count", "countElse"),
    ),
    Effect(
        "transformToAll",
        "transformTo",
        "Turns all sprites of exactly one type into another type, wherever they are.",
        "effects 10.2",
        parameters=(
            _type("stype", "Type whose sprites change."),
            _type("stypeTo", "Type that they become."),
            _number("itypeTo", "stypeTo"),
        ),
        opcode="TRANSFORM_TO_ALL",
        null=Null.NONE,
        writes=(Write("stype", What.REMOVE), Write("second", What.REMOVE, when="killSecond")),
        creates=("stypeTo",),
    ),
    Effect(
        "transformToRandomChild",
        "transformTo",
        "Turns the sprite into a type picked at random from those below the named one, and above it.",
        "effects 10.2",
        parameters=(_type("stype", "Type whose relatives it picks from."),),
        opcode="TRANSFORM_TO_RANDOM_CHILD",
        writes=_REPLACE_FIRST,
        creates=("stype",),
        relatives=True,
        draws="`nextInt` over the relatives, if there are any",
    ),
    Effect(
        "transformToSingleton",
        "Effect",
        "Turns the sprite into one type, and all sprites that were of that type into another.",
        "effects 10.2",
        parameters=(
            _type("stype", "Type that the sprite becomes."),
            _ITYPE,
            _type("stype_other", "Type that the earlier ones become."),
            _number("itype_other", "stype_other"),
            Parameter("takeOrientation", Kind.BOOL, False, "Face against the partner's orientation."),
        ),
        opcode="TRANSFORM_TO_SINGLETON",
        null=Null.BOTH,
        writes=(Write("first", What.REMOVE), Write("stype", What.REMOVE)),
        creates=("stype", "stype_other"),
    ),
)


def _spawn_beside(name: str, where: str, opcode: str) -> Effect:
    return Effect(
        name,
        "Effect",
        f"Makes a sprite one cell {where} the partner.",
        "effects 10.3",
        parameters=(
            _type("stype", "Type of the new sprite.", Lookup.UNCHECKED),
            _ITYPE,
            Parameter(
                "stepBack",
                Kind.BOOL,
                False,
                "Measure from where the partner was; nothing if it has not left that place.",
            ),
        ),
        opcode=opcode,
        null=Null.SECOND,
        creates=("stype",),
        draws=_CHANCE,
    )


_SPAWNING = (
    Effect(
        "spawn",
        "Effect",
        "Makes a sprite where the sprite is.",
        "effects 10.3",
        parameters=_SPAWNED,
        opcode="SPAWN",
        creates=("stype",),
        draws=_CHANCE,
    ),
    Effect(
        "spawnIfHasMore",
        "Effect",
        "Makes a sprite where the sprite is, if that holds at least so much of a resource.",
        "effects 10.3",
        parameters=(
            *_RESOURCE,
            *_SPAWNED,
            _LIMIT,
            Parameter("spend", Kind.INT, 0, "Amount of the resource that it costs.", low=0),
        ),
        opcode="SPAWN_IF_HAS_MORE",
        writes=(Write("first", What.RESOURCES),),
        creates=("stype",),
        gates=_SCORE,
        draws=_CHANCE,
    ),
    Effect(
        "spawnIfHasLess",
        "Effect",
        "Makes a sprite where the sprite is, if that holds at most so much of a resource.",
        "effects 10.3",
        parameters=(*_RESOURCE, *_SPAWNED, _LIMIT),
        opcode="SPAWN_IF_HAS_LESS",
        creates=("stype",),
        gates=_SCORE,
        draws=_CHANCE,
    ),
    Effect(
        "spawnIfCounterSubTypes",
        "Effect",
        "Makes a sprite of one of two types, depending on how many sprites and how many kinds of a type are alive.",
        "effects 10.3",
        parameters=(
            _type("stype", "Type of the new sprite if the numbers fit."),
            _ITYPE,
            _type("estype", "Type of the new sprite otherwise."),
            _type("stypeCount", "Type that is counted."),
            _number("itypeCount", "stypeCount"),
            Parameter("limit", Kind.INT, 0, "Number of living sprites that fits.", low=0),
            Parameter("subTypesNum", Kind.INT, -1, "Half the number of living kinds that fits, rounded down.", low=-1),
        ),
        opcode="SPAWN_IF_COUNTER_SUB_TYPES",
        creates=("stype", "estype"),
        gates=("applyScore", "count"),
    ),
    Effect(
        "spawnBehind",
        "Effect",
        "Makes a sprite where the partner was, if it has left that place.",
        "effects 10.3",
        parameters=_SPAWNED,
        opcode="SPAWN_BEHIND",
        null=Null.SECOND,
        creates=("stype",),
        draws=_CHANCE,
    ),
    _spawn_beside("spawnAbove", "above", "SPAWN_ABOVE"),
    _spawn_beside("spawnBelow", "below", "SPAWN_BELOW"),
    _spawn_beside("spawnLeft", "to the left of", "SPAWN_LEFT"),
    _spawn_beside("spawnRight", "to the right of", "SPAWN_RIGHT"),
    Effect(
        "cloneSprite",
        "Effect",
        "Makes another sprite of the same type in the same place.",
        "effects 10.3",
        opcode="CLONE_SPRITE",
        creates=("first",),
    ),
)

_MOVING = (
    Effect(
        "stepBack",
        "Effect",
        "Puts the sprite back to where it was before its move.",
        "effects 10.4",
        parameters=(Parameter(_PIXEL_PERFECT, Kind.BOOL, False, "Put it right beside the partner instead."),),
        opcode="STEP_BACK",
        writes=(Write("first", What.RESTORE), Write("first", What.RECT, when=_PIXEL_PERFECT)),
    ),
    Effect(
        "undoAll",
        "Effect",
        "Puts all sprites back to where they were before their moves.",
        "effects 10.4",
        parameters=(Parameter("notStype", Kind.TEXT, None, "Types that stay where they are now.", Refers.SPRITES),),
        opcode="UNDO_ALL",
        null=Null.NONE,
        writes=(Write("all", What.RESTORE),),
    ),
    Effect(
        "turnAround",
        "Effect",
        "Puts the sprite back, moves it down twice and reverses its orientation.",
        "effects 10.4",
        opcode="TURN_AROUND",
        writes=(Write("first", _PUSH),),
    ),
    Effect(
        "reverseDirection",
        "Effect",
        "Reverses the orientation.",
        "effects 10.4",
        opcode="REVERSE_DIRECTION",
        writes=(Write("first", What.ORIENTATION),),
    ),
    Effect(
        "flipDirection",
        "Effect",
        "Gives the sprite one of the four directions at random.",
        "effects 10.4",
        opcode="FLIP_DIRECTION",
        writes=(Write("first", What.ORIENTATION),),
        draws="`nextInt(4)`",
    ),
    Effect(
        "attractGaze",
        "Effect",
        "Turns the sprite the way its partner faces, if both have a direction.",
        "effects 10.4",
        parameters=(Parameter("align", Kind.BOOL, False, "Also move it into the partner's row or column."),),
        opcode="ATTRACT_GAZE",
        null=Null.BOTH,
        writes=(Write("first", What.ORIENTATION), Write("first", What.RECT, when="align")),
        draws="`nextDouble` if both sprites have a direction",
    ),
    Effect(
        "align",
        "Effect",
        "Puts the sprite exactly where its partner is.",
        "effects 10.4",
        parameters=(Parameter("orient", Kind.BOOL, True, "Also turn it the way the partner faces."),),
        opcode="ALIGN",
        null=Null.BOTH,
        writes=(Write("first", What.RECT), Write("first", What.ORIENTATION, when="orient")),
    ),
    Effect(
        "wrapAround",
        "Effect",
        "Lets a sprite that left the screen come in again on the other side.",
        "effects 10.4",
        parameters=(Parameter("offset", Kind.DOUBLE, 0.0, "How far inside it comes in, in its own sizes."),),
        opcode="WRAP_AROUND",
        writes=(Write("first", What.RECT),),
    ),
    Effect(
        "bounceForward",
        "Effect",
        "Pushes the sprite the way its partner moved.",
        "effects 10.4",
        opcode="BOUNCE_FORWARD",
        null=Null.BOTH,
        writes=(Write("first", _PUSH),),
    ),
    Effect(
        "pullWithIt",
        "Effect",
        "Carries the sprite along with its partner, once per tick.",
        "effects 10.4",
        parameters=(Parameter(_PIXEL_PERFECT, Kind.BOOL, False, "Put it exactly onto the partner."),),
        opcode="PULL_WITH_IT",
        null=Null.BOTH,
        writes=(Write("first", What.RECT | What.ORIENTATION),),
    ),
    Effect(
        "teleportToExit",
        "Effect",
        "Moves the sprite onto a random exit of its partner, a portal; kills it if there is no exit.",
        "effects 10.4",
        opcode="TELEPORT_TO_EXIT",
        null=Null.BOTH,
        writes=(Write("first", What.KILL | What.RECT | What.ORIENTATION),),
        draws="`nextInt` over the exits, if there are any",
    ),
)

_IN_BATCH = Parameter("inBatch", Kind.BOOL, True, "Handle all walls that the sprite hits together.")

_BOUNCING = (
    Effect(
        "wallStop",
        "Effect",
        "Puts the sprite beside the wall and takes away its speed towards it.",
        "effects 10.5",
        opcode="WALL_STOP",
        null=Null.BOTH,
        writes=(Write("first", _BRAKE),),
    ),
    Effect(
        "wallBounce",
        "Effect",
        "Bounces the sprite off the walls that it hits.",
        "effects 10.5",
        parameters=(_IN_BATCH,),
        opcode="WALL_BOUNCE",
        null=Null.BOTH,
        writes=(Write("first", _PUSH), Write("second", What.RESTORE)),
        batch=True,
    ),
    Effect(
        "wallReverse",
        "Effect",
        "Turns the sprite back sidewards at the walls that it hits.",
        "effects 10.5",
        parameters=(_IN_BATCH,),
        opcode="WALL_REVERSE",
        null=Null.BOTH,
        writes=(Write("first", _BRAKE), Write("second", What.RESTORE)),
        batch=True,
    ),
    Effect(
        "bounceDirection",
        "Effect",
        "Bounces the sprite off its partner; the angle depends on where it hits.",
        "effects 10.5",
        parameters=(Parameter("maxBounceAngleDeg", Kind.DOUBLE, 60.0, "Angle of a hit at the edge, in degrees."),),
        opcode="BOUNCE_DIRECTION",
        null=Null.BOTH,
        writes=(Write("first", What.ORIENTATION),),
    ),
)

_HOLDING = (
    Effect(
        "changeResource",
        "Effect",
        "Gives the sprite an amount of a resource, or takes it, unless that exceeds the limit.",
        "effects 10.6",
        parameters=(
            _type("resource", "Resource that changes.", Lookup.UNCHECKED),
            _RESOURCE_ID,
            Parameter("value", Kind.INT, 1, "Amount; below 0: taken away."),
            Parameter("killResource", Kind.BOOL, False, "Remove the partner."),
        ),
        opcode="CHANGE_RESOURCE",
        null=Null.BOTH,
        writes=(Write("first", What.RESOURCES), Write("second", What.REMOVE, when="killResource")),
        gates=_SCORE,
    ),
    Effect(
        "collectResource",
        "Effect",
        "Gives the partner the resource that the sprite is, up to the limit.",
        "effects 10.6",
        parameters=(Parameter("killResource", Kind.BOOL, True, "Remove what was collected."),),
        opcode="COLLECT_RESOURCE",
        null=Null.BOTH,
        writes=(Write("second", What.RESOURCES), Write("first", What.REMOVE, when="killResource")),
        gates=_SCORE,
    ),
    Effect(
        "collectResourceIfHeld",
        "Effect",
        "Gives the partner the resource that the sprite is, if it holds enough of another one.",
        "effects 10.6",
        parameters=(
            _type("heldResource", "Resource that the partner must hold.", Lookup.UNCHECKED),
            _number("heldResourceId", "heldResource"),
            Parameter("value", Kind.INT, 1, "Amount of it that the partner must hold."),
            Parameter("killResource", Kind.BOOL, True, "Kill the sprite, also if the partner could not take it."),
        ),
        opcode="COLLECT_RESOURCE_IF_HELD",
        null=Null.BOTH,
        writes=(Write("second", What.RESOURCES), Write("first", What.KILL, when="killResource")),
        gates=_SCORE,
    ),
    Effect(
        "addHealthPoints",
        "Effect",
        "Gives the sprite health, if it stays below its limit.",
        "effects 10.6",
        parameters=_HEALTH,
        opcode="ADD_HEALTH_POINTS",
        writes=(Write("first", What.HEALTH), Write("second", What.KILL, when="killSecond")),
        gates=_SCORE,
    ),
    Effect(
        "addHealthPointsToMax",
        "Effect",
        "Gives the sprite health, at most up to its limit.",
        "effects 10.6",
        parameters=_HEALTH,
        opcode="ADD_HEALTH_POINTS_TO_MAX",
        writes=(Write("first", What.HEALTH), Write("second", What.KILL, when="killSecond")),
        gates=_SCORE,
    ),
    Effect(
        "subtractHealthPoints",
        "Effect",
        "Takes health from the sprite, or from one of a given type, and kills it when too little is left.",
        "effects 10.6",
        parameters=(
            Parameter("value", Kind.INT, 1, "Health that it takes."),
            Parameter("limit", Kind.INT, 0, "Kills at this much health or less.", low=0),
            _type("stype", "Type that is hit instead; its first sprite.", Lookup.CHECKED, ""),
            _ITYPE,
            Parameter("scoreChangeIfKilled", Kind.TEXT, "0", "Score of a hit that kills.", Refers.SCORES),
        ),
        opcode="SUBTRACT_HEALTH_POINTS",
        writes=(Write("first", What.HEALTH | What.KILL), Write("stype", What.HEALTH | What.KILL)),
        gates=("scoreChange",),
    ),
    Effect(
        "removeScore",
        "Effect",
        "Sets the score of an avatar to 0.",
        "effects 10.6",
        parameters=(
            _type("stype", "Type whose avatars lose their score; none: the sprite.", Lookup.OPTIONAL, ""),
            _ITYPE,
            Parameter("killSecond", Kind.BOOL, False, "Remove the partner too."),
        ),
        opcode="REMOVE_SCORE",
        writes=(Write("second", What.REMOVE, when="killSecond"),),
    ),
)


def _speed_of_all(name: str, doc: str, opcode: str, value: Parameter) -> Effect:
    return Effect(
        name,
        "Effect",
        doc,
        "effects 10.7",
        parameters=(_type("stype", "Type whose sprites change."), _ITYPE, value),
        opcode=opcode,
        null=Null.NONE,
        writes=(Write("stype", What.SPEED),),
    )


_CONTROLLING = (
    Effect(
        "halfSpeed",
        "Effect",
        "Halves the speed of the sprite.",
        "effects 10.7",
        opcode="HALF_SPEED",
        writes=(Write("first", What.SPEED),),
    ),
    Effect(
        "waterPhysics",
        "Effect",
        "Gives the sprite a gravity of 0.2.",
        "effects 10.7",
        opcode="WATER_PHYSICS",
        null=Null.FATAL_FIRST,
        writes=(Write("first", What.GRAVITY),),
    ),
    _speed_of_all(
        "increaseSpeedToAll",
        "Makes all sprites of a type faster.",
        "INCREASE_SPEED_TO_ALL",
        Parameter("value", Kind.DOUBLE, 0.1, "Speed that is added."),
    ),
    _speed_of_all(
        "decreaseSpeedToAll",
        "Makes all sprites of a type slower, down to a stand.",
        "DECREASE_SPEED_TO_ALL",
        Parameter("value", Kind.DOUBLE, 0.1, "Speed that is taken away."),
    ),
    _speed_of_all(
        "setSpeedForAll",
        "Gives all sprites of a type the same speed.",
        "SET_SPEED_FOR_ALL",
        Parameter("value", Kind.DOUBLE, 0.0, "The speed."),
    ),
    Effect(
        "shieldFrom",
        "Effect",
        "For the rest of the tick, protects sprites of this type from an effect of another type.",
        "effects 10.8",
        parameters=(
            _type("stype", "Second type of the lines that it protects from."),
            _ITYPE,
            Parameter("ftype", Kind.TEXT, None, "Effect that it protects from.", Refers.EFFECT, Lookup.UNCHECKED),
        ),
        opcode="SHIELD_FROM",
    ),
    Effect(
        "updateSpawnType",
        "Effect",
        "Changes what the spawners of a type make from now on.",
        "effects 10.8",
        parameters=(
            _type("stype", "Type that they make from now on."),
            _ITYPE,
            _type("spawnPoint", "Type of the spawners."),
        ),
        opcode="UPDATE_SPAWN_TYPE",
        null=Null.FATAL_SECOND,
        writes=(Write("spawnPoint", What.SPAWN_TYPE),),
        creates=("stype",),  # created later, by spawners, whose own rows name only their initial type
    ),
    Effect(
        "addTimer",
        "Effect",
        "Lets another effect happen some ticks later, without sprites; its parameters stand on the same line.",
        "effects 7.3",
        parameters=(
            Parameter("ftype", Kind.TEXT, None, "The other effect.", Refers.EFFECT, Lookup.REQUIRED),
            Parameter("timer", Kind.INT, -1, "Ticks until it happens.", low=-1),
            Parameter("repeating", Kind.BOOL, False, "Let it happen again and again."),
            Parameter("nextExecution", Kind.INT, -1, "No effect.", internal=True),
        ),
        opcode="ADD_TIMER",
        null=Null.NONE,
    ),
)

EFFECTS: tuple[Effect, ...] = (
    EFFECT,
    TIME_EFFECT,
    *_KILLING,
    *_TRANSFORMING,
    *_SPAWNING,
    *_MOVING,
    *_BOUNCING,
    *_HOLDING,
    *_CONTROLLING,
)
