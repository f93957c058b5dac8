"""The cell index, which finds the sprites that meet.

The index has a static part (the board's cell lists) and a moving part. It is up to date from the start of the pair
effects to the end of the tick. Whenever a record enters it, every sprite that it overlaps and can meet in some pair is
noted as a *hit* of that pair. Hits are candidates: the event phase puts them into the specified order and tests them
again when their turn comes, so a stale hit costs only a comparison.

There are three ways to build the moving part. If there are few records, each is listed in the cells that it covers, and
looks for others there. If there are many, marks show which of them need that (`mark_all`). If most records rest, the
lists are kept between the ticks of one state: `enter_again` enters the records that have moved, and those that met
another sprite, since they may still do so; a resting record that met none costs one comparison. If one of any two
records that meet is among few, these are compared with all others, and there is no moving part (`seek_all`).
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from vgdl.core.data.layout cimport OUT_OF_MEMORY, Encounters, LevelTables, Mixing, PairRow, Rules, Sprite
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.scratch cimport (
    MOST_SEEKERS, USUAL_NODES, Hit, Node, Scratch, Spot, enlarged, fail, height, intersects, larger, level_alive, level_sprite, number,
    record, room_for, size_of, width,
)
from vgdl.core.rules.places cimport has_rested, is_usual, place_at, point
from vgdl.core.rules.seekers cimport choose_groups, has_changed


cdef enum:
    FEW = 8  # resting records for which no index is kept
    MOST_HITS = 1 << 20  # 16 MiB
    FULL_TESTS = 3  # rectangle tests in the time of one index step
    MANY = 12  # with more records than this, marks in cells pay off
    MOST_CELLS = 24  # per record: up to here, clearing all cells takes no longer than clearing those of the records
    CALM = 3  # calm ticks before lists are kept: sprites that step every few ticks all rest in between
    MOST_SOUGHT = 4  # further searches through all records per tick that are cheaper than listing them
    RESTING = 8  # if fewer than one record in this many moves, kept lists pay off
    PAUSE = 15  # ticks without marks after they did not pay off
    SHORT_PAUSE = 3  # ticks in which no seekers are chosen by group, after there were too many
    SWEPT = -2  # `next` of a node that was taken out of its cell with other dead ones


cdef void compare_with_full(Scratch *w) noexcept nogil:
    """Keep the index in use only if the specified tests of all sprites of all pairs would take longer.

    In a crowd everything overlaps everything: the index would list, and sort again after every move, what these tests
    find anyway.
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


cdef inline int cell_of(Scratch *w, int64_t position, int extent, int last) noexcept nogil:
    """Column or row of a pixel in the bordered grid: 0 before the screen, ``last`` behind it."""
    if position < 0:
        return 0
    if position >= extent:
        return last
    return <int>position / w.block_size + 1


cdef inline void note(Scratch *w, int pair, int first, int second) noexcept nogil:
    """Record a hit: two sprites may meet in a pair."""
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


cdef inline void loosen(Scratch *w, int index) noexcept nogil:
    """Note that a record has met another sprite: it may still do so in the next tick."""
    cdef int k, own_id
    if w.n_loose > MOST_SEEKERS:
        return
    own_id = record(w, index).id
    for k in range(w.n_loose):
        if w.loose[k] == own_id:
            return
    if w.n_loose < MOST_SEEKERS:
        w.loose[w.n_loose] = own_id
    w.n_loose += 1


cdef inline void meet(Scratch *w, int a, int class_a, int b, int class_b) noexcept nogil:
    """Note the overlapping sprites a (a record) and b for every pair in which they can meet, in either order."""
    cdef Rules *rules = w.rules
    cdef int32_t *bounds = &rules.contacts[class_a * rules.n_classes + class_b]
    cdef int k
    w.spots[a].meets = 1
    loosen(w, a)
    if b >= 0:
        w.spots[b].meets = 1
        loosen(w, b)
    for k in range(bounds[0], bounds[1]):
        if rules.contact_pairs[k] >= w.current_pair:
            note(w, rules.contact_pairs[k], a, b)
    bounds = &rules.contacts[class_b * rules.n_classes + class_a]
    for k in range(bounds[0], bounds[1]):
        if rules.contact_pairs[k] >= w.current_pair:
            note(w, rules.contact_pairs[k], b, a)


