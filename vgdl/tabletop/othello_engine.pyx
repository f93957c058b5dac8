"""Othello on bit boards: 4×4 to 12×12, with blocked cells and the rule variants of the Othello arena.

Captures are found for all pieces at once by parallel prefix filling (Kogge and Stone): two steps of one cell, then steps of
two. Cell (row, column) is bit ``row * n + column``. The filling runs through the opponent's pieces, under "ignore
occlusion" through blocked cells as well, but the cells collected must include a piece. Cells of the first and the last
column are left out of horizontal and diagonal fillings, which would otherwise continue in the next row; this loses
nothing, since pieces at the edge can only be captured along the edge.

The functions ending in ``_of`` take size and words as arguments and are inlined with constants by the ones without.
"""

from libc.stdint cimport uint64_t

from vgdl.tabletop.bits cimport (
    Bits, add, any_of, below, both, count, either, lowest_bit, none, nth, one, shifted, without,
)

cdef extern from *:
    """
    /* The inline functions below are made for constants: without this, GCC calls some of them with variables. */
    #undef CYTHON_INLINE
    #if defined(_MSC_VER)
    #define CYTHON_INLINE __forceinline
    #else
    #define CYTHON_INLINE inline __attribute__((always_inline))
    #endif
    """


cdef void set_size(Variant *variant, int n) noexcept nogil:
    """Set a variant to an empty board of ``n`` rows without blocked cells."""
    cdef int cell
    variant.n = n
    variant.words = (n * n + 63) // 64
    variant.playable = variant.blocked = variant.inner = none(3)
    for cell in range(n * n):
        add(&variant.playable, cell)
        if 0 < cell % n < n - 1:
            add(&variant.inner, cell)


