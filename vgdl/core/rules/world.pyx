"""Creating, killing and moving sprites, the cell index that finds who meets whom, and the clear phase.

The index has a static part (the board's cell lists) and a moving part (nodes in scratch memory). It is up to date from the
start of the pair effects to the end of the tick. Whenever a record enters it, every sprite that it overlaps and can meet in
some pair is noted as a *hit* of that pair. Hits are candidates: the event phase puts them into the specified order and tests
them again when their turn comes, so a stale hit costs a comparison and nothing else.

Where most records rest, the moving part is kept between the ticks of one state. `build_index` then enters again what has
moved, and what met another sprite, which it may still do; a resting record that met none costs one comparison.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy, memmove, memset

from vgdl.core.rules.debug cimport CHECKED, check_creation, check_kill
from vgdl.core.data.layout cimport (
    DISABLED, KILLED, LEVEL_BORN, ORIGINAL, SPRITE_LIMIT, CANNOT_CREATE, OUT_OF_MEMORY, WRONG_ANALYSIS, ZERO_HEIGHT, Encounters,
    Group, Header, LevelTables, PairRow, Rules, Size, Sprite, Target, TypeRow,
)
from vgdl.core.data.scratch cimport (
    Hit, Node, Spot, Scratch, height, intersects, level_alive, level_killed, level_sprite, number, record, reference, resolve, size_of,
    target_of, trunc, width,
)


cdef enum:
    FEW = 8  # resting records for which no index is kept
    MOST_HITS = 1 << 20  # which is 16 MiB
    FREE_LISTING = 4096  # steps of the index that need no justification: some 50 microseconds
    FULL_TESTS = 4  # tests of two rectangles in the time of one step of the index


cdef int fail(Scratch *w, int failure, int line) noexcept nogil:
    """End the state with an error: what the specification calls a crash. The first one counts."""
    if w.header.failure == 0:
        w.header.failure = failure
        w.header.failure_line = line
    w.header.ended = 1
    return -1


cdef void warn(Scratch *w) noexcept nogil:
    """Log a message; more than 25 of them end a game (engine, 7.8)."""
    w.header.messages += 1


cdef void *enlarged(void *array, int32_t *room, int64_t needed, int64_t item) noexcept nogil:
    """The array, made larger; NULL (and the old array still valid) without memory."""
    cdef int64_t wanted = 2 * <int64_t>room[0] if 2 * <int64_t>room[0] > needed else needed + 16
    cdef void *bigger = realloc(array, wanted * item)
    if bigger != NULL:
        room[0] = <int32_t>wanted
    return bigger


# ---------------------------------------------------------------------------------------------- memory

cdef void rebase(Scratch *w) noexcept nogil:
    w.header = <Header *>w.block
    w.records = w.block + w.header.records_at
    w.groups = <Group *>(w.block + w.board.groups_at)
    w.gates = <uint8_t *>(w.block + w.board.gates_at)
    w.alive = <uint64_t *>(w.block + w.board.alive_at)


cdef int grow_block(Scratch *w, int64_t needed) noexcept nogil:
    cdef char *block
    if needed <= w.capacity:
        return 0
    if not CHECKED:  # a checked build moves the block whenever it can, so that stale pointers show
        needed += needed >> 1
    if needed > 2147483000:
        return fail(w, OUT_OF_MEMORY, 0)
    block = <char *>realloc(w.block, needed)
    if block == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.block = block
    w.capacity = needed
    rebase(w)
    return 0


cdef int reserve(Scratch *w, int count) noexcept nogil:
    """Make room for ``count`` more sprites; pointers to sprites are invalid afterwards."""
    cdef int64_t needed = w.header.records_at + <int64_t>w.stride * (w.header.n_sprites + <int64_t>count)
    if needed > w.capacity:
        return grow_block(w, needed)
    return 0


# -------------------------------------------------------------------------------------------------- creating and killing

cdef int add_sprite(Scratch *w, int stype, double x, double y, bint force) noexcept nogil:
    """A new sprite's record, -1 if none was created (engine, 3.1). Invalidates pointers unless room was reserved."""
    cdef Rules *rules = w.rules
    cdef TypeRow *t
    cdef Sprite *s
    cdef Group *group
    cdef Size *size
    cdef uint8_t *built
    cdef int k, index
    if w.header.sprite_count > SPRITE_LIMIT:
        warn(w)
        return -1
    if stype < 0:
        return fail(w, CANNOT_CREATE, 0)
    t = &rules.types[stype]
    if not force:
        for k in range(t.itypes_start, t.itypes_start + t.itypes_len):
            if rules.types[rules.pool[k]].singleton and number(w, rules.pool[k]) > 0:
                return -1
    if not t.creatable:
        return fail(w, CANNOT_CREATE, 0)
    if CHECKED:
        check_creation(w, stype)
    if w.board.group_of[stype] < 0:
        return fail(w, WRONG_ANALYSIS, 0)
    if reserve(w, 1) < 0:
        return -1
    index = w.header.n_sprites
    group = &w.groups[w.board.group_of[stype]]
    s = record(w, index)
    memcpy(s, w.board.templates + <int64_t>stype * w.stride, w.stride)
    s.id = w.header.next_id
    s.x = s.last_x = trunc(x)
    s.y = s.last_y = trunc(y)
    if rules.needs_built:
        built = <uint8_t *>(w.block + w.board.built_at)
        if not (built[stype >> 3] >> (stype & 7)) & 1:
            built[stype >> 3] |= <uint8_t>(1 << (stype & 7))
            s.flags |= ORIGINAL
            w.header.messages += t.messages
            if w.size_at:
                size = size_of(w, s)
                size.last_w = size.last_h = w.block_size
        elif w.size_at and size_of(w, s).h == 0:
            return fail(w, ZERO_HEIGHT, 0)
    if group.last >= 0:
        record(w, group.last).next = index
    else:
        group.first = index
    group.last = index
    group.count += 1
    w.header.next_id += 1
    w.header.n_sprites += 1
    w.header.sprite_count += 1
    w.header.size += w.stride
    w.undone = -1
    if is_indexing(w) and (index_room(w, index + 1) < 0 or enter(w, index) < 0):
        return -1
    return index


