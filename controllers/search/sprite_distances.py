"""Search features: distances from the avatar to sprites of each type, and the value of touching them.

Walls and other static sprites are ignored: they are many and say little about what to do.
"""
# ruff: noqa: F821 (structs and constants are declared in the .pxd; arrays are declared without a value)

import cython
from cython.cimports.libc.stdlib import calloc, free, realloc
from cython.cimports.vgdl.core.api import Spotted, avatar, n_types, score, spotted, winner
from cython.cimports.vgdl.core.data.layout import AVATAR, STATIC
from cython.cimports.vgdl.core.state import StateObservation


class SpriteDistances:
    """The visible sprites of a state, and the distance in cells from a player's avatar to the nearest of each kind.

    Distances are Manhattan distances; a missing kind has the distance ``size``, the largest on the board.
    """

    def __cinit__(self, state: StateObservation) -> None:
        self.n_types = n_types(state)
        self.by_type = cython.cast(cython.p_double, calloc(self.n_types, cython.sizeof(cython.double)))
        self.sprites = cython.NULL
        self.n_sprites = self.room = 0
        if self.by_type == cython.NULL:
            raise MemoryError

    def __init__(self, state: StateObservation) -> None:
        """Prepare for states of the same game as ``state``, on boards of its size."""
        width, height = state.world_dimension
        self.block = state.block_size
        self.size = (width + height) // self.block
        self.x = self.y = 0

    def __dealloc__(self) -> None:
        free(self.by_type)
        free(self.sprites)

    def look(self, state: StateObservation, player: cython.int) -> cython.int:
        """Observe a state; returns the number of sprites. Once the avatar is gone, its last position counts.

        Raises:
            ValueError: the state is one of another game, with another number of types.
        """
        if n_types(state) != self.n_types:
            raise ValueError("expected a state of the game that the search was made for")
        self.n_sprites = spotted(state, STATIC, self.room, self.sprites)
        if self.n_sprites > self.room:
            grown: cython.pointer(Spotted) = cython.cast(
                cython.pointer(Spotted), realloc(self.sprites, 2 * self.n_sprites * cython.sizeof(Spotted))
            )
            if grown == cython.NULL:
                raise MemoryError
            self.sprites = grown
            self.room = 2 * self.n_sprites
            spotted(state, STATIC, self.room, self.sprites)
        return self.follow(state, player)

    def follow(self, state: StateObservation, player: cython.int) -> cython.int:
        """Measure the last observed sprites from the avatar's position in ``state``; returns their number."""
        if avatar(state, player) != cython.NULL:
            self.x = avatar(state, player).x
            self.y = avatar(state, player).y
        return self.compare()

    def compare(self) -> cython.int:
        """Find the nearest sprite of each kind; returns the number of all sprites."""
        k: cython.int
        for k in range(self.n_types):
            self.by_type[k] = self.size
        for k in range(N_CATEGORIES):
            self.by_category[k] = self.size
        for k in range(self.n_sprites):
            pixels: cython.double = abs(cython.cast(cython.double, self.sprites[k].x) - self.x)
            pixels += abs(cython.cast(cython.double, self.sprites[k].y) - self.y)
            self.measure(self.sprites[k].type, self.sprites[k].category, pixels / self.block)
        return self.n_sprites

    def measure(self, kind: cython.int, category: cython.int, cells: cython.double) -> cython.int:
        """Update the minimum distances with one sprite."""
        self.by_type[kind] = min(self.by_type[kind], cells)
        self.by_category[category] = min(self.by_category[category], cells)
        return 0

    def distance(self, kind: cython.int) -> cython.double:
        """Cells to the nearest sprite of a type."""
        return self.by_type[kind]

    def distance_of_category(self, category: cython.int) -> cython.double:
        """Cells to the nearest sprite of a category."""
        return self.by_category[category]


class TypeValues:
    """The value of touching each type of sprite, learned from played ticks, mostly simulated ones.

    A tick has the value 1 if it won the game or raised the score, -1 if it lost the game or lowered the score,
    otherwise 0. The values of the types touched in it move towards that by ``rate``. The avatar touches a sprite if,
    after the tick, it overlaps the sprite's position before or after the tick: a collected sprite no longer exists.
    """

    def __cinit__(self, state: StateObservation, rate: float) -> None:
        types: cython.size_t = n_types(state)
        self.worths = cython.cast(cython.p_double, calloc(types, cython.sizeof(cython.double)))
        self.met = cython.cast(cython.p_schar, calloc(types, 1))
        if self.worths == cython.NULL or self.met == cython.NULL:
            raise MemoryError

    def __init__(self, state: StateObservation, rate: float) -> None:
        """Prepare for states of the same board as ``state``, with nothing learned."""
        self.before = SpriteDistances(state)
        self.after = SpriteDistances(state)
        self.rate = rate

    def __dealloc__(self) -> None:
        free(self.worths)
        free(self.met)

    def begin(self, state: StateObservation, player: cython.int) -> cython.int:
        """Observe the state before the next tick."""
        self.player = player
        self.score = score(state, player)
        return self.after.look(state, player)

    def learn(self, state: StateObservation) -> cython.int:
        """Learn from the tick that led from the last observed state to ``state``, and observe ``state``."""
        k: cython.int
        verdict: cython.double = 0.0
        if winner(state, self.player) >= 0:
            verdict = 1.0 if winner(state, self.player) == 1 else -1.0
        elif score(state, self.player) != self.score:
            verdict = 1.0 if score(state, self.player) > self.score else -1.0
        self.before, self.after = self.after, self.before
        self.score = score(state, self.player)
        self.after.x = self.before.x
        self.after.y = self.before.y
        self.after.look(state, self.player)
        self.meet(self.before)
        self.meet(self.after)
        for k in range(self.after.n_types):
            if self.met[k]:
                self.worths[k] += self.rate * (verdict - self.worths[k])
                self.met[k] = False
        return 0

    def meet(self, distances: SpriteDistances) -> cython.int:
        """Mark the types of sprites, except avatars, that overlap the avatar's current cell."""
        k: cython.int
        block: cython.int = self.after.block
        for k in range(distances.n_sprites):
            if distances.sprites[k].category == AVATAR:
                continue
            if (
                abs(cython.cast(cython.double, distances.sprites[k].x) - self.after.x) < block
                and abs(cython.cast(cython.double, distances.sprites[k].y) - self.after.y) < block
            ):
                self.met[distances.sprites[k].type] = True
        return 0

    def worth(self, kind: cython.int) -> cython.double:
        """The learned value of touching a type, -1 ... 1."""
        return self.worths[kind]

    def outlook(self) -> cython.double:
        """The sum over types of value times nearness (0 ... 1) in the last observed state."""
        k: cython.int
        total: cython.double = 0.0
        for k in range(self.after.n_types):
            if self.worths[k] != 0.0:
                total += self.worths[k] * (1.0 - self.after.by_type[k] / self.after.size)
        return total