cdef void meet_level(Scratch *w, int index, Sprite *s, Encounters *encounters, int cell) noexcept nogil:
    """Note the level sprites of a cell that a record overlaps. Without sizes, these fill their cells."""
    cdef LevelTables *board = w.board
    cdef Encounters *others
    cdef Sprite *o
    cdef int k, j
    for k in range(board.cells[cell], board.cells[cell + 1]):
        j = board.cell_list[k]
        o = level_sprite(w, j)
        others = &board.encounters[o.type]
        if others.own & encounters.partners and level_alive(w, j) and (w.size_at == 0 or intersects(w, s, o)):
            meet(w, index, encounters.collision_class, -1 - j, others.collision_class)


cdef inline bint is_first_shared(Scratch *w, Sprite *a, Sprite *b, int cell) noexcept nogil:
    """Whether a cell is the first of those that two overlapping sprites both cover."""
    cdef LevelTables *board = w.board
    cdef int x = larger(a.x, b.x), y = larger(a.y, b.y)
    if is_usual(w):
        return cell == <int>(place_at(board, x, y) >> 2)
    return cell == (cell_of(w, y, board.height, board.rows + 1) * (board.columns + 2)
                    + cell_of(w, x, board.width, board.columns + 1))


cdef int meet_records(Scratch *w, int index, Sprite *s, Encounters *encounters, int cell) noexcept nogil:
    """Note the records of a cell that a record overlaps. Two that share several cells meet in the first of them."""
    cdef Encounters *others
    cdef Sprite *o
    cdef Node *node
    cdef int n = w.cell_heads[cell], visited = 0
    while n >= 0:
        node = &w.nodes[n]
        n = node.next
        visited += 1
        o = record(w, node.record)
        others = &w.board.encounters[o.type]
        if others.own & encounters.partners and intersects(w, s, o) and is_first_shared(w, s, o, cell):
            meet(w, index, encounters.collision_class, node.record, others.collision_class)
    return visited


cdef int own_nodes(Scratch *w, int index, int room) noexcept nogil:
    """Give a record space for more nodes than it has. It keeps that space when the index is dropped."""
    cdef Spot *spot = &w.spots[index]
    cdef void *grown = room_for(w.nodes, &w.room_nodes, w.n_nodes + room, sizeof(Node))
    cdef int n
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.nodes = <Node *>grown
    spot.first = w.n_nodes
    spot.room = room
    w.n_nodes += room
    for n in range(spot.first, spot.first + room):
        w.nodes[n].record = index
    return 0


cdef bint visit(Scratch *w, int index, Sprite *s, Encounters *encounters, int cell) noexcept nogil:
    """Note what a record meets in a cell that is not known to be empty; return whether the index was given up."""
    cdef int visited = 0
    if w.board.cell_masks[cell] & encounters.partners:
        visited = w.board.cells[cell + 1] - w.board.cells[cell]
        meet_level(w, index, s, encounters, cell)
    if w.cell_heads[cell] >= 0:
        visited += meet_records(w, index, s, encounters, cell)
    count_listing(w, visited)
    return w.without_index


cdef bint look_around(Scratch *w, int index, Sprite *s, Encounters *encounters, int cell, int columns, int rows) noexcept nogil:
    """Note what a record meets in the cells that it covers; return whether the index was given up."""
    cdef int c, _r
    for _r in range(rows):
        for c in range(cell, cell + columns):
            if w.cell_masks[c] & encounters.partners and visit(w, index, s, encounters, c):
                return True
        cell += w.board.columns + 2
    return False


cdef inline void occupy(Scratch *w, uint64_t own, int cell, int n) noexcept nogil:
    """List a record in a cell, by its node ``n``."""
    w.nodes[n].next = w.cell_heads[cell]
    w.cell_heads[cell] = n
    w.cell_masks[cell] |= own


cdef int list_in(Scratch *w, int index, uint64_t own, int cell, int columns, int rows) noexcept nogil:
    """List a record in the cells that it covers."""
    cdef Spot *spot = &w.spots[index]
    cdef int n, c, _r
    if columns * rows > spot.room and own_nodes(w, index, columns * rows) < 0:
        return -1
    spot.cell = cell
    spot.columns = columns
    spot.rows = rows
    n = spot.first
    for _r in range(rows):
        for c in range(cell, cell + columns):
            occupy(w, own, c, n)
            n += 1
        cell += w.board.columns + 2
    return 0