cdef int kill(Scratch *w, Sprite *s, bint transformed) noexcept nogil:
    """Disable an avatar, or put any other sprite on the kill list, again if it is there (engine, 3.4)."""
    cdef int32_t *kills
    cdef int ref
    if not transformed and w.rules.types[s.type].avatar_object:
        if not s.flags & DISABLED:
            s.flags |= DISABLED
            w.header.n_disabled += 1
        return 0
    ref = reference(w, s)
    if s.flags & KILLED or (ref < 0 and level_killed(w, -1 - ref)):  # what is copied here may have been killed since
        w.repeated_kills += 1
        return 0
    kills = <int32_t *>room_for(w.kills, &w.room_kills, w.n_kills + 1, sizeof(int32_t))
    if kills == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.kills = kills
    if CHECKED:
        check_kill(w, ref)
    if ref < 0:
        if -1 - ref >= w.board.n_vanishing:
            return fail(w, WRONG_ANALYSIS, 0)
        w.killed[(-1 - ref) >> 6] |= <uint64_t>1 << ((-1 - ref) & 63)
    w.kills[w.n_kills] = ref
    w.n_kills += 1
    s.flags |= KILLED
    return 0


cdef int kill_reference(Scratch *w, int ref, bint transformed) noexcept nogil:
    """`kill` for a sprite that may live in the board."""
    return kill(w, resolve(w, ref, 2), transformed)


# ---------------------------------------------------------------------------------------------- rectangles

cdef void set_rect(Scratch *w, Sprite *s, int x, int y, int wide, int high) noexcept nogil:
    """Write a sprite's rectangle. The only function that does so in the event phase."""
    cdef Size *size
    if w.size_at:
        size = size_of(w, s)
        if high == 0:
            fail(w, ZERO_HEIGHT, 0)
        if s.x == x and s.y == y and size.w == wide and size.h == high:
            return
        size.w = wide
        size.h = high
    elif s.x == x and s.y == y:
        return
    s.x = x
    s.y = y
    w.undone = -1
    if is_indexing(w) and not s.flags & LEVEL_BORN:
        reindex(w, reference(w, s))


