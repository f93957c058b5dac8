"""FlakAvatar (sprites, 13.4): goes sideways and drops things where it stands."""

from semantics.harness import NONE, UP, game, level, play, start
from semantics.sprites_harness import assert_fatal
from vgdl import Action

GUN = """
shell > Resource limit=9
bomb > Missile
avatar > FlakAvatar stype=bomb {}
"""


def loaded(parameters: str, shells: int) -> str:
    """A game whose avatar picks up so many shells when it steps on one."""
    effects = f"avatar shell > changeResource resource=shell value={shells} killResource=True"
    return game(GUN.format(parameters), effects)


def test_shoots_at_its_own_place() -> None:
    """USE adds the sprite at (rect.x, rect.y), without giving it an orientation (sprites, 13.4)."""
    rules = game("bomb > Missile\navatar > FlakAvatar stype=bomb orientation=UP")
    world = play(rules, level("..A"), actions=[Action.USE])
    assert world.only("bomb").position == (20, 0)
    assert world.only("bomb").orientation == NONE
    assert world.avatar.orientation == UP


def test_a_step_does_not_shoot() -> None:
    """Only an update without movement uses; the list is USE, LEFT, RIGHT (sprites, 13.1 and 13.4)."""
    world = start(game("bomb > Missile\navatar > FlakAvatar stype=bomb"), level("..A"))
    assert world.state.available_actions == (Action.USE, Action.LEFT, Action.RIGHT)
    assert world.advance(Action.LEFT).avatar.position == (10, 0)
    assert world.advance(Action.UP).avatar.position == (10, 0)
    assert world.advance(Action.NIL).count("bomb") == 0


def test_needs_ammunition_and_pays_it() -> None:
    """None held: no shot. One shell is one shot (sprites, 13.4)."""
    world = start(loaded("ammo=shell", 1), level("As."))
    assert world.advance(Action.USE).count("bomb") == 0
    world.advance(Action.RIGHT)
    assert world.avatar.resources == {"shell": 1}
    assert world.advance(Action.USE).count("bomb") == 1
    assert world.avatar.resources == {"shell": 0}
    assert world.advance(Action.USE).count("bomb") == 1


def test_min_ammo_is_exclusive() -> None:
    """``minAmmo=5`` needs 6 (sprites, quirk 36)."""
    for shells, bombs in [(5, 0), (6, 1)]:
        world = play(loaded("ammo=shell minAmmo=5", shells), level("As"), actions=[Action.RIGHT, Action.USE])
        assert world.count("bomb") == bombs


def test_ammunition_can_become_negative() -> None:
    """Paying writes the amount directly: 1 - 3 = -2 (sprites, 11 and quirk 36)."""
    world = play(loaded("ammo=shell ammoCost=3", 1), level("As"), actions=[Action.RIGHT, Action.USE])
    assert world.count("bomb") == 1
    assert world.avatar.resources == {"shell": -2}
    assert world.advance(Action.USE).count("bomb") == 1


def test_what_it_drops_is_from_the_avatar() -> None:
    """The created sprite is marked (sprites, 13.4); category FROMAVATAR (11)."""
    world = play(game("bomb > Missile\navatar > FlakAvatar stype=bomb"), level("..A"), actions=[Action.USE])
    assert [seen.position for group in world.state.from_avatar for seen in group] == [(20, 0)]


def test_needs_something_to_shoot() -> None:
    """``stype`` is required (sprites, 13.4)."""
    assert_fatal(game("avatar > FlakAvatar"), level("A"))


def test_unknown_names() -> None:
    """Shooting type -1 is fatal; a resource -1 is never held, so that nothing is shot (sprites, 1)."""
    assert play(game("avatar > FlakAvatar stype=nothing"), level("A"), ticks=2).crashed is False
    assert play(game("avatar > FlakAvatar stype=nothing"), level("A"), actions=[Action.USE]).crashed
    rules = game("bomb > Missile\navatar > FlakAvatar stype=bomb ammo=nothing")
    assert play(rules, level("A"), actions=[Action.USE]).count("bomb") == 0


def test_with_continuous_physics_it_shoots_when_it_does_not_push() -> None:
    """A direction is a MOVE, everything else STILL (sprites, 9.2 and 13.4)."""
    rules = game("bomb > Missile\navatar > FlakAvatar stype=bomb physicstype=CONT speed=0")
    world = start(rules, level("..A")).advance(Action.LEFT)
    assert (world.count("bomb"), world.avatar.speed) == (0, 1)
    world.advance(Action.USE)
    assert world.only("bomb").position == world.avatar.position == (19, 0)