cdef int enter_large(Scratch *w, int index) noexcept nogil:
    """`enter` for a record that may be of any size, or on a screen of any size."""
    cdef LevelTables *board = w.board
    cdef Sprite *s = record(w, index)
    cdef Spot *spot = &w.spots[index]
    cdef Encounters *encounters = &board.encounters[s.type]
    cdef int left, top, columns, rows, cell
    spot.x = s.x
    spot.y = s.y
    spot.w = width(w, s)
    spot.h = height(w, s)
    spot.meets = spot.rows = 0
    if encounters.partners == 0:
        return 0
    left = cell_of(w, s.x, board.width, board.columns + 1)
    top = cell_of(w, s.y, board.height, board.rows + 1)
    columns = cell_of(w, <int64_t>s.x + spot.w - 1, board.width, board.columns + 1) - left + 1
    rows = cell_of(w, <int64_t>s.y + spot.h - 1, board.height, board.rows + 1) - top + 1
    if columns < 1 or rows < 1:  # an empty rectangle meets nothing
        return 0
    cell = top * (board.columns + 2) + left
    count_listing(w, columns * rows)
    if look_around(w, index, s, encounters, cell, columns, rows) or encounters.recorded == 0:
        return 0
    return list_in(w, index, encounters.own, cell, columns, rows)


cdef inline bint enter_usual(Scratch *w, int index, Sprite *s, Spot *spot) noexcept nogil:
    """`enter` for a record of the size of a cell; return whether the index was given up."""
    cdef Encounters *encounters = &w.board.encounters[s.type]
    cdef uint64_t *masks = w.cell_masks
    cdef uint32_t place
    cdef int64_t cell, right, below
    spot.x = s.x
    spot.y = s.y
    spot.meets = spot.rows = 0
    if encounters.partners == 0:
        return False
    place = place_at(w.board, s.x, s.y)
    cell = place >> 2
    if place & 3 == 0:
        if unlikely(masks[cell] & encounters.partners) and visit(w, index, s, encounters, <int>cell):
            return True
        if encounters.recorded:
            spot.cell = <int>cell
            spot.columns = spot.rows = 1
            occupy(w, encounters.own, <int>cell, spot.first)
        return False
    # Always looking at four cells is faster than unpredictable branches.
    right = (place >> 1) & 1
    below = (w.board.columns + 2) & -<int64_t>(place & 1)
    if unlikely((masks[cell] | masks[cell + right] | masks[cell + below] | masks[cell + below + right]) & encounters.partners):
        if look_around(w, index, s, encounters, <int>cell, 1 + <int>right, 1 + (place & 1)):
            return True
    if encounters.recorded:
        spot.cell = <int>cell
        spot.columns = 1 + <int>right
        spot.rows = 1 + (place & 1)
        occupy(w, encounters.own, <int>cell, spot.first)
        occupy(w, encounters.own, <int>(cell + right + below), spot.first + spot.columns * spot.rows - 1)
        if unlikely(place & 3 == 3):
            occupy(w, encounters.own, <int>cell + 1, spot.first + 1)
            occupy(w, encounters.own, <int>(cell + below), spot.first + 2)
    return False


cdef int enter_all(Scratch *w, int index, int end) noexcept nogil:
    """Enter the records from ``index`` to before ``end`` into their cells, noting what each overlaps there."""
    cdef int resting = 0
    cdef int64_t stride = w.stride
    cdef char *next_record = <char *>record(w, index)
    cdef Spot *spot = &w.spots[index]
    cdef Sprite *s
    if end > w.n_spots:
        w.n_spots = end
    if not is_usual(w):
        for index in range(index, end):
            w.n_resting += has_rested(record(w, index))
            if enter_large(w, index) < 0:
                return -1
            if w.without_index:
                return 0
        return 0
    for index in range(index, end):
        s = <Sprite *>next_record
        next_record += stride
        resting += has_rested(s)
        if unlikely(enter_usual(w, index, s, spot)):
            break
        spot += 1
    w.n_resting += resting
    return 0


# Marks. If there are many records, all first mark the cells that they cover with their classes. Two that overlap see
# each other's mark; most records see no mark of a class that they can meet, and are not listed in their cells.