cdef void restore(Scratch *w, Sprite *s) noexcept nogil:
    """Put a sprite back to where it was at the start of its update."""
    cdef Size *size
    if w.size_at:
        size = size_of(w, s)
        set_rect(w, s, s.last_x, s.last_y, size.last_w, size.last_h)
    else:
        set_rect(w, s, s.last_x, s.last_y, 0, 0)


# ---------------------------------------------------------------------------------------------- index

cdef inline bint is_indexing(Scratch *w) noexcept nogil:
    return w.index_built and not w.without_index


cdef void compare_with_full(Scratch *w) noexcept nogil:
    """Go on with the index only if the tests of all sprites of all pairs, as the specification writes them, would take longer.

    In a crowd everything overlaps everything: the index would list, and sort again after every move, what these tests find anyway.
    """
    cdef PairRow *pair
    cdef int64_t tests = 0
    cdef int k
    for k in range(w.rules.n_pairs):
        pair = &w.rules.pairs[k]
        tests += <int64_t>pair.effects_len * number(w, pair.first) * number(w, pair.second)
    if w.listing > tests / FULL_TESTS:
        w.without_index = 1
    else:
        w.most_listing = tests / FULL_TESTS


cdef inline int cell_of(Scratch *w, int position, int extent, int last) noexcept nogil:
    """Column or row of a pixel in the bordered grid: 0 before the screen, ``last`` behind it."""
    if position < 0:
        return 0
    if position >= extent:
        return last
    return position / w.block_size + 1


cdef inline void note(Scratch *w, int pair, int first, int second) noexcept nogil:
    """Record that two sprites may meet in a pair."""
    cdef Hit *hits
    cdef Hit *hit
    if w.n_hits >= MOST_HITS:
        w.without_index = 1
        return
    if w.n_hits == w.room_hits:
        hits = <Hit *>room_for(w.hits, &w.room_hits, w.n_hits + 1, sizeof(Hit))
        if hits == NULL:
            fail(w, OUT_OF_MEMORY, 0)
            return
        w.hits = hits
    hit = &w.hits[w.n_hits]
    hit.pair = pair
    hit.first = first
    hit.second = second
    hit.next = w.pair_heads[pair]
    w.pair_heads[pair] = w.n_hits
    w.active[pair >> 6] |= <uint64_t>1 << (pair & 63)
    w.n_hits += 1


cdef inline void meet(Scratch *w, int a, int class_a, int b, int class_b) noexcept nogil:
    """Note the overlapping sprites a (a record) and b for every pair in which they are first and second, either way round."""
    cdef Rules *rules = w.rules
    cdef int32_t *bounds = &rules.contacts[class_a * rules.n_classes + class_b]
    cdef int k
    w.spots[a].meets = 1
    if b >= 0:
        w.spots[b].meets = 1
    for k in range(bounds[0], bounds[1]):
        if rules.contact_pairs[k] >= w.current_pair:
            note(w, rules.contact_pairs[k], a, b)
    bounds = &rules.contacts[class_b * rules.n_classes + class_a]
    for k in range(bounds[0], bounds[1]):
        if rules.contact_pairs[k] >= w.current_pair:
            note(w, rules.contact_pairs[k], b, a)


cdef void meet_level(Scratch *w, int index, Sprite *s, int class_s, int cell) noexcept nogil:
    """Note the level sprites of a cell that a record overlaps."""
    cdef LevelTables *board = w.board
    cdef Sprite *o
    cdef int k, j
    for k in range(board.cells[cell], board.cells[cell + 1]):
        j = board.cell_list[k]
        if level_alive(w, j):
            o = level_sprite(w, j)
            if intersects(w, s, o):
                meet(w, index, class_s, -1 - j, board.encounters[o.type].collision_class)


