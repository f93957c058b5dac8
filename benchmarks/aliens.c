/* The bundled game Aliens written by hand, as the limit that the engine is compared with (see aliens.py).
 *
 * The rules are games/training/aliens.txt and nothing else: sizes are fixed, types are separate arrays, collisions are
 * known in advance. The generator is the engine's, and so is the order of all that happens, so that the same seeds lead
 * to the same games; aliens.py checks that they do before it measures.
 *
 * The first part is the game in plain C; the second makes it a Python module with two types: State, and Plays for many
 * plays whose observations are those of the mode `grid` (see training.py).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 20, MAX_ALIENS = 32, MAX_BOMBS = 64, MAX_HATCHES = 4, MAX_SIDE = 32, LAST_TICK = 2000 };
enum { NIL = 0, LEFT = 2, RIGHT = 4, USE = 5 };
enum { NO_WINNER = -1, LOSES = 0, WINS = 1 };
enum { DRIFTER = 0, RAIDER = 1, KINDS = 2 };

static const int ALIEN_COOLDOWN[KINDS] = {3, 2}, HATCH_COOLDOWN[KINDS] = {24, 32}, HATCH_TOTAL[KINDS] = {10, 8};
static const double BOMB_CHANCE[KINDS] = {0.05, 0.05};
static const int ALIEN_STEP = 10, BOMB_STEP = 5, SHOT_STEP = 10;

typedef struct {
    int32_t x, y, last_x, last_y;
    int16_t start, lastmove;
    int8_t direction;
    uint8_t is_new, dead;
} Alien;
typedef struct { int32_t x, y; uint8_t is_new, dead; } Bomb;
typedef struct { int32_t x, y; int16_t start, made; uint8_t kind, gone; } Hatch;

typedef struct { int columns, rows, width, height; } Board;

typedef struct {
    uint64_t rng;
    int32_t tick, score, winner, ended;
    int32_t cannon_x, cannon_y, shot_x, shot_y;
    uint8_t cannon_dead, shot_flies, shot_is_new, shot_dead;
    int32_t n_aliens[KINDS], n_bombs, n_hatches;
    Hatch hatches[MAX_HATCHES];
    uint64_t bunkers[MAX_SIDE]; /* a bit per column, a word per row */
    Alien aliens[KINDS][MAX_ALIENS];
    Bomb bombs[MAX_BOMBS];
} Game;

/* --------------------------------------------------------------------------------------------------- the generator */

static inline uint64_t step(uint64_t *rng, int bits)
{
    *rng = (*rng * 0x5DEECE66DULL + 0xB) & ((1ULL << 48) - 1);
    return *rng >> (48 - bits);
}

static inline uint64_t scramble(int64_t seed) { return ((uint64_t)seed ^ 0x5DEECE66DULL) & ((1ULL << 48) - 1); }

static inline float next_float(uint64_t *rng) { return (float)step(rng, 24) / 16777216.0f; }

static inline int next_of_three(uint64_t *rng)
{
    int64_t drawn, rest;
    do {
        drawn = (int64_t)step(rng, 31);
        rest = drawn % 3;
    } while (drawn - rest + 2 > 2147483647);
    return (int)rest;
}

/* ---------------------------------------------------------------------------------------------------------- a tick */

static inline int overlap(int ax, int ay, int bx, int by)
{
    return ax < bx + BLOCK && bx < ax + BLOCK && ay < by + BLOCK && by < ay + BLOCK;
}

static inline int outside(const Board *board, int x, int y)
{
    return x < 0 || y < 0 || x + BLOCK > board->width || y + BLOCK > board->height;
}

/* Take away every bunker under a rectangle; whether there was one. */
static inline int dig(const Board *board, Game *g, int x, int y)
{
    int left = x / BLOCK, right = (x + BLOCK - 1) / BLOCK, top = y / BLOCK, bottom = (y + BLOCK - 1) / BLOCK;
    int row, any = 0;
    if (x < 0 || y < 0 || right >= MAX_SIDE)
        return 0;
    for (row = top; row <= bottom && row < board->rows; row++) {
        uint64_t hit = g->bunkers[row] & ((1ULL << left) | (1ULL << right));
        g->bunkers[row] &= ~hit;
        any |= hit != 0;
    }
    return any;
}

