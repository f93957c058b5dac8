"""Names of the reference's Java interface lead to the Python ones, and cost nothing."""

from __future__ import annotations

import pickle

import pytest

import vgdl
from vgdl import Action, Winner
from vgdl.controllers import Timer
from vgdl.core.java_names import JAVA_NAMES, JavaName


def subjects() -> dict[str, object]:
    state = vgdl.load("aliens").start(seed=1)
    state.rollout([Action.USE] * 40)
    sprite = next(sprite for sprites in state.immovables for sprite in sprites)
    return {"state": state, "sprite": sprite, "event": state.events[0], "timer": Timer()}


@pytest.mark.parametrize("row", JAVA_NAMES, ids=lambda row: f"{row.owner}.{row.name}")
def test_each_python_expression_works(row: JavaName) -> None:
    expression = row.python.replace("seed=...", "seed=1")
    eval(expression, {**subjects(), "Action": Action, "Winner": Winner, "action": Action.NIL})


@pytest.mark.parametrize(
    ("subject", "name", "hint"),
    [
        ("state", "getAvatarPosition", r"use state\.avatar\.position"),
        ("state", "isGameOver", r"use state\.is_over"),
        ("sprite", "itype", r"use sprite\.type"),
        ("event", "gameStep", r"use event\.tick"),
        ("timer", "remainingTimeMillis", r"use timer\.remaining_ms"),
    ],
)
def test_a_java_name_is_no_attribute_and_the_error_says_what_to_write(subject: str, name: str, hint: str) -> None:
    found = subjects()[subject]
    with pytest.raises(AttributeError, match=hint):
        getattr(found, name)
    assert not hasattr(found, name)
    assert not [each for each in dir(subjects()["state"]) if each.startswith("get")]


@pytest.mark.parametrize("given", ["RIGHT", "right", "ACTION_RIGHT", "Types.ACTIONS.ACTION_RIGHT"])
def test_an_action_by_its_name_is_refused_with_the_right_spelling(given: str) -> None:
    state = vgdl.load("aliens").start(seed=1)
    with pytest.raises(ValueError, match=r"write Action\.RIGHT"):
        Action(given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"write Action\.RIGHT"):
        state.advance(given)  # type: ignore[arg-type]
    if given != "RIGHT":
        with pytest.raises(KeyError, match=r"write Action\.RIGHT"):
            Action[given]


def test_other_values_are_refused_with_the_names() -> None:
    state = vgdl.load("aliens").start(seed=1)
    names = "there are NIL, UP, LEFT, DOWN, RIGHT, USE, ESCAPE"
    with pytest.raises(ValueError, match=names):
        Action(9)
    with pytest.raises(AttributeError, match=r"write Action\.UP"):
        _ = Action.ACTION_UP  # type: ignore[attr-defined]
    for wrong in (None, 1.5, object()):
        with pytest.raises(TypeError, match=names):
            state.advance(wrong)  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(Action.UP)) is Action.UP
    assert list(Action)[-1] is Action.ESCAPE