cdef int meet_records(Scratch *w, int index, Sprite *s, int class_s, uint64_t partners, int cell) noexcept nogil:
    """Note the records of a cell that a record overlaps. Two that share several cells meet in the first of them."""
    cdef Spot *mine = &w.spots[index]
    cdef Spot *spot
    cdef Node *node
    cdef int column = cell % (w.board.columns + 2), row = cell / (w.board.columns + 2)
    cdef int n = w.cell_heads[cell], visited = 0
    while n >= 0:
        node = &w.nodes[n]
        n = node.next
        visited += 1
        if not (partners >> (node.collision_class & 63)) & 1:
            continue
        spot = &w.spots[node.record]
        if (column == mine.column or column == spot.column) and (row == mine.row or row == spot.row):
            if intersects(w, s, record(w, node.record)):
                meet(w, index, class_s, node.record, node.collision_class)
    return visited


cdef int nodes_for(Scratch *w, Spot *spot, int count) noexcept nogil:
    """Give a record space for more nodes than it has. It keeps that space when the index is dropped."""
    cdef int room = 2 if count <= 2 else count
    cdef void *grown
    if w.n_nodes + room > w.room_nodes:
        grown = room_for(w.nodes, &w.room_nodes, w.n_nodes + room, sizeof(Node))
        if grown == NULL:
            return fail(w, OUT_OF_MEMORY, 0)
        w.nodes = <Node *>grown
    spot.first = w.n_nodes
    spot.room = room
    w.n_nodes += room
    return 0


cdef bint visit(Scratch *w, int index, Sprite *s, Encounters *encounters, int cell) noexcept nogil:
    cdef int visited = 0
    if w.board.cell_masks[cell] & encounters.partners:
        visited = w.board.cells[cell + 1] - w.board.cells[cell]
        meet_level(w, index, s, encounters.collision_class, cell)
    if w.cell_heads[cell] >= 0:
        visited += meet_records(w, index, s, encounters.collision_class, encounters.partners, cell)
    count_listing(w, visited)
    return w.without_index


cdef inline bint look_into(Scratch *w, int index, Sprite *s, Encounters *encounters, int cell) noexcept nogil:
    """Note what a record meets in a cell: mostly nothing, so the rest is kept out of line. Whether the index was given up."""
    return w.cell_masks[cell] & encounters.partners and visit(w, index, s, encounters, cell)


cdef inline void occupy(Scratch *w, int index, int class_s, int cell, int n) noexcept nogil:
    """List a record in a cell, by its node ``n``."""
    cdef Node *node = &w.nodes[n]
    cdef int32_t *head = &w.cell_heads[cell]
    node.cell = cell
    node.record = index
    node.collision_class = class_s
    node.next = head[0]
    head[0] = n
    w.cell_masks[cell] |= <uint64_t>1 << (class_s & 63)


cdef int enter_large(Scratch *w, int index) noexcept nogil:
    """`enter` for a record that may be of any size and anywhere."""
    cdef LevelTables *board = w.board
    cdef Sprite *s = record(w, index)
    cdef Spot *spot = &w.spots[index]
    cdef Encounters *encounters = &board.encounters[s.type]
    cdef int class_s = encounters.collision_class
    cdef int left = cell_of(w, s.x, board.width, board.columns + 1)
    cdef int top = cell_of(w, s.y, board.height, board.rows + 1)
    cdef int right = cell_of(w, s.x + width(w, s) - 1, board.width, board.columns + 1)
    cdef int bottom = cell_of(w, s.y + height(w, s) - 1, board.height, board.rows + 1)
    cdef int c, r, n
    if right < left or bottom < top:  # an empty rectangle meets nothing
        return 0
    spot.column = left
    spot.row = top
    n = (right - left + 1) * (bottom - top + 1)
    count_listing(w, n)
    for r in range(top, bottom + 1):
        for c in range(left, right + 1):
            if look_into(w, index, s, encounters, r * (board.columns + 2) + c):
                return 0
    if not encounters.listed:
        return 0
    if n > spot.room and nodes_for(w, spot, n) < 0:
        return -1
    spot.count = n
    n = spot.first
    for r in range(top, bottom + 1):
        for c in range(left, right + 1):
            occupy(w, index, class_s, r * (board.columns + 2) + c, n)
            n += 1
    return 0