static inline int count_bunkers(const Game *g, int x, int y)
{
    int left = x / BLOCK, right = (x + BLOCK - 1) / BLOCK, top = y / BLOCK, bottom = (y + BLOCK - 1) / BLOCK;
    int row, n = 0;
    for (row = top; row <= bottom; row++)
        n += __builtin_popcountll(g->bunkers[row] & ((1ULL << left) | (1ULL << right)));
    return n;
}

static inline void move_cannon(const Board *board, Game *g, int action)
{
    int x = g->cannon_x + (action == RIGHT ? BLOCK : action == LEFT ? -BLOCK : 0);
    if (action == USE && !g->shot_flies) {
        g->shot_flies = g->shot_is_new = 1;
        g->shot_x = g->cannon_x;
        g->shot_y = g->cannon_y;
    }
    if (!outside(board, x, g->cannon_y))
        g->cannon_x = x;
}

/* An alien that would leave the screen goes back, one cell down, and turns round. */
static inline void move_aliens(const Board *board, Game *g, int kind)
{
    int k;
    for (k = 0; k < g->n_aliens[kind]; k++) {
        Alien *a = &g->aliens[kind][k];
        float drawn = next_float(&g->rng);
        a->last_x = a->x;
        a->last_y = a->y;
        a->lastmove++;
        if (a->start < 0)
            a->start = (int16_t)g->tick;
        if (drawn < BOMB_CHANCE[kind] && (a->start + g->tick) % ALIEN_COOLDOWN[kind] == 0 && g->n_bombs < MAX_BOMBS)
            g->bombs[g->n_bombs++] = (Bomb){.x = a->x, .y = a->y, .is_new = 1};
        if (a->is_new)
            a->is_new = 0;
        else if (a->lastmove >= ALIEN_COOLDOWN[kind]) {
            a->x += a->direction * ALIEN_STEP;
            a->lastmove = 0;
        }
    }
}

static inline void turn_aliens(const Board *board, Game *g, int kind)
{
    int k;
    for (k = 0; k < g->n_aliens[kind]; k++) {
        Alien *a = &g->aliens[kind][k];
        if (outside(board, a->x, a->y)) {
            a->x = a->last_x;
            a->y = a->last_y + 2 * ALIEN_STEP;
            a->lastmove = 0;
            a->direction = (int8_t)-a->direction;
        }
    }
}

static inline void move_fire(const Board *board, Game *g)
{
    int k;
    for (k = 0; k < g->n_bombs; k++) {
        Bomb *b = &g->bombs[k];
        if (b->is_new)
            b->is_new = 0;
        else
            b->y += BOMB_STEP;
        b->dead = (uint8_t)outside(board, b->x, b->y);
    }
    if (g->shot_flies) {
        if (g->shot_is_new)
            g->shot_is_new = 0;
        else
            g->shot_y -= SHOT_STEP;
        g->shot_dead = (uint8_t)outside(board, g->shot_x, g->shot_y);
    }
}

static inline void hatch(Game *g)
{
    int kind, k; /* the east first: types are updated from the last to the first */
    for (kind = RAIDER; kind >= DRIFTER; kind--)
        for (k = 0; k < g->n_hatches; k++) {
            Hatch *h = &g->hatches[k];
            if (h->kind != kind)
                continue;
            step(&g->rng, 24);
            if (h->start < 0)
                h->start = (int16_t)g->tick;
            if ((h->start + g->tick) % HATCH_COOLDOWN[kind] == 0 && g->n_aliens[kind] < MAX_ALIENS) {
                g->aliens[kind][g->n_aliens[kind]++] =
                    (Alien){.x = h->x, .y = h->y, .start = -1, .direction = kind == DRIFTER ? 1 : -1, .is_new = 1};
                h->made++;
            }
            h->gone = h->made >= HATCH_TOTAL[kind];
        }
}

