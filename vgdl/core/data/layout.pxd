"""The memory layout: every struct that rules, boards and states are made of, with a comment on every field.

Rules (`Rules`, one per game) and boards (`Level`, one per game and level) are immutable and shared. A state is one block:

    Header | alive bits | counters | groups | gates | built | timers | sprite records

Its sections after the header start at offsets that the board fixes; only the number of sprite records changes.
The numpy types of the tables are derived from these structs (`layout.pyx`), not repeated.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cpdef enum Action:
    """A player's action in a tick: NIL does nothing, ESCAPE ends the game.

    >>> vgdl.Action.UP, vgdl.Action["UP"] == 1
    (<Action.UP: 1>, True)
    """
    NIL = 0
    UP = 1
    LEFT = 2
    DOWN = 3
    RIGHT = 4
    USE = 5
    ESCAPE = 6

cpdef enum SpriteOp:
    """The update routine of a sprite: one value per group of classes that behave alike."""
    NO_CLASS = 0  # a grouping type, or an unknown class: creating one is fatal
    STANDARD
    FLICKER
    SPREADER
    RANDOM_MISSILE
    SPAWN_POINT
    RANDOM_BOMBER
    BOMBER_RANDOM_MISSILE
    SPAWN_POINT_MULTI_SPRITE
    RANDOM_NPC
    CHASER
    LOS_CHASER
    PATH_CHASER
    ALTERNATE_CHASER
    RANDOM_ALT_CHASER
    PATH_ALT_CHASER
    RANDOM_PATH_ALT_CHASER
    WALKER
    WALKER_JUMPER
    # avatar classes from here on
    MOVING_AVATAR
    FLAK_AVATAR
    ORIENTED_AVATAR
    MISSILE_AVATAR
    ONGOING_AVATAR
    ONGOING_TURNING_AVATAR
    SHOOT_AVATAR
    ONGOING_SHOOT_AVATAR
    SHOOT_ONLY_AVATAR
    AIMED_AVATAR
    SPACESHIP_AVATAR
    CAR_AVATAR
    LANDER_AVATAR
    BIRD_AVATAR
    PLATFORMER_AVATAR
    WIZARD_AVATAR
    CLICK_AVATAR

cpdef enum EffectOp:
    """The effect of an interaction."""
    TIME_EFFECT = 0  # the wrapper of a TIME line
    STEP_BACK
    TURN_AROUND
    KILL_SPRITE
    KILL_BOTH
    KILL_ALL
    KILL_IF_ALIVE
    KILL_IF_FROM_ABOVE
    KILL_IF_FRONTAL
    KILL_IF_NOT_FRONTAL
    KILL_IF_HAS_LESS
    KILL_IF_HAS_MORE
    KILL_IF_OTHER_HAS_MORE
    KILL_IF_SLOW
    KILL_IF_FAST
    KILL_IF_NOT_UPRIGHT
    SUBTRACT_HEALTH_POINTS
    TRANSFORM_TO
    TRANSFORM_IF_COUNT
    TRANSFORM_TO_ALL
    TRANSFORM_TO_RANDOM_CHILD
    TRANSFORM_TO_SINGLETON
    SPAWN
    SPAWN_IF_HAS_MORE
    SPAWN_IF_HAS_LESS
    SPAWN_IF_COUNTER_SUB_TYPES
    SPAWN_BEHIND
    SPAWN_ABOVE
    SPAWN_BELOW
    SPAWN_LEFT
    SPAWN_RIGHT
    CLONE_SPRITE
    UNDO_ALL
    REVERSE_DIRECTION
    FLIP_DIRECTION
    ATTRACT_GAZE
    ALIGN
    WRAP_AROUND
    BOUNCE_FORWARD
    PULL_WITH_IT
    TELEPORT_TO_EXIT
    WALL_STOP
    WALL_BOUNCE
    WALL_REVERSE
    BOUNCE_DIRECTION
    CHANGE_RESOURCE
    COLLECT_RESOURCE
    COLLECT_RESOURCE_IF_HELD
    ADD_HEALTH_POINTS
    ADD_HEALTH_POINTS_TO_MAX
    REMOVE_SCORE
    HALF_SPEED
    WATER_PHYSICS
    INCREASE_SPEED_TO_ALL
    DECREASE_SPEED_TO_ALL
    SET_SPEED_FOR_ALL
    SHIELD_FROM
    UPDATE_SPAWN_TYPE
    ADD_TIMER

cpdef enum TerminationOp:
    """The condition that ends a game."""
    SPRITE_COUNTER = 0
    SPRITE_COUNTER_MORE
    MULTI_SPRITE_COUNTER
    MULTI_SPRITE_COUNTER_SUB_TYPES
    TIMEOUT
    STOP_COUNTER

cpdef enum Winner:
    """Win state of a player.

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.winner, state.winner == vgdl.Winner.NO_WINNER
    (<Winner.NO_WINNER: -1>, True)
    """
    PLAYER_DISQ = -100
    NO_WINNER = -1
    PLAYER_LOSES = 0
    PLAYER_WINS = 1

cpdef enum Category:
    """The category of a sprite, as controllers see it (engine, 2.6).

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.grid[0][0][0].category == vgdl.Category.STATIC
    True
    """
    AVATAR = 0
    RESOURCE = 1
    PORTAL = 2
    NPC = 3
    STATIC = 4
    FROM_AVATAR = 5
    MOVABLE = 6

cpdef enum Failure:
    """Why a state ended in an error: what the specification calls a crash."""
    NO_FAILURE = 0
    OUT_OF_MEMORY
    CANNOT_CREATE  # a type without a usable class
    GROUP_CHANGED  # a sprite was added to the list being walked
    NO_AVATAR  # a score for a player whose avatar is gone
    NO_SPRITE  # an effect without the sprite that it needs
    NO_PATHS  # a path finder was used without the game parameter obs
    NO_TARGET  # a choice among no targets
    NO_COUNTERS  # a comparison of counters that do not exist
    ZERO_HEIGHT  # a sprite of height 0 moved
    ENDLESS_TIMER  # a repeating time effect without a positive period
    WRONG_ANALYSIS  # an attempt to make or kill a sprite that the compiler had ruled out
    TOO_MUCH_WORK  # the effects of a tick would take many seconds
    FALSE_AVATAR  # a sprite that is an avatar by its parameter only was there at the start of a tick
    NO_PHYSICS  # a sprite was pulled whose physics is neither that of the grid nor continuous

cpdef enum NullPolicy:
    """Bits: what an effect does about a sprite that is absent."""
    NULL_NONE = 0
    NULL_FIRST = 1  # bits: a message and no action if this sprite is absent
    NULL_SECOND = 2
    NULL_BOTH = 3
    NULL_FATAL_FIRST = 4
    NULL_FATAL_SECOND = 8

cpdef enum Storage:
    """Where the level-born sprites of a type live."""
    STORED_STATIC = 0  # in the board: nothing ever changes them
    STORED_VANISHING = 1  # in the board, with an alive bit in the state: they can only die
    STORED_DYNAMIC = 2  # records in the state

cpdef enum UpdateKind:
    """How the sprite phase updates a type: common kinds a whole type at a time (`bulk.pyx`, `npcs.pyx`)."""
    GENERAL = 0  # sprite by sprite
    DRIFTING
    SCATTERING
    FLICKERING
    SPAWNING
    BOMBING
    ROAMING
    CHASING
    PATHING

cdef enum SpriteFlag:
    DISABLED = 1
    FIRST_TICK = 2
    ORIENTED = 4
    FROM_AVATAR_FLAG = 8
    ON_GROUND = 16
    KILLED = 32  # on the kill list; only within a tick
    ORIGINAL = 64  # the first of its type: not a copy of the template
    LEVEL_BORN = 128  # only in scratch copies of sprites that live in the board: `next` is the reference
    SECOND_PLAYER = 256  # its player id is 1
    UNREVEALED = 512  # only in placed states: it was put back, so that the direction that it repeats cannot be told

cdef enum Gate:
    APPLY_SCORE = 1
    COUNT = 2
    COUNT_ELSE = 4
    KILLED_SCORE = 8  # subtractHealthPoints: the score text is scoreChangeIfKilled

cdef enum:
    SPRITE_LIMIT = 10000
    TICK_LIMIT = 2000
    MESSAGE_LIMIT = 25
    NOWHERE = -2147483647  # no reference
    ABSENT = -2147483648  # a resource that was never touched

# ---------------------------------------------------------------------------------------------- rules

cdef struct TypeRow:
    # class
    int32_t op  # SpriteOp
    int32_t category_static  # category apart from is_from_avatar
    uint8_t avatar_object  # its class is an avatar class
    uint8_t ground_test
    uint8_t honours_time_to_live
    uint8_t hidden  # from player 0
    uint8_t creatable  # has a usable class and all names it needs
    uint8_t grid  # physicstype is GRID
    uint8_t continuous  # physicstype is CONT
    uint8_t is_static
    uint8_t only_active
    uint8_t is_avatar
    uint8_t is_npc
    uint8_t is_resource
    uint8_t portal
    uint8_t is_from_avatar
    uint8_t stationary
    uint8_t is_oriented
    uint8_t rotate_in_place
    uint8_t solid
    uint8_t on_ground
    uint8_t is_first_tick
    uint8_t fleeing
    uint8_t airsteering
    uint8_t random_target
    uint8_t is_spawner  # SpawnPoint or a subclass
    uint8_t has_itype  # has an int field `itype` (teleportToExit)
    uint8_t spawns_behind  # spawnBehind was given
    uint8_t singleton
    uint8_t action_bits  # a bit for each action of the list
    uint8_t in_order  # in the sprite order: its sprites are updated
    int32_t messages  # unknown fields, reported when the first one is built
    int32_t cooldown
    int32_t health_points
    int32_t max_health_points
    int32_t limit_health_points
    int32_t time_to_live
    int32_t lastmove
    int32_t limit
    int32_t age
    int32_t total
    int32_t cons
    int32_t itype
    int32_t ammo_id
    int32_t min_ammo
    int32_t ammo_cost
    int32_t has_ammo
    int32_t value
    int32_t resource_type
    int32_t resource_limit  # of this type as a resource
    int32_t resource_slot  # column of this type in the resource lists, -1 if none
    int32_t last_block_time
    int32_t collision_class  # types that meet the same pairs share one; 0 meets nothing
    int32_t itypes_start, itypes_len  # pool: chain of types from the root down to this
    int32_t subtypes_start, subtypes_len  # pool: ancestors, itself, descendants
    int32_t shots_start, shots_len  # pool: resolved list of types (shots, missiles, targets)
    int32_t ammos_start, ammos_len  # pool
    int32_t actions_start, actions_len  # pool
    float max_distance
    double speed
    double mass
    double gravity
    double friction
    double jump_strength
    double max_speed
    double rotation
    double orientation_x, orientation_y
    double w_mult, h_mult
    double prob
    double spreadprob
    double epsilon
    double probability
    double angle_diff
    double facing
    double ground_speedup_factor, air_slowdown_factor
    double spawnorientation_x, spawnorientation_y
    double facing_dir_x, facing_dir_y

cdef struct EffectRow:
    int32_t op  # EffectOp
    int32_t line  # in the game text, for errors
    int32_t null_policy
    int32_t gate  # byte in the state's gates if it rewrites them, else -1
    int32_t gates  # initial or fixed gates
    int64_t hash  # of the function name
    uint8_t enabled
    uint8_t in_batch
    uint8_t pixel_perfect
    uint8_t kill_second
    uint8_t force_orientation
    uint8_t take_orientation
    uint8_t step_back
    uint8_t subtract
    uint8_t kill_resource
    uint8_t orient
    uint8_t align
    uint8_t repeating
    uint8_t batch  # has a batch routine
    int32_t score[2]  # per player
    int32_t score_messages[2]  # 1 where the text is not an integer
    int32_t killed_score[2]
    int32_t killed_score_messages[2]
    int32_t counters  # pool: amount and message flag per counter, then the same for counterElse; -1 without counters
    int32_t stype, stype_to, stype_count, stype_other, estype, spawn_point, resource, held_resource
    int32_t limit, spend, geq, leq, sub_types_num, timer
    int64_t shield_hash  # shieldFrom: of the effect's name
    int32_t inner  # the effect inside a time effect, -1 otherwise
    int32_t itype  # time effects: the type they visit, -1 for none
    int32_t skip_start, skip_len  # pool: undoAll's notStype
    int32_t value_int  # the same, for effects that count in whole numbers
    double value
    double prob
    double limspeed
    double offset
    double max_bounce_angle_deg

cdef struct PairRow:
    int32_t first, second  # types as written
    int32_t effects_start, effects_len  # pool: effects in order, repeats included
    int32_t first_side, second_side  # rows of the place table
    uint8_t in_full  # walked in full: a ground test, or a side that has sprites twice

cdef struct EdgeRow:
    int32_t type
    int32_t effects_start, effects_len

cdef struct TerminationRow:
    int32_t op
    int32_t line
    int32_t limit
    int32_t stype, stype2, stype3  # -1 where absent
    int32_t sub_types_num
    uint8_t minimum
    uint8_t count_score
    uint8_t use_counter
    uint8_t compare
    uint8_t limits_bad  # too few or not integers
    uint8_t win[2]
    int32_t limits[2]

cdef struct TimerRow:
    int32_t next
    int32_t effect

cdef struct Rules:
    TypeRow *types
    EffectRow *effects
    PairRow *pairs
    TerminationRow *terminations
    TimerRow *timers  # time effects at the start, in queue order
    int32_t *pool
    int32_t *order  # sprite order: drawing from the front, updating from the back
    int16_t *places  # [side][type]: place in the side's subtypes, -1 if not in it
    int32_t *contacts  # [class][class + 1]: start of the pairs in which sprites of these classes can meet
    int32_t *contact_pairs
    int32_t *resources  # types that can be held, by slot
    uint64_t *full_pairs  # a bit per pair that is walked in full
    int32_t n_types, n_effects, n_pairs, n_terminations, n_timers, n_order, n_classes, n_resources
    int32_t n_players, n_counters, n_gates, n_missiles
    uint8_t needs_built  # some type treats its first sprite differently from later ones
    uint8_t has_targets
    uint8_t has_stops  # some termination changes what others may do
    uint8_t has_false_avatars  # some type has is_avatar, but no avatar class, and its sprites can be created in play
    uint8_t far_flung  # sprites may get so far that coordinates leave 32 bits: see `translate`
    # offsets of the optional parts of a sprite record, 0 where the game does not need them
    int32_t size_at, motion_at, vital_at, inner_at, target_at, missiles_at, resources_at
    int32_t stride  # bytes of a record

# ---------------------------------------------------------------------------------------------- board

cdef struct UpdateRow:  # a type whose sprites the sprite phase updates
    int32_t type, group
    int32_t kind  # UpdateKind
    # how they move if their speed is always the type's
    int32_t drifts  # whether they move along the orientation
    int32_t drift  # how far, in pixels
    int32_t step  # pixels of an active step, 0 for none
    int32_t cooldown
    int32_t unused
    uint64_t period  # 2^64 / cooldown, rounded up; 0 for 2^64

cdef struct EdgeWalk:  # sprites that an edge effect looks at
    int32_t effect  # -1: the edge line names no type, which is fatal
    int32_t type, group

cdef struct EdgeTurn:  # the walks that an edge line gives rise to, those of all lines with its type
    int32_t start, len  # in `edge_walks`

cdef struct Blocked:  # a type whose first collisions, if they are with certain level sprites, can only step it back
    uint64_t walls  # collision classes of those, as in `Encounters`
    int32_t group
    int32_t unused

cdef struct Mixing:  # what records of a group can meet; the rows are ordered by the number of partners, the largest first
    uint64_t partners  # groups, a bit for each
    uint64_t level  # collision classes of level sprites, as in `Encounters`
    uint64_t unblocked  # those of them that can do more to them than `turn_back` does
    int32_t group
    int32_t unused

cdef struct Encounters:  # what sprites of a type can meet on a board: sets of collision classes, a bit for each (modulo 64)
    uint64_t own  # their class
    uint64_t partners  # classes that they can meet and that can occur on this board
    uint64_t recorded  # those of them that can have records
    uint64_t hidden  # those of them that do not meet themselves
    int32_t collision_class
    int32_t unused

cdef struct LevelTables:
    Rules *rules
    int32_t block  # pixels per cell
    int32_t columns, rows
    int32_t width, height  # of the screen in pixels
    int32_t last_x, last_y  # largest position at which a sprite of one cell is on the screen
    char *templates  # a record per type, ready to be copied
    char *level  # records of level-born sprites that live here: the vanishing ones, then the static ones
    int32_t n_vanishing, n_level
    int32_t *cells  # start of the level sprites in each cell (bordered grid), n_cells + 1 entries
    uint64_t *cell_masks  # per cell: classes of its level sprites, as in `Encounters`
    Encounters *encounters  # per type
    # Where a sprite of the size of a cell is: across[x] + down[y] is 4 times the first cell that it covers (bordered grid), plus 2 if
    # it reaches into the next column and 1 if it reaches into the next row. From -block to the extent of the screen;
    # sprites farther away use the end of the table. NULL on very large screens.
    uint32_t *across
    uint32_t *down
    int32_t *cell_list  # indices into level, only of types that can meet something
    int32_t *type_level  # start of each type's level sprites, n_types + 1 entries
    int32_t *type_level_list  # indices into level, by id
    int32_t *group_of  # per type: its group in the state, -1 if its number never changes
    int32_t *fixed_count  # per type: number of sprites where group_of is -1
    int32_t *fixed_under  # per type: the sum of these over its subtypes list
    int32_t *groups_under  # start of each type's groups, those of its subtypes list, n_types + 1 entries
    int32_t *groups_under_list
    UpdateRow *updates  # types with records, in the order of the sprite phase
    EdgeTurn *edge_turns  # one for each edge line
    EdgeWalk *edge_walks  # edge effects, each for every type with records
    Blocked *blocked
    Mixing *mixing  # empty if there are more than 64 groups
    int32_t n_groups, n_updates, n_edge_turns, n_edge_walks, n_blocked, n_mixing
    int32_t n_cells  # (columns + 2) * (rows + 2)
    int16_t *paths  # first steps between free cells (cell numbers without border), NULL without a path finder
    # offsets of the state's sections
    int32_t counters_at, gates_at, built_at, groups_at, alive_at, timers_at
    int32_t records_at  # at the start; waiting timers may push the records back
    int32_t initial_size
    char *initial  # the state before the first tick, without a seed

# ---------------------------------------------------------------------------------------------- state

cdef struct Header:
    uint64_t rng  # generator, 48 bits
    uint64_t side_rng  # a second one, for what the reference draws from unseeded generators
    double score[2]
    int32_t size  # bytes of the block in use
    int32_t tick  # number of the tick to come
    int32_t n_sprites  # records
    int32_t next_id
    int32_t sprite_count  # for the limit; drifts from the true number
    int32_t messages  # logged so far
    int32_t n_disabled
    int32_t n_timers
    int32_t avatar[2]  # record of each player's avatar, -1 if gone
    int32_t winner[2]
    int32_t failure  # Failure
    int32_t failure_line
    int8_t last_action[2]
    uint8_t ended
    uint8_t can_end
    int32_t records_at  # offset of the sprite records
    int32_t unused  # keeps the size a multiple of 8

cdef struct Group:
    int32_t first, last  # records, -1 if none
    int32_t count  # all sprites of exactly this type, level-born ones included

cdef struct Sprite:
    int32_t id
    int16_t type
    uint16_t flags  # SpriteFlag
    int32_t x, y
    int32_t last_x, last_y  # rectangle at the start of its own update
    int32_t lastmove  # updates since the last displacement
    int32_t next  # next record of the same type, -1 at the end
    double orientation_x, orientation_y

cdef struct Size:
    int32_t w, h, last_w, last_h

cdef struct Motion:
    double speed, gravity, rotation, facing

cdef struct Vital:
    int32_t health, max_health

cdef struct Inner:
    int32_t time_to_live
    int32_t clock  # Flicker: age; spawners: start; NPCs: repeats of the last move; WizardAvatar: last_block_time
    int32_t count  # spawners: sprites made; NPCs: last drawn direction (index + 1, 0 none); WizardAvatar: facing
    int32_t itype  # spawners and teleports: the type made

cdef struct Target:
    int32_t id  # of the sprite chased, -1 if none
    int32_t x, y, w, h  # its rectangle, kept up to date as long as it lives
    int32_t known_x, known_y  # where it was last seen
    int32_t known  # whether that place is set