cdef int enter_all(Scratch *w, int index, int end) noexcept nogil:
    """Put the records from one to before another into the cells that they cover, noting whom each overlaps there."""
    cdef LevelTables *board = w.board
    cdef Encounters *encounters
    cdef int class_s, x, y, column, line, cell, n, resting = 0
    # what stays as it is, in variables: the compiler would look at it again after every write
    cdef Encounters *all_encounters = board.encounters
    cdef int64_t stride = w.stride
    cdef int block = w.block_size, further = board.columns + 2
    cdef bint usual = w.size_at == 0 and board.inverse != 0, wide, high
    cdef uint32_t last_x = board.last_x, last_y = board.last_y
    cdef Sprite *s
    cdef Spot *spot
    cdef char *next_record = <char *>record(w, index)
    cdef Spot *next_spot = &w.spots[index]
    if end > w.n_spots:
        w.n_spots = end
    for index in range(index, end):
        s = <Sprite *>next_record
        spot = next_spot
        next_record += stride
        next_spot += 1
        encounters = &all_encounters[s.type]
        class_s = encounters.collision_class
        x = s.x
        y = s.y
        resting += x == s.last_x and y == s.last_y
        spot.count = 0
        spot.meets = 0
        spot.x = x
        spot.y = y
        if w.size_at:
            spot.w = width(w, s)
            spot.h = height(w, s)
        if encounters.partners == 0:
            continue
        if not usual or <uint32_t>x > last_x or <uint32_t>y > last_y:  # those below 0 are large, too
            if enter_large(w, index) < 0:
                return -1
            if w.without_index:
                break
            continue
        # one cell in size and on the screen: nearly every sprite of nearly every game. It covers one, two or four cells.
        column = <int>((<uint64_t>x * board.inverse) >> 32)
        line = <int>((<uint64_t>y * board.inverse) >> 32)
        wide = column * block != x
        high = line * block != y
        cell = (line + 1) * further + column + 1
        spot.column = column + 1
        spot.row = line + 1
        if look_into(w, index, s, encounters, cell):
            break
        if wide and look_into(w, index, s, encounters, cell + 1):
            break
        if high:
            if look_into(w, index, s, encounters, cell + further):
                break
            if wide and look_into(w, index, s, encounters, cell + further + 1):
                break
        if not encounters.listed:
            continue
        n = (1 + wide) * (1 + high)
        if n > spot.room and nodes_for(w, spot, n) < 0:
            return -1
        spot.count = n
        n = spot.first
        occupy(w, index, class_s, cell, n)
        if wide:
            n += 1
            occupy(w, index, class_s, cell + 1, n)
        if high:
            n += 1
            occupy(w, index, class_s, cell + further, n)
            if wide:
                occupy(w, index, class_s, cell + further + 1, n + 1)
    w.n_resting += resting
    return 0


cdef int enter(Scratch *w, int index) noexcept nogil:
    return enter_all(w, index, index + 1)


cdef void leave(Scratch *w, int index) noexcept nogil:
    """Take a record out of its cells. Hits noted before stay and are found stale later."""
    cdef Spot *spot = &w.spots[index]
    cdef int n, cell, visited = 0
    cdef int32_t *link
    for n in range(spot.first, spot.first + spot.count):
        cell = w.nodes[n].cell
        link = &w.cell_heads[cell]
        visited += 1
        while link[0] != n:
            link = &w.nodes[link[0]].next
            visited += 1
        link[0] = w.nodes[n].next
        if w.cell_heads[cell] < 0:
            w.cell_masks[cell] = w.board.cell_masks[cell]
    spot.count = 0
    count_listing(w, visited)


