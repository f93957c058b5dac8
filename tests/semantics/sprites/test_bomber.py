"""Bomber (sprites, 12.11): a SpawnPoint that can move."""

from semantics.harness import RIGHT, after, game, level, play


def test_spawns_before_it_moves_and_one_cooldown_gates_both() -> None:
    """Spawns at ticks 0, 2, 4, 6; moves at ticks 1, 3, 5 (sprites, 12.11 and quirk 12)."""
    rules = game("egg > Immovable\nhen > Bomber stype=egg speed=1 cooldown=2")
    world = play(rules, level("h....A"), ticks=0)
    path = []
    for _ in range(7):
        path.append(world.wait(1).only("hen").x)
    assert path == [0, 10, 10, 20, 20, 30, 30]
    assert [egg.x for egg in world.all("egg")] == [0, 10, 20, 30]
    assert world.rng == after(("float", 7))


def test_stands_by_default_and_looks_right() -> None:
    """Speed 0 does not move passively; RIGHT is handed on to what it spawns (sprites, 12.1 and 12.10)."""
    rules = game("egg > Missile\nhen > Bomber stype=egg total=1")
    world = play(rules, level("h....A"), ticks=1)
    assert world.only("egg").orientation == RIGHT
    rules = game("egg > Immovable\nhen > Bomber stype=egg")
    assert play(rules, level("h....A"), ticks=5).only("hen").position == (0, 0)


def test_is_observed_as_an_npc() -> None:
    """``is_npc`` by default (sprites, 12.1)."""
    world = play(game("egg > Immovable\nhen > Bomber stype=egg"), level("h.A"))
    assert [seen.position for group in world.state.npcs for seen in group] == [(0, 0)]