cdef int meet_marked(Scratch *w, int index, Sprite *s, uint32_t place, uint64_t seen) noexcept nogil:
    """Note what a record overlaps where it has seen marks; list it if it may overlap a record."""
    cdef Encounters *encounters = &w.board.encounters[s.type]
    cdef int columns = 1 + ((place >> 1) & 1), rows = 1 + (place & 1)
    if look_around(w, index, s, encounters, place >> 2, columns, rows) or seen & encounters.recorded == 0:
        return 0
    w.n_near += 1
    return list_in(w, index, encounters.own, place >> 2, columns, rows)


cdef int mark_all(Scratch *w) noexcept nogil:
    """`enter_all` with marks."""
    cdef LevelTables *board = w.board
    cdef Encounters *all_encounters = board.encounters
    cdef uint64_t *masks = w.cell_masks
    cdef int64_t stride = w.stride
    cdef int64_t[4] offsets  # from a place's cell to the last one that is covered, by the two lowest bits
    cdef int64_t cell
    cdef uint64_t own, seen
    cdef uint32_t place
    cdef char *next_record = w.records
    cdef Spot *spot = w.spots
    cdef Sprite *s
    cdef int index, resting = 0, n = w.header.n_sprites
    offsets[0] = 0
    offsets[1] = board.columns + 2
    offsets[2] = 1
    offsets[3] = board.columns + 3
    w.n_spots = n
    w.complete = w.n_sought = w.n_near = 0
    w.marked = 1
    for _k in range(n):
        s = <Sprite *>next_record
        next_record += stride
        resting += has_rested(s)
        place = place_at(board, s.x, s.y)
        spot.place = place
        spot.meets = spot.rows = 0
        spot += 1
        own = all_encounters[s.type].own
        cell = place >> 2
        masks[cell] |= own
        masks[cell + offsets[place & 3]] |= own  # the same one again, the other one of two, or the last of four
        if unlikely(place & 3 == 3):
            masks[cell + 1] |= own
            masks[cell + offsets[1]] |= own
    w.n_resting = resting
    next_record = w.records
    spot = w.spots
    for index in range(n):
        s = <Sprite *>next_record
        next_record += stride
        place = spot.place
        spot += 1
        cell = place >> 2
        seen = masks[cell] | masks[cell + offsets[place & 3]]
        if unlikely(place & 3 == 3):
            seen |= masks[cell + 1] | masks[cell + offsets[1]]
        if unlikely(seen & all_encounters[s.type].partners):
            if meet_marked(w, index, s, place, seen) < 0:
                return -1
            if w.without_index:
                return 0
    if 2 * w.n_near > n:
        w.unswept = PAUSE
    return 0


cdef int complete(Scratch *w, int but) noexcept nogil:
    """List all records but one in their cells; what they meet there has been noted."""
    cdef int index
    cdef uint32_t place
    cdef Encounters *encounters
    cdef Sprite *s
    cdef Spot *spot
    for index in range(w.n_spots):
        spot = &w.spots[index]
        s = record(w, index)
        spot.x = s.x
        spot.y = s.y
        encounters = &w.board.encounters[s.type]
        if spot.rows or index == but or encounters.recorded == 0:
            continue
        place = spot.place
        if list_in(w, index, encounters.own, place >> 2, 1 + ((place >> 1) & 1), 1 + (place & 1)) < 0:
            return -1
    w.complete = 1
    return 0


cdef inline int first_touching(Scratch *w, int index, int left, int top, uint32_t extent) noexcept nogil:
    """The first record from ``index`` on whose corner is in a square, the number of records if there is none."""
    cdef int n = w.header.n_sprites
    cdef int64_t stride = w.stride
    cdef char *next_record = w.records + index * stride
    cdef Sprite *s
    while index < n:
        s = <Sprite *>next_record
        if <uint32_t>(s.x - left) <= extent and <uint32_t>(s.y - top) <= extent:
            break
        next_record += stride
        index += 1
    return index


cdef void seek(Scratch *w, int index, Sprite *s) noexcept nogil:
    """Note the records that a record overlaps and that are not listed, as none is while `seeking`."""
    cdef Encounters *others
    cdef Encounters *encounters = &w.board.encounters[s.type]
    cdef int left = s.x - w.block_size + 1, top = s.y - w.block_size + 1, k = 0
    cdef uint32_t extent = 2 * w.block_size - 2
    while True:
        k = first_touching(w, k, left, top, extent)
        if k == w.header.n_sprites:
            break
        others = &w.board.encounters[record(w, k).type]
        if k != index and others.own & encounters.partners and (w.seeking or w.spots[k].rows == 0):
            meet(w, index, encounters.collision_class, k, others.collision_class)
        k += 1
    count_listing(w, w.header.n_sprites >> 2)


