"""Settings that keys change for the whole window: colours and sounds; and the texts of the window."""

from __future__ import annotations

import numpy as np
import pygame
import pytest

import vgdl
from play.conftest import screen_of
from play.window import Open, Window
from vgdl.play import paint
from vgdl.play.controls import hints
from vgdl.play.playing import PlayScreen
from vgdl.play.settings import Settings
from vgdl.play.sounds import RATE, Moment, Sound, Sounds, heard, samples
from vgdl.render import Palette

QUIET = Moment(score=0, health=3, uses=False, won=False, over=False)


def settings(window: Window) -> Settings:
    found: PlayScreen = screen_of(window, PlayScreen)
    return found.settings


# ------------------------------------------------------------------------------------------------ colours


def test_a_key_changes_the_colours_of_all_screens(opened: Open) -> None:
    window = opened("frogs", "--paused")
    standard = window.pixels()
    window.press(pygame.K_c)
    assert settings(window).palette is Palette.SAFE
    window.wait(10_000)  # until the message disappears
    window.wait()
    changed = window.pixels()
    assert changed != standard
    window.press(pygame.K_c)
    window.wait(10_000)
    window.wait()
    assert window.pixels() == standard


def test_the_palette_can_be_chosen_at_the_start(opened: Open) -> None:
    window = opened("frogs", "--paused", "--palette", "safe")
    assert settings(window).palette is Palette.SAFE


# ------------------------------------------------------------------------------------------------ sounds


@pytest.mark.parametrize("sound", list(Sound))
def test_a_sound_is_short_quiet_and_without_clicks(sound: Sound) -> None:
    made = samples(sound)
    assert 0.03 * RATE < len(made) < RATE
    assert 1000 < np.abs(made.astype(int)).max() < 0.3 * 2**15
    assert made[0] == made[-1] == 0


def test_no_two_sounds_are_alike() -> None:
    assert len({samples(sound).tobytes() for sound in Sound}) == len(Sound) == 5


@pytest.mark.parametrize(
    ("after", "sound"),
    [
        (QUIET, None),
        (Moment(1, 3, False, False, False), Sound.SCORED),
        (Moment(-1, 3, False, False, False), Sound.HURT),
        (Moment(0, 2, False, False, False), Sound.HURT),
        (Moment(0, 3, True, False, False), Sound.USED),
        (Moment(1, 3, True, False, False), Sound.SCORED),
        (Moment(1, 3, True, True, True), Sound.WON),
        (Moment(5, 3, False, False, True), Sound.LOST),
    ],
)
def test_a_tick_has_the_sound_of_its_most_important_event(after: Moment, sound: Sound | None) -> None:
    assert heard(QUIET, after) is sound


def test_a_held_key_is_heard_once() -> None:
    using = Moment(0, 3, True, False, False)
    assert heard(using, using) is None


def test_sounds_are_off_until_a_key_switches_them_on(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    played: list[Sound | None] = []
    monkeypatch.setattr(Sounds, "play", lambda self, sound: played.append(sound if self.on else None))
    window = opened("race.txt", "--level", "1")
    window.hold(pygame.K_RIGHT)
    window.ticks(1)
    assert not settings(window).sounds.on
    window.press(pygame.K_m)
    assert settings(window).sounds.on
    window.hold(pygame.K_RIGHT)
    window.ticks(3)
    assert [sound for sound in played if sound is not None] == [Sound.WON]
    window.press(pygame.K_m)
    assert not settings(window).sounds.on


def test_without_a_sound_device_the_window_says_so_and_goes_on(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "nosuchdriver")
    window = opened("race.txt")
    window.press(pygame.K_m)
    screen: PlayScreen = screen_of(window, PlayScreen)
    assert screen.message.startswith("No sounds: ")
    window.ticks(2)
    assert screen.match.state.tick == 2


# ------------------------------------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("name", "meaning"), [("aliens", "shoot"), ("zelda", "use: sword"), ("boulderdash", "use: shovel")]
)
def test_a_hint_explains_the_use_key(name: str, meaning: str) -> None:
    state = vgdl.load(name).start(level=0, seed=1)
    assert (["Space"], meaning) in hints(state, 0, 0, 1)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All texts in a window."""
    words: list[str] = []
    write = paint.text

    def note(surface: pygame.Surface, line: str, *rest: object) -> pygame.Rect:
        words.append(line)
        return write(surface, line, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(paint, "text", note)
    return words


@pytest.mark.parametrize(("ticks", "told"), [(1, "score 0   after 1 tick"), (2, "score 0   after 2 ticks")])
def test_one_tick_is_not_ticks(opened: Open, written: list[str], ticks: int, told: str) -> None:
    window = opened("race.txt")
    window.ticks(ticks)
    screen_of(window, PlayScreen).match.state.abort()
    window.wait()
    assert told in written


def test_help_in_a_flat_window_uses_the_largest_font_that_fits(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[str, float] = {}
    bottoms: list[int] = []
    write = paint.text

    def note(surface: pygame.Surface, words: str, size: float, *rest: object) -> pygame.Rect:
        sizes[words] = size
        rect = write(surface, words, size, *rest)  # type: ignore[arg-type]
        bottoms.append(rect.bottom)
        return rect

    monkeypatch.setattr(paint, "text", note)
    window = opened("zelda", "--paused", size=(1200, 380))
    window.press(pygame.K_h)
    assert sizes["pause and continue"] >= 18
    assert max(bottoms) <= 380


def test_letters_are_spaced_as_in_a_large_font() -> None:
    for words in ("Missile Command", "adrienctx", "Butterflies"):
        width, large = paint.width_of(words, 16), paint.width_of(words, 160) / 10
        assert abs(width - large) <= 0.02 * large + 1


def test_empty_words_take_no_place(opened: Open) -> None:
    window = opened("race.txt")
    assert paint.text(window.app.surface, "", 20, (5, 5)).width == 0


@pytest.mark.parametrize(("arguments", "told"), [((), False), (("--controller", "players.py:Right"), True)])
def test_the_key_for_thoughts_is_told_only_with_a_controller(
    opened: Open, written: list[str], arguments: tuple[str, ...], told: bool
) -> None:
    window = opened("race.txt", "--paused", *arguments)
    assert ("thoughts" in written) is told
    window.press(pygame.K_h)
    assert ("show or hide what a controller thinks" in written) is told


def test_a_controller_is_headed_by_both_of_its_names(opened: Open) -> None:
    watched: PlayScreen = screen_of(opened("race.txt", "--controller", "olets", "--paused"), PlayScreen)
    (machine,) = watched.machines
    assert machine.title == "olets (adrienctx)"
    other: PlayScreen = screen_of(opened("race.txt", "--controller", "samplemcts", "--paused"), PlayScreen)
    assert [one.title for one in other.machines] == ["samplemcts"]