static inline void collide(const Board *board, Game *g)
{
    int kind, k, n;
    if (g->shot_flies)
        for (kind = 0; kind < KINDS; kind++)
            for (k = 0; k < g->n_aliens[kind]; k++) {
                Alien *a = &g->aliens[kind][k];
                if (overlap(a->x, a->y, g->shot_x, g->shot_y)) {
                    a->dead = g->shot_dead = 1;
                    g->score++;
                }
            }
    if (g->shot_flies && g->shot_y >= 0 && (n = count_bunkers(g, g->shot_x, g->shot_y)) > 0) {
        dig(board, g, g->shot_x, g->shot_y);
        g->score += n;
        g->shot_dead = 1;
    }
    for (k = 0; k < g->n_bombs; k++)
        if (dig(board, g, g->bombs[k].x, g->bombs[k].y))
            g->bombs[k].dead = 1;
    for (kind = 0; kind < KINDS; kind++)
        for (k = 0; k < g->n_aliens[kind]; k++)
            dig(board, g, g->aliens[kind][k].x, g->aliens[kind][k].y);
    for (k = 0; k < g->n_bombs; k++)
        if (overlap(g->cannon_x, g->cannon_y, g->bombs[k].x, g->bombs[k].y)) {
            g->cannon_dead = 1;
            g->score--;
        }
    for (kind = 0; kind < KINDS; kind++)
        for (k = 0; k < g->n_aliens[kind]; k++)
            if (overlap(g->cannon_x, g->cannon_y, g->aliens[kind][k].x, g->aliens[kind][k].y)) {
                g->cannon_dead = 1;
                g->score--;
            }
}

static inline void clear(Game *g)
{
    int kind, k, kept;
    for (kind = 0; kind < KINDS; kind++) {
        for (k = kept = 0; k < g->n_aliens[kind]; k++)
            if (!g->aliens[kind][k].dead) {
                if (kept != k)
                    g->aliens[kind][kept] = g->aliens[kind][k];
                kept++;
            }
        g->n_aliens[kind] = kept;
    }
    for (k = kept = 0; k < g->n_bombs; k++)
        if (!g->bombs[k].dead) {
            if (kept != k)
                g->bombs[kept] = g->bombs[k];
            kept++;
        }
    g->n_bombs = kept;
    for (k = kept = 0; k < g->n_hatches; k++)
        if (!g->hatches[k].gone)
            g->hatches[kept++] = g->hatches[k];
    g->n_hatches = kept;
    if (g->shot_dead)
        g->shot_flies = g->shot_dead = 0;
}

static void tick(const Board *board, Game *g, int action)
{
    move_cannon(board, g, action);
    move_aliens(board, g, RAIDER);
    move_aliens(board, g, DRIFTER);
    move_fire(board, g);
    hatch(g);
    turn_aliens(board, g, DRIFTER);
    turn_aliens(board, g, RAIDER);
    collide(board, g);
    clear(g);
    if (g->cannon_dead) {
        g->ended = 1;
        g->winner = LOSES;
    } else if (g->n_hatches + g->n_aliens[DRIFTER] + g->n_aliens[RAIDER] == 0) {
        g->ended = 1;
        g->winner = WINS;
    }
    if (g->tick >= LAST_TICK) {
        g->ended = 1;
        if (g->winner != WINS)
            g->winner = LOSES;
    }
    g->tick += !g->ended;
}

static int rollout(const Board *board, Game *g, int depth, int64_t seed)
{
    static const int ACTIONS[] = {USE, LEFT, RIGHT};
    uint64_t draws = scramble(seed);
    int played = 0;
    while (played < depth && !g->ended) {
        tick(board, g, ACTIONS[next_of_three(&draws)]);
        played++;
    }
    return played;
}