cdef void sweep_cells(Scratch *w, int index) noexcept nogil:
    """Take a dead record out of its cells, and with it all that are dead there: a crowd dies in one pass over its list."""
    cdef Spot *spot = &w.spots[index]
    cdef int n, cell
    cdef int32_t *link
    for n in range(spot.first, spot.first + spot.count):
        cell = w.nodes[n].cell
        if cell < 0:  # swept out with another one
            continue
        link = &w.cell_heads[cell]
        while link[0] >= 0:
            if record(w, w.nodes[link[0]].record).id < 0:
                w.nodes[link[0]].cell = -1
                link[0] = w.nodes[link[0]].next
            else:
                link = &w.nodes[link[0]].next
        if w.cell_heads[cell] < 0:
            w.cell_masks[cell] = w.board.cell_masks[cell]
    spot.count = 0


cdef int more_spots(Scratch *w, int count) noexcept nogil:
    cdef int before = w.room_spots
    cdef void *grown = enlarged(w.spots, &w.room_spots, count, sizeof(Spot))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.spots = <Spot *>grown
    memset(&w.spots[before], 0, (w.room_spots - before) * sizeof(Spot))
    return 0


cdef inline int index_room(Scratch *w, int count) noexcept nogil:
    """Room in the array that the index keeps per record."""
    return 0 if count <= w.room_spots else more_spots(w, count)


cdef int reindex(Scratch *w, int index) noexcept nogil:
    """A record that is in the index has a new rectangle."""
    leave(w, index)
    return enter(w, index)


cdef inline bint rests(Scratch *w, int index) noexcept nogil:
    """Whether a record is where it was when it was entered."""
    cdef Sprite *s = record(w, index)
    cdef Spot *spot = &w.spots[index]
    return (s.x == spot.x and s.y == spot.y
            and (w.size_at == 0 or (size_of(w, s).w == spot.w and size_of(w, s).h == spot.h)))


cdef int build_index(Scratch *w) noexcept nogil:
    """Bring the index up to date; the hits are then complete."""
    cdef int index, again = -1
    w.current_pair = 0
    w.without_index = 0
    w.listing = 0
    w.most_listing = FREE_LISTING
    w.n_resting = 0
    if index_room(w, w.header.n_sprites + 16) < 0:
        return -1
    w.index_built = 1
    for index in range(w.n_spots - 1, -1, -1):  # the last first: it is the first of its cells' lists
        if w.spots[index].meets or not rests(w, index):
            leave(w, index)
            w.spots[index].next = again
            again = index
        else:
            w.n_resting += 1
    while again >= 0:  # only when all of them have left: two that meet then find each other once
        index = again
        again = w.spots[index].next
        if enter(w, index) < 0:
            return -1
        if w.without_index:
            return 0
    if enter_all(w, w.n_spots, w.header.n_sprites) < 0:
        return -1
    w.keeps = w.n_resting > FEW and 2 * w.n_resting > w.header.n_sprites
    return 0


cdef void drop_hits(Scratch *w) noexcept nogil:
    cdef int k
    for k in range(w.n_hits):
        w.pair_heads[w.hits[k].pair] = -1
        w.active[w.hits[k].pair >> 6] = 0
    w.n_hits = 0


cdef void drop_index(Scratch *w) noexcept nogil:
    """Forget the moving part of the index."""
    cdef int cell, n
    cdef int32_t *heads = w.cell_heads
    cdef uint64_t *masks = w.cell_masks
    cdef uint64_t *bare = w.board.cell_masks
    cdef Spot *spot = w.spots
    cdef Spot *end = spot + w.n_spots
    cdef Node *node
    while spot < end:
        n = spot.count
        if n:
            node = &w.nodes[spot.first]
            while n:
                cell = node.cell
                heads[cell] = -1
                masks[cell] = bare[cell]
                node += 1
                n -= 1
        spot += 1
    drop_hits(w)
    w.n_spots = 0
    w.index_built = 0
    w.keeps = 0


cdef void rest_index(Scratch *w) noexcept nogil:
    """End of the tick: keep the index if most records rest."""
    if not w.keeps:
        drop_index(w)
        return
    drop_hits(w)
    w.index_built = 0


cdef inline void renumber(Scratch *w, int index, int number) noexcept nogil:  # no-cython-lint
    """A record has taken another one's place, which had left the index."""
    cdef Spot *spot = &w.spots[number]
    cdef Spot left = spot[0]
    cdef int n
    spot[0] = w.spots[index]
    w.spots[index] = left  # which keeps its room
    for n in range(spot.first, spot.first + spot.count):
        w.nodes[n].record = number