cdef int mark(Scratch *w, int index, Sprite *s, Spot *spot) noexcept nogil:
    """`enter_usual` where not all records are listed."""
    cdef Encounters *encounters = &w.board.encounters[s.type]
    cdef uint64_t *masks = w.cell_masks
    cdef uint32_t place = place_at(w.board, s.x, s.y)
    cdef uint64_t seen
    cdef int64_t cell = place >> 2, right = (place >> 1) & 1, below = (w.board.columns + 2) & -<int64_t>(place & 1)
    spot.place = place
    spot.meets = spot.rows = 0
    masks[cell] |= encounters.own
    masks[cell + right] |= encounters.own
    masks[cell + below] |= encounters.own
    masks[cell + below + right] |= encounters.own
    seen = masks[cell] | masks[cell + right] | masks[cell + below] | masks[cell + below + right]
    if seen & encounters.partners == 0:
        return 0
    if seen & encounters.hidden:
        w.n_sought += 1
        if w.n_sought <= MOST_SOUGHT:
            seek(w, index, s)
        elif complete(w, index) < 0:
            return -1
    return meet_marked(w, index, s, place, seen)


# No moving part at all. If few records are such that of any two that meet one is among them, these look for all others.

cdef inline void meet_level_at(Scratch *w, int index, Sprite *s, uint64_t classes) noexcept nogil:
    """Note the level sprites that a record overlaps if any of them may be of some classes."""
    cdef LevelTables *board = w.board
    cdef uint64_t *masks = board.cell_masks
    cdef uint32_t place = place_at(board, s.x, s.y)
    cdef int64_t cell = place >> 2, last
    if place & 3 == 3:
        last = cell + board.columns + 3
        if masks[cell + 1] & classes:
            meet_level(w, index, s, &board.encounters[s.type], <int>cell + 1)
        if masks[last - 1] & classes:
            meet_level(w, index, s, &board.encounters[s.type], <int>last - 1)
    else:
        last = cell + (board.columns + 2 if place & 1 else place >> 1 & 1)
    if masks[cell] & classes:
        meet_level(w, index, s, &board.encounters[s.type], <int>cell)
    if last != cell and masks[last] & classes:
        meet_level(w, index, s, &board.encounters[s.type], <int>last)


cdef inline void seek_around(Scratch *w, int index) noexcept nogil:
    """Note what a record overlaps, of all records and the level."""
    cdef Sprite *s = record(w, index)
    cdef Encounters *encounters = &w.board.encounters[s.type]
    if encounters.partners == 0:
        return
    meet_level_at(w, index, s, encounters.partners)
    if encounters.recorded:
        seek(w, index, s)


cdef void meet_level_beside(Scratch *w, bint turned_back) noexcept nogil:
    """Note the level sprites that records overlap, except those of the groups `sought`; if `mixed`, of changed records."""
    cdef Mixing *following = w.board.mixing
    cdef Mixing *end = following + w.board.n_mixing
    cdef uint64_t classes
    cdef bint some
    cdef Sprite *s
    cdef int index
    while following < end:
        classes = following.unblocked if turned_back else following.level
        if classes and not (w.sought >> following.group) & 1:
            index = w.groups[following.group].first
            some = w.mixed and index >= 0 and not has_changed(w, record(w, index))  # if the first has, most have
            while index >= 0:
                s = record(w, index)
                if not some or has_changed(w, s):
                    meet_level_at(w, index, s, classes)
                index = s.next
        following += 1


cdef bint seek_all(Scratch *w, int n, bint turned_back) noexcept nogil:
    """Let few records look for all others, the ``n`` that have been chosen or, if that is negative, those of some groups.

    Returns whether that is enough.
    """
    cdef int k, n_around = n
    if n < 0:
        if w.header.n_sprites <= MOST_SEEKERS or w.keeps or not is_usual(w):
            return False
        if w.crowded > 0:
            w.crowded -= 1
            return False
        n = n_around = choose_groups(w, &w.sought)
        if n < 0:
            w.crowded = SHORT_PAUSE
            return False
        meet_level_beside(w, turned_back)
    elif w.mixed:
        meet_level_beside(w, turned_back)
        n_around = w.n_around
        w.mixed = 0
    start_seeking(w)
    for k in range(n_around):
        seek_around(w, w.seekers[k])
    for k in range(n_around, n):
        seek(w, w.seekers[k], record(w, w.seekers[k]))
    return True