/* ---------------------------------------------------------------------------------------------------- many plays */

enum { OF_BUNKERS, OF_HATCHES, OF_SHOT = OF_HATCHES + KINDS, OF_BOMBS, OF_ALIENS, OF_CANNON = OF_ALIENS + KINDS, OF_SELF, PLANES };
enum { MAX_MARKS = KINDS * MAX_ALIENS + MAX_BOMBS + MAX_HATCHES + 8, LINE = 64 };

typedef struct { int32_t place; int16_t right, below; } Mark; /* cells that a mover covers: the first, and steps to others or 0 */

typedef struct {
    int32_t n_marks;
    uint64_t drawn_bunkers[MAX_SIDE];
    Game game;
    Mark marks[MAX_MARKS]; /* where movers were drawn */
} Play;

/* Without branches, since those could not be predicted: cells are written twice or four times if there are fewer than four. */
static inline void fill(uint8_t *seen, const Mark *m, uint8_t value)
{
    uint8_t *at = seen + m->place;
    at[0] = at[m->right] = at[m->below] = at[m->below + m->right] = value;
}

/* Set a sprite's cells in a plane: as the engine's observation `grid`. */
static inline void mark(const Board *board, Play *play, uint8_t *seen, int plane, int x, int y)
{
    int column = x / BLOCK, row = y / BLOCK;
    Mark *m = &play->marks[play->n_marks];
    if (column < 0 || row < 0 || column >= board->columns || row >= board->rows)
        return;
    m->place = (plane * board->rows + row) * board->columns + column;
    m->right = (int16_t)((x % BLOCK > 0) & (column + 1 < board->columns));
    m->below = (int16_t)(board->columns & -((y % BLOCK > 0) & (row + 1 < board->rows)));
    fill(seen, m, 1);
    play->n_marks++;
}

/* Prefetch the next play: what is in use of its game, and the cells that it will erase. */
static inline void load_ahead(const Play *play, const uint8_t *seen)
{
    int k;
    for (k = 0; k < (int)sizeof(Game); k += LINE)
        __builtin_prefetch((const char *)&play->game + k);
    for (k = 0; k < play->n_marks; k++)
        __builtin_prefetch(seen + play->marks[k].place);
}

/* Draw the planes over those of the tick before. */
static void observe(const Board *board, Play *play, const int *planes, uint8_t *seen)
{
    Game *g = &play->game;
    int k, kind, row;
    for (k = 0; k < play->n_marks; k++)
        fill(seen, &play->marks[k], 0);
    play->n_marks = 0;
    for (row = 0; row < board->rows; row++) {
        uint64_t changed = g->bunkers[row] ^ play->drawn_bunkers[row];
        uint8_t *line = seen + (planes[OF_BUNKERS] * board->rows + row) * board->columns;
        for (; changed; changed &= changed - 1)
            line[__builtin_ctzll(changed)] ^= 1;
        play->drawn_bunkers[row] = g->bunkers[row];
    }
    for (k = 0; k < g->n_hatches; k++)
        mark(board, play, seen, planes[OF_HATCHES + g->hatches[k].kind], g->hatches[k].x, g->hatches[k].y);
    for (kind = 0; kind < KINDS; kind++)
        for (k = 0; k < g->n_aliens[kind]; k++)
            mark(board, play, seen, planes[OF_ALIENS + kind], g->aliens[kind][k].x, g->aliens[kind][k].y);
    for (k = 0; k < g->n_bombs; k++)
        mark(board, play, seen, planes[OF_BOMBS], g->bombs[k].x, g->bombs[k].y);
    if (g->shot_flies)
        mark(board, play, seen, planes[OF_SHOT], g->shot_x, g->shot_y);
    for (k = OF_CANNON; k <= OF_SELF; k++)
        mark(board, play, seen, planes[k], g->cannon_x, g->cannon_y);
}

/* --------------------------------------------------------------------------------------------------- a Python type */