cdef inline Bits filled(Bits start, Bits through, int step, bint up, int n, int words) noexcept nogil:
    """The cells of ``through`` that lie in a row of such cells next to a cell of ``start``."""
    cdef Bits pairs = both(through, shifted(through, step, up, words), words)
    cdef Bits found = both(through, shifted(start, step, up, words), words)
    cdef int _
    found = either(found, both(through, shifted(found, step, up, words), words), words)
    for _ in range((n - 3) // 2):  # n - 2 cells at most lie between two others
        found = either(found, both(pairs, shifted(found, 2 * step, up, words), words), words)
    return found


cdef inline Bits ends(Bits own, Bits other, Bits through, bint over, int step, bint up, int n, int words) noexcept nogil:
    """The cells, taken or not, from which a move captures in the direction opposite to ``step``."""
    cdef Bits found = filled(own, through, step, up, n, words)
    if over:  # at and behind the first piece of the opponent
        found = both(found, other, words)
        found = either(found, filled(found, through, step, up, n, words), words)
    return shifted(found, step, up, words)


cdef inline Bits legal_of(const Variant *variant, Bits own, Bits other, bint over, int n, int words) noexcept nogil:
    cdef Bits upright = either(other, variant.blocked, words) if over else other
    cdef Bits through = both(upright, variant.inner, words)
    cdef Bits found = ends(own, other, upright, over, n, True, n, words)
    found = either(found, ends(own, other, upright, over, n, False, n, words), words)
    found = either(found, ends(own, other, through, over, 1, True, n, words), words)
    found = either(found, ends(own, other, through, over, 1, False, n, words), words)
    found = either(found, ends(own, other, through, over, n - 1, True, n, words), words)
    found = either(found, ends(own, other, through, over, n - 1, False, n, words), words)
    found = either(found, ends(own, other, through, over, n + 1, True, n, words), words)
    found = either(found, ends(own, other, through, over, n + 1, False, n, words), words)
    return without(both(found, variant.playable, words), either(own, other, words), words)


cdef inline Bits ray(Bits start, Bits own, Bits through, int step, bint up, int n, int words) noexcept nogil:
    """The cells of ``through`` between the one of ``start`` and an own piece."""
    cdef Bits found = filled(start, through, step, up, n, words)
    if any_of(both(shifted(found, step, up, words), own, words), words):
        return found
    return none(words)


cdef inline Bits captured_of(const Variant *variant, Bits own, Bits other, int cell, int n, int words) noexcept nogil:
    cdef Bits start = one(cell, words)
    cdef Bits upright = either(other, variant.blocked, words) if variant.over_blocked else other
    cdef Bits through = both(upright, variant.inner, words)
    cdef Bits found = ray(start, own, upright, n, True, n, words)
    found = either(found, ray(start, own, upright, n, False, n, words), words)
    found = either(found, ray(start, own, through, 1, True, n, words), words)
    found = either(found, ray(start, own, through, 1, False, n, words), words)
    found = either(found, ray(start, own, through, n - 1, True, n, words), words)
    found = either(found, ray(start, own, through, n - 1, False, n, words), words)
    found = either(found, ray(start, own, through, n + 1, True, n, words), words)
    found = either(found, ray(start, own, through, n + 1, False, n, words), words)
    return both(found, other, words)


cdef Bits legal(const Variant *variant, const Bits *own, const Bits *other) noexcept nogil:
    """The cells on which a player may move."""
    if variant.over_blocked:
        if variant.words == 1:
            return legal_of(variant, own[0], other[0], True, variant.n, 1)
        if variant.words == 2:
            return legal_of(variant, own[0], other[0], True, variant.n, 2)
        return legal_of(variant, own[0], other[0], True, variant.n, 3)
    if variant.n == 8:
        return legal_of(variant, own[0], other[0], False, 8, 1)
    if variant.words == 1:
        return legal_of(variant, own[0], other[0], False, variant.n, 1)
    if variant.words == 2:
        return legal_of(variant, own[0], other[0], False, variant.n, 2)
    return legal_of(variant, own[0], other[0], False, variant.n, 3)


cdef Bits captured(const Variant *variant, const Bits *own, const Bits *other, int cell) noexcept nogil:
    """The pieces that a move on an empty cell turns; none if it is illegal."""
    if variant.n == 8:
        return captured_of(variant, own[0], other[0], cell, 8, 1)
    if variant.words == 1:
        return captured_of(variant, own[0], other[0], cell, variant.n, 1)
    if variant.words == 2:
        return captured_of(variant, own[0], other[0], cell, variant.n, 2)
    return captured_of(variant, own[0], other[0], cell, variant.n, 3)


cdef inline int next_by_counts(const Variant *variant, const Board *board, int mover) noexcept nogil:
    """The player to move after a move of ``mover``, if both can move (spec 3.4, 1 and 2)."""
    cdef int black, white
    if variant.fewer_continue:
        black, white = count(board.pieces[0], variant.words), count(board.pieces[1], variant.words)
        if black != white:
            return 0 if black < white else 1
    return 1 - mover


cdef int next_mover(const Variant *variant, const Board *board, int mover) noexcept nogil:
    """The player who moves next, passes left out, after a move of ``mover`` led to ``board``; OVER at the end."""
    cdef int following = next_by_counts(variant, board, mover)
    cdef Bits moves
    cdef int _
    for _ in range(2):
        moves = legal(variant, &board.pieces[following], &board.pieces[1 - following])
        if any_of(moves, variant.words):
            return following
        following = 1 - following
    return OVER


cdef void set_mover(const Variant *variant, Board *board, int mover) noexcept nogil:
    """Give the turn to a player, who must pass if only the other can move; if neither can, the game is over."""
    cdef Bits replies
    board.mover = mover
    board.moves = legal(variant, &board.pieces[mover], &board.pieces[1 - mover])
    if not any_of(board.moves, variant.words):
        replies = legal(variant, &board.pieces[1 - mover], &board.pieces[mover])
        if not any_of(replies, variant.words):
            board.mover = OVER


cdef void play(const Variant *variant, Board *board, int cell) noexcept nogil:
    """Make a legal move."""
    cdef int mover = board.mover
    cdef int k
    cdef Bits turned = captured(variant, &board.pieces[mover], &board.pieces[1 - mover], cell)
    for k in range(variant.words):
        board.pieces[mover].word[k] |= turned.word[k]
        board.pieces[1 - mover].word[k] &= ~turned.word[k]
    add(&board.pieces[mover], cell)
    set_mover(variant, board, next_by_counts(variant, board, mover))


cdef void skip(const Variant *variant, Board *board) noexcept nogil:
    """Pass: the turn goes to the other player, who can move, whatever the counts are (spec 3.4, 3)."""
    set_mover(variant, board, 1 - board.mover)


cdef int margin(const Variant *variant, const Board *board) noexcept nogil:
    """By how much black is ahead under the stage's goal: pieces, or with "fewest wins" the opposite."""
    cdef int more = count(board.pieces[0], variant.words) - count(board.pieces[1], variant.words)
    return -more if variant.fewest_win else more


cdef int playout(const Variant *variant, Board *board, uint64_t *random) noexcept nogil:
    """Play uniformly random moves to the end; return their number."""
    cdef int made = 0
    while board.mover != OVER:
        if any_of(board.moves, variant.words):
            play(variant, board, nth(board.moves, below(random, count(board.moves, variant.words)), variant.words))
            made += 1
        else:
            skip(variant, board)
    return made


cdef uint64_t perft(const Variant *variant, const Board *board, int depth, uint64_t *made) noexcept nogil:
    """Leaves of the tree of all games of ``depth`` plies; a pass is a ply, a game that ended earlier a leaf.

    Every move is made in full, also at the last ply; ``made`` counts them.
    """
    cdef uint64_t leaves = 0
    cdef uint64_t left
    cdef Board after
    cdef int k
    if depth == 0 or board.mover == OVER:
        return 1
    if not any_of(board.moves, variant.words):
        after = board[0]
        skip(variant, &after)
        return perft(variant, &after, depth - 1, made)
    for k in range(variant.words):
        left = board.moves.word[k]
        while left:
            after = board[0]
            play(variant, &after, 64 * k + lowest_bit(left))
            left &= left - 1
            made[0] += 1
            leaves += perft(variant, &after, depth - 1, made)
    return leaves