cdef int stop_seeking(Scratch *w, int but) noexcept nogil:
    """List all records but one in their cells; what they meet there has been noted."""
    cdef char *next_record = w.records
    cdef int64_t stride = w.stride
    cdef Spot *spot = w.spots
    cdef Sprite *s
    w.seeking = 0
    w.n_spots = w.header.n_sprites
    for _k in range(w.n_spots):
        s = <Sprite *>next_record
        next_record += stride
        spot.place = place_at(w.board, s.x, s.y)
        spot.rows = 0
        spot += 1
    return complete(w, but)


cdef int enter(Scratch *w, int index) noexcept nogil:
    """Enter a record that is new or has moved into the cells that it covers, noting what it overlaps there."""
    if w.seeking:
        w.n_sought += 1
        if w.n_sought <= MOST_SOUGHT:
            seek_around(w, index)
            return 0
        if stop_seeking(w, index) < 0:
            return -1
    if w.complete:
        return enter_all(w, index, index + 1)
    if index >= w.n_spots:
        w.n_spots = index + 1
    return mark(w, index, record(w, index), &w.spots[index])


cdef void leave(Scratch *w, int index) noexcept nogil:
    """Take a record out of its cells. Its hits stay, and are found to be stale later."""
    cdef Spot *spot = &w.spots[index]
    cdef int n = spot.first, row = spot.cell, cell, visited = 0, _r
    cdef int32_t *link
    if spot.rows == 0:
        return
    for _r in range(spot.rows):
        for cell in range(row, row + spot.columns):
            link = &w.cell_heads[cell]
            visited += 1
            while link[0] != n:
                link = &w.nodes[link[0]].next
                visited += 1
            link[0] = w.nodes[n].next
            if w.complete and w.cell_heads[cell] < 0:
                w.cell_masks[cell] = w.board.cell_masks[cell]
            n += 1
        row += w.board.columns + 2
    spot.rows = 0
    count_listing(w, visited)


cdef void sweep_cells(Scratch *w, int index) noexcept nogil:
    """Take a dead record and all other dead ones out of its cells: a crowd dies in one pass over its list."""
    cdef Spot *spot = &w.spots[index]
    cdef Node *node
    cdef int n = spot.first, row = spot.cell, cell, _r
    cdef int32_t *link
    for _r in range(spot.rows):
        for cell in range(row, row + spot.columns):
            if w.nodes[n].next != SWEPT:
                link = &w.cell_heads[cell]
                while link[0] >= 0:
                    node = &w.nodes[link[0]]
                    if record(w, node.record).id < 0:
                        link[0] = node.next
                        node.next = SWEPT
                    else:
                        link = &node.next
                if w.complete and w.cell_heads[cell] < 0:
                    w.cell_masks[cell] = w.board.cell_masks[cell]
            n += 1
        row += w.board.columns + 2
    spot.rows = 0


cdef int more_spots(Scratch *w, int count) noexcept nogil:
    cdef int before = w.room_spots, index
    cdef void *grown = enlarged(w.spots, &w.room_spots, count, sizeof(Spot))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.spots = <Spot *>grown
    memset(&w.spots[before], 0, (w.room_spots - before) * sizeof(Spot))
    for index in range(before, w.room_spots):
        if own_nodes(w, index, USUAL_NODES) < 0:
            w.room_spots = index
            return -1
    return 0


cdef int reindex(Scratch *w, int index) noexcept nogil:
    """Enter a record again whose rectangle has changed."""
    if not w.seeking:
        leave(w, index)
    return enter(w, index)


cdef inline bint rests(Scratch *w, Sprite *s, Spot *spot) noexcept nogil:
    """Whether a record is where it was when it was entered."""
    return point(&s.x) == point(&spot.x) and (w.size_at == 0 or (size_of(w, s).w == spot.w and size_of(w, s).h == spot.h))