typedef struct { PyObject_HEAD Board board; Game game; } State;

static PyTypeObject StateType;

static PyObject *state_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"level", "seed", NULL};
    const char *level;
    long long seed;
    int column = 0;
    State *s;
    Game *g;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sL", names, &level, &seed))
        return NULL;
    s = (State *)type->tp_alloc(type, 0);
    if (s == NULL)
        return NULL;
    g = &s->game;
    g->rng = scramble(seed);
    g->winner = NO_WINNER;
    for (; *level; level++) {
        int x = column * BLOCK, y = s->board.rows * BLOCK, kind = *level == 'd' ? DRIFTER : RAIDER;
        if (*level == '\n') {
            s->board.rows += column > 0;
            column = 0;
            continue;
        }
        if (*level == 'n')
            g->bunkers[s->board.rows] |= 1ULL << column;
        else if (*level == 'A') {
            g->cannon_x = x;
            g->cannon_y = y;
        } else if (*level == 'd' || *level == 'r')
            g->aliens[kind][g->n_aliens[kind]++] = (Alien){.x = x, .y = y, .start = -1, .direction = 1, .is_new = 1};
        else if (*level == '(' || *level == ')')
            g->hatches[g->n_hatches++] = (Hatch){.x = x, .y = y, .start = -1, .kind = *level == '(' ? DRIFTER : RAIDER};
        column++;
        if (column > s->board.columns)
            s->board.columns = column;
        if (column == MAX_SIDE || s->board.rows == MAX_SIDE) {
            Py_DECREF(s);
            return PyErr_Format(PyExc_ValueError, "expected a level of less than %d cells a side", MAX_SIDE);
        }
    }
    s->board.rows += column > 0;
    s->board.width = s->board.columns * BLOCK;
    s->board.height = s->board.rows * BLOCK;
    return (PyObject *)s;
}

static PyObject *state_copy(PyObject *self, PyObject *seed)
{
    State *s = (State *)self, *other;
    int64_t number = PyLong_AsLongLong(seed);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    other = PyObject_New(State, &StateType);
    if (other == NULL)
        return NULL;
    other->board = s->board; /* and of the game what is in use: the bombs are its last part */
    memcpy(&other->game, &s->game, offsetof(Game, bombs) + (size_t)s->game.n_bombs * sizeof(Bomb));
    other->game.rng = scramble(number);
    return (PyObject *)other;
}

static PyObject *state_advance(PyObject *self, PyObject *action)
{
    State *s = (State *)self;
    long number = PyLong_AsLong(action);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if (!s->game.ended)
        tick(&s->board, &s->game, (int)number);
    Py_RETURN_NONE;
}

static PyObject *state_random_rollout(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    State *s = (State *)self;
    long depth;
    int64_t seed;
    int played;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "expected depth and seed");
        return NULL;
    }
    depth = PyLong_AsLong(arguments[0]);
    seed = PyLong_AsLongLong(arguments[1]);
    if (PyErr_Occurred())
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    played = rollout(&s->board, &s->game, (int)depth, seed);
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(played);
}

static PyObject *state_facts(PyObject *self, PyObject *nothing)
{
    Game *g = &((State *)self)->game;
    return Py_BuildValue(
        "iiiKiii", g->tick, g->score, g->winner, (unsigned long long)g->rng, g->cannon_x,
        g->shot_flies ? g->shot_y : -BLOCK, g->n_aliens[0] + g->n_aliens[1] + g->n_bombs);
}