# ---------------------------------------------------------------------------------------------- clear

cdef int find_by_id(Scratch *w, int wanted_id) noexcept nogil:
    """The record with this id, -1 if there is none: records are in order of their ids."""
    cdef int low = 0, high = w.header.n_sprites - 1, middle
    while low <= high:
        middle = (low + high) >> 1
        if record(w, middle).id < wanted_id:
            low = middle + 1
        elif record(w, middle).id > wanted_id:
            high = middle - 1
        else:
            return middle
    return -1


cdef void follow_targets(Scratch *w) noexcept nogil:
    """Sprites that chase one that is about to go remember its last rectangle (sprites, 12.22)."""
    cdef int k, found
    cdef Sprite *s
    cdef Target *t
    for k in range(w.header.n_sprites):
        s = record(w, k)
        t = target_of(w, s)
        if t.id >= 0:
            found = find_by_id(w, t.id)
            if found >= 0:
                s = record(w, found)
                t.x = s.x
                t.y = s.y
                t.w = width(w, s)
                t.h = height(w, s)


cdef void close_ranks(Scratch *w) noexcept nogil:
    """Close the gaps that dead records leave; their id is -1."""
    cdef int n = w.header.n_sprites, kept = 0, k = 0, start, i
    while k < n:
        if record(w, k).id < 0:
            k += 1
            continue
        start = k  # a run of living records moves as a whole
        while k < n and record(w, k).id >= 0:
            k += 1
        if start != kept:
            memmove(record(w, kept), record(w, start), <int64_t>(k - start) * w.stride)
            if w.keeps:
                for i in range(k - start):
                    renumber(w, start + i, kept + i)
        kept += k - start
    w.header.size -= (n - kept) * w.stride
    w.header.n_sprites = kept
    if w.keeps:
        w.n_spots = kept


cdef void link_groups(Scratch *w) noexcept nogil:
    """Rebuild the list of every type, in order of the records."""
    cdef int k
    cdef Sprite *s
    cdef Group *group
    for k in range(w.board.n_groups):
        w.groups[k].first = w.groups[k].last = -1
    for k in range(w.header.n_sprites):
        s = record(w, k)
        s.next = -1
        group = &w.groups[w.board.group_of[s.type]]
        if group.last >= 0:
            record(w, group.last).next = k
        else:
            group.first = k
        group.last = k


cdef int clear_dead(Scratch *w) noexcept nogil:
    """Remove the sprites of the kill list; every time that one was killed counts for the sprite count (engine, 7.6)."""
    cdef Header *h = w.header
    cdef Sprite *s
    cdef int k, p, ref, j, kept, records_died = 0
    if w.rules.has_targets:
        follow_targets(w)
    h.sprite_count -= w.n_kills + w.repeated_kills
    for k in range(w.n_kills):
        ref = w.kills[k]
        if ref >= 0:
            s = record(w, ref)
            s.flags &= ~KILLED
            s.id = -1
            records_died += 1
            if s.flags & DISABLED:
                h.n_disabled -= 1
            for p in range(w.rules.n_players):
                if h.avatar[p] == ref:
                    h.avatar[p] = -1
            w.groups[w.board.group_of[s.type]].count -= 1
        else:
            j = -1 - ref
            w.alive[j >> 6] &= ~(<uint64_t>1 << (j & 63))
            w.killed[j >> 6] &= ~(<uint64_t>1 << (j & 63))
            w.groups[w.board.group_of[level_sprite(w, j).type]].count -= 1
    if w.keeps:
        for k in range(w.n_kills):
            if w.kills[k] >= 0:
                sweep_cells(w, w.kills[k])
    w.n_kills = w.repeated_kills = 0
    if records_died == 0:
        return 0
    for p in range(w.rules.n_players):
        kept = h.avatar[p]
        for k in range(kept):
            h.avatar[p] -= record(w, k).id < 0
    close_ranks(w)
    link_groups(w)
    return 0