cdef int enter_again(Scratch *w) noexcept nogil:
    """Bring the index of the tick before up to date."""
    cdef int index, again = -1
    cdef Spot *spot
    cdef Sprite *s
    for index in range(w.n_spots - 1, -1, -1):  # from the last one on, which is first in its cells' lists
        s = record(w, index)
        spot = &w.spots[index]
        if spot.meets or not rests(w, s, spot):
            w.n_resting += has_rested(s)
            leave(w, index)
            spot.next = again
            again = index
        else:
            w.n_resting += 1
    while again >= 0 and not w.without_index:  # only when all of them have left: two that meet then find each other once
        index = again
        again = w.spots[index].next
        if enter(w, index) < 0:
            return -1
    return 0


cdef inline bint marks_pay(Scratch *w, int n) noexcept nogil:
    """Whether to build the index with marks, all of which are cleared at the end of the tick."""
    if n <= MANY or w.board.n_cells > MOST_CELLS * n or not is_usual(w):
        return False
    if w.unswept > 0:
        w.unswept -= 1
        return False
    return True


cdef int build_index(Scratch *w, int n_seekers, bint turned_back) noexcept nogil:
    """Bring the index up to date; the hits are then complete.

    Args:
        n_seekers: how many seekers have been chosen, negative if that is still to be done.
        turned_back: whether all records that `turn_back` knows have been looked at.
    """
    cdef int n = w.header.n_sprites
    cdef bint marks
    if seek_all(w, n_seekers, turned_back):
        return 0
    marks = marks_pay(w, n)
    w.n_resting = 0
    w.complete = 1
    w.index_built = 1
    if w.n_spots == 0 and marks:
        if mark_all(w) < 0:
            return -1
    else:
        if w.n_spots and enter_again(w) < 0:
            return -1
        if not w.without_index and enter_all(w, w.n_spots, n) < 0:
            return -1
    if marks:
        w.calm = w.calm + 1 if n > RESTING * (n - w.n_resting) else 0
    w.keeps = not w.without_index and not w.one_tick and (w.calm > CALM if marks else w.n_resting > FEW and 2 * w.n_resting > n)
    if w.keeps and not w.complete:
        w.marked = 0  # every mark will be of a record that is listed
        return complete(w, -1)
    return 0


cdef void drop_hits(Scratch *w) noexcept nogil:
    cdef int k
    for k in range(w.n_hits):
        w.pair_heads[w.hits[k].pair] = -1
        w.active[w.hits[k].pair >> 6] = 0
    w.n_hits = 0


cdef void empty_cells(Scratch *w) noexcept nogil:
    """Remove all records from their cells."""
    cdef int32_t *heads = w.cell_heads
    cdef uint64_t *masks = w.cell_masks
    cdef uint64_t *bare = w.board.cell_masks
    cdef int row, cell, _r
    cdef Spot *spot = w.spots
    cdef Spot *end = spot + w.n_spots
    if w.marked or w.board.n_cells <= MOST_CELLS * w.n_spots:
        memset(heads, -1, w.board.n_cells * sizeof(int32_t))
        memcpy(masks, bare, w.board.n_cells * sizeof(uint64_t))
        return
    while spot < end:
        row = spot.cell
        if spot.rows == 1:  # nearly always
            heads[row] = -1
            masks[row] = bare[row]
            if spot.columns == 1:
                spot += 1
                continue
        for _r in range(spot.rows):
            for cell in range(row, row + spot.columns):
                heads[cell] = -1
                masks[cell] = bare[cell]
            row += w.board.columns + 2
        spot += 1


cdef void drop_index(Scratch *w) noexcept nogil:
    """Forget the moving part of the index."""
    if w.n_spots:
        empty_cells(w)
    if w.n_hits:
        drop_hits(w)
    w.n_spots = 0
    w.index_built = 0
    w.seeking = 0
    w.marked = 0
    w.keeps = 0


cdef void rest_index(Scratch *w) noexcept nogil:
    """End of the tick: keep the index if most records rest."""
    if not w.keeps:
        drop_index(w)
        return
    drop_hits(w)
    w.index_built = 0


cdef void renumber(Scratch *w, int index, int place) noexcept nogil:
    """Renumber a record that has moved to the place of one that had left the index."""
    cdef Spot left = w.spots[place]
    cdef int n
    w.spots[place] = w.spots[index]
    w.spots[index] = left  # which keeps its nodes
    for n in range(w.spots[place].first, w.spots[place].first + w.spots[place].room):
        w.nodes[n].record = place
    for n in range(left.first, left.first + left.room):
        w.nodes[n].record = index