static PyMethodDef state_methods[] = {
    {"copy", state_copy, METH_O, "A copy with another future."},
    {"advance", state_advance, METH_O, "Play one tick."},
    {"random_rollout", (PyCFunction)(void (*)(void))state_random_rollout, METH_FASTCALL, "Play random ticks."},
    {"facts", state_facts, METH_NOARGS,
     "Tick, score, winner, generator, x of the cannon, y of the shot, number of aliens and bombs."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject StateType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "aliens_by_hand.State",
    .tp_basicsize = sizeof(State),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "A state of the game.",
    .tp_methods = state_methods,
    .tp_new = state_new,
};

/* ------------------------------------------------------------------------------------- a Python type for many plays */

typedef struct {
    PyObject_HEAD Board board;
    Game start;
    Play *plays;
    Py_ssize_t n;
    int planes[PLANES];
    Py_buffer seen, rewards, ends; /* the caller's arrays: planes, doubles, bytes */
} Plays;

static PyObject *plays_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    State *start;
    Plays *p;
    int *of;
    p = (Plays *)type->tp_alloc(type, 0);
    if (p == NULL)
        return NULL;
    of = p->planes;
    if (!PyArg_ParseTuple(arguments, "O!n(iiiiiiiii)w*w*w*", &StateType, &start, &p->n, of, of + 1, of + 2, of + 3, of + 4, of + 5,
                          of + 6, of + 7, of + 8, &p->seen, &p->rewards, &p->ends)) {
        Py_DECREF(p);
        return NULL;
    }
    p->board = start->board;
    p->start = start->game;
    p->plays = PyMem_RawCalloc((size_t)p->n, sizeof(Play));
    if (p->plays == NULL) {
        Py_DECREF(p);
        return PyErr_NoMemory();
    }
    return (PyObject *)p;
}

static void plays_free(PyObject *self)
{
    Plays *p = (Plays *)self;
    PyMem_RawFree(p->plays);
    PyBuffer_Release(&p->seen);
    PyBuffer_Release(&p->rewards);
    PyBuffer_Release(&p->ends);
    Py_TYPE(self)->tp_free(self);
}

/* step(actions, seeds), 64-bit numbers each: a tick of every play; one that has ended starts again instead, with its seed. */
static PyObject *plays_step(PyObject *self, PyObject *arguments)
{
    Plays *p = (Plays *)self;
    Py_buffer actions, seeds;
    Py_ssize_t k, size = p->seen.len / p->n;
    if (!PyArg_ParseTuple(arguments, "y*y*", &actions, &seeds))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (k = 0; k < p->n; k++) {
        Game *g = &p->plays[k].game;
        if (k + 1 < p->n)
            load_ahead(&p->plays[k + 1], (uint8_t *)p->seen.buf + (k + 1) * size);
        if (g->ended || p->plays[k].n_marks == 0) {
            *g = p->start;
            g->rng = scramble(((int64_t *)seeds.buf)[k]);
            ((double *)p->rewards.buf)[k] = 0;
        } else {
            int before = g->score;
            tick(&p->board, g, (int)((int64_t *)actions.buf)[k]);
            ((double *)p->rewards.buf)[k] = g->score - before;
        }
        ((uint8_t *)p->ends.buf)[k] = (uint8_t)g->ended;
        observe(&p->board, &p->plays[k], p->planes, (uint8_t *)p->seen.buf + k * size);
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&actions);
    PyBuffer_Release(&seeds);
    Py_RETURN_NONE;
}

static PyMethodDef plays_methods[] = {
    {"step", plays_step, METH_VARARGS, "A tick of every play; the first call, and one after an end, starts it."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject PlaysType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "aliens_by_hand.Plays",
    .tp_basicsize = sizeof(Plays),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Plays(start, n, planes, observations, rewards, ends): many plays, observed as planes.",
    .tp_methods = plays_methods,
    .tp_new = plays_new,
    .tp_dealloc = plays_free,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "aliens_by_hand", "Aliens written by hand.", -1, NULL};

PyMODINIT_FUNC PyInit_aliens_by_hand(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&StateType) < 0
        || PyModule_AddObjectRef(made, "State", (PyObject *)&StateType) < 0 || PyType_Ready(&PlaysType) < 0
        || PyModule_AddObjectRef(made, "Plays", (PyObject *)&PlaysType) < 0)
        return NULL;
    return made;
}
