"""`object-planner`: learns the effects of contacts with objects, and walks to the most valuable ones.

It divides a frame into cells, and identifies the object that the keys move.
"""

from __future__ import annotations

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS
from vgdl.competition.tracks.arc.agents.contacts import Attempt, Contacts, hashed
from vgdl.competition.tracks.arc.agents.explorer import Explorer
from vgdl.competition.tracks.arc.agents.grid import Cell
from vgdl.competition.tracks.arc.agents.scene import Field, Kind, Scene, find_field
from vgdl.competition.tracks.arc.agents.screen import Pixels, last_layer
from vgdl.competition.tracks.arc.frame import RESET, SPECIAL, Frame, State

BLIND = 40  #: actions without an avatar after which the level is left to the explorer
PATIENCE = 80  #: actions without anything new after which the level is reset


class ObjectPlanner(FrameAgent, Contacts):
    """Plans with learnt rules of objects; games with clicks or without direction keys are left to ``Explorer``.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``.
    """

    most_states = 25_000

    def __init__(self, task: Task, seed: int = 0) -> None:
        FrameAgent.__init__(self, task, seed)
        Contacts.__init__(self, task, self.random)
        self.level = -1
        self.explorer: Explorer | None = None
        self.field: Field | None = None
        self.scene: Scene | None = None
        self.level_actions = 0
        self.last_news = 0  #: action at which something new happened

    # ------------------------------------------------------------------------------------------------------ frames

    def act(self, frame: Frame) -> Act:
        if self.task.clicks or not self.moves:
            return self._explore(frame)
        pixels = last_layer(frame)
        if frame.levels_completed != self.level or frame.full_reset:
            if self.last_choice is not None and self.field is not None:
                self._learn(Scene(frame.layers[0], self.field, self.composites), State.WIN)
            self._start_level(pixels, frame.levels_completed)
        elif self.explorer is not None:
            return self._explore(frame)
        elif frame.state == State.GAME_OVER:
            self._lost(pixels)
            return Act(RESET)
        elif self.last_choice is None or self.last_choice == RESET:
            self._start_attempt(pixels)
        else:
            self._continue(pixels)
        self.level_actions += 1
        self._save()
        key = self._choose() if self.field is not None else None
        if key is None:
            return self._explore(frame)
        self.last_choice = key
        if key != RESET:
            self.tried[self.attempt.history, key] += 1
        return Act(key)

    def _explore(self, frame: Frame) -> Act:
        if self.explorer is None:
            self.explorer = Explorer(self.task, self.random.getrandbits(32))
        self.last_choice = None
        return self.explorer.act(frame)

    def _start_level(self, pixels: Pixels, level: int) -> None:
        self.level = level
        if not self.task.clicks and self.moves:
            self.explorer = None
        self.field = find_field(pixels)
        self._forget_level()
        self.level_actions = 0
        if self.field is not None:
            field = self.field
            self.neighbours = [[field.step(cell, d) for cell in range(field.n_cells)] for d in DIRECTIONS]
            self.composites = Scene(pixels, field).composites
            self._start_attempt(pixels)

    def _start_attempt(self, pixels: Pixels) -> None:
        assert self.field is not None
        self.scene = Scene(pixels, self.field, self.composites)
        self.attempt = Attempt(history=hashed(b"", -1, pixels), kinds=list(self.scene.kinds))
        self.last_news = 0
        self.last_choice = None
        self.route = None
        self.avatar = None
        self._find_avatar(self.scene)

    def _continue(self, pixels: Pixels) -> None:
        assert self.field is not None
        assert self.last_choice is not None
        self._continue_history(self.last_choice, pixels)
        self._learn(Scene(pixels, self.field, self.composites), State.NOT_FINISHED)

    def _lost(self, pixels: Pixels) -> None:
        if self.last_choice is None or self.field is None:
            return
        self._learn(Scene(pixels, self.field, self.composites), State.GAME_OVER)
        self._bar(self.attempt.history, self.last_choice)
        self.last_choice = RESET

    # ---------------------------------------------------------------------------------------------------- learning

    @property
    def looks(self) -> Kind:
        return self.avatar_kind

    def _is_avatar(self, cell: Cell, kind: Kind, *places: Cell | None) -> bool:
        return kind == self.avatar_kind

    def _learn(self, scene: Scene, state: State) -> None:
        """Learn from the step between the present scene and ``scene``, which becomes the present one."""
        before = self.scene
        assert before is not None
        assert self.last_choice is not None
        changed = before.changed(scene)
        self._learn_avatar(before, scene, changed)
        self._learn_motion(before, scene, changed)
        was = self.avatar
        self._find_avatar(scene)
        if was is not None:
            self._learn_contact(before, scene, was, state)
        self._learn_special(before, scene, was)
        if scene.hud != before.hud:  # actions may be possible now; but changing bars are no progress
            self.attempt.events += 1
            self.attempt.barred.clear()
        if state == State.WIN:
            for kind in before.counts:
                if kind not in scene.counts and kind != self.avatar_kind:
                    self.know.goals[kind] += 1
        self._remember(scene)
        self.scene = scene

    def _learn_avatar(self, before: Scene, scene: Scene, changed: list[Cell]) -> None:
        """Collect evidence for the kind that moves as the key says; by convention 1 to 4 are up, down, left, right."""
        assert self.last_choice is not None
        if self.last_choice > len(DIRECTIONS):
            return
        direction = self.last_choice - 1
        for cell in changed:
            kind = before.kinds[cell]
            there = self.neighbours[direction][cell]
            single = before.counts[kind] == 1
            if there is not None and scene.kinds[there] == kind != before.kinds[there] and scene.kinds[cell] != kind:
                self.know.avatars[kind] += 2 if single else 0
            elif single and scene.kinds[cell] == kind:
                self.know.avatars[kind] += 1  # turned
            elif single and scene.counts[kind] == 1 and kind != self.avatar_kind:
                self.know.avatars[kind] -= 2  # moved elsewhere

    def _find_avatar(self, scene: Scene) -> None:
        """Locate the avatar, whose look may have changed."""
        known = [kind for kind, evidence in self.know.avatars.most_common() if evidence > 0 and kind in scene.counts]
        if self.avatar_kind in scene.counts and self.know.avatars[self.avatar_kind] > 0:
            kind = self.avatar_kind
            if known and self.know.avatars[known[0]] > self.know.avatars[kind] + 4:
                kind = known[0]
        elif known:
            kind = known[0]
        else:
            self._find_changed_avatar(scene)
            return
        cells = scene.where(kind)
        last = self.avatar
        self.avatar = min(cells, key=lambda cell: scene.field.distance(cell, last)) if last is not None else cells[0]
        self.avatar_kind = kind

    def _find_changed_avatar(self, scene: Scene) -> None:
        """Take a new kind at or next to the avatar's last place as the avatar."""
        last = self.avatar
        self.avatar = None
        if last is None or self.scene is None:
            return
        for cell, kind in enumerate(scene.kinds):
            if kind not in self.scene.counts and scene.field.distance(cell, last) <= 1:
                self.know.avatars[kind] = 1
                self.avatar, self.avatar_kind = cell, kind
                return

    def _remember(self, scene: Scene) -> None:
        """Store the kind in each cell; the avatar's cell keeps its previous one."""
        kinds = self.attempt.kinds
        for cell, kind in enumerate(scene.kinds):
            if cell != self.avatar:
                kinds[cell] = kind

    def _news(self, small: bool = False) -> None:
        self.last_news = self.attempt.n_actions
        if not small:
            self.route = None

    # ---------------------------------------------------------------------------------------------------- deciding

    def _choose(self) -> int | None:
        """Choose the next key; None if the explorer has to take over."""
        scene, attempt = self.scene, self.attempt
        assert scene is not None
        if self.avatar is None:
            return self._look_for_avatar()
        patience = PATIENCE * (1 + self.resets)
        if attempt.n_actions - self.last_news > patience:
            self.vary()
            return RESET
        fatal = self.fatal.get(attempt.history, set())
        if SPECIAL in self.task.keys and not self.know.special_tries and SPECIAL not in fatal:
            self.know.special_tries += 1
            return SPECIAL
        route = self._follow(scene, fatal) or self._plan(scene)
        self.route = route
        if route is None and attempt.events and attempt.n_actions > 5:
            self.vary()
            return RESET
        if route is None or self.random.random() < min(0.02 * self.resets, 0.2):
            self.route = None
            return self._least_tried(fatal)
        key = route.keys[0]
        if key == SPECIAL:
            self._aim(scene)
        return key

    def _look_for_avatar(self) -> int | None:
        if self.level_actions > BLIND and max(self.know.avatars.values(), default=0) <= 0:
            return None
        return self._least_tried(self.fatal.get(self.attempt.history, set()))

    def _least_tried(self, fatal: set[int]) -> int:
        keys = [key for key in self.task.keys if key not in fatal] or list(self.task.keys)
        least = min(self.tried[self.attempt.history, key] for key in keys)
        return self.random.choice([key for key in keys if self.tried[self.attempt.history, key] == least])
