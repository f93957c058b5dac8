"""Turn-based games: players of any game of `vgdl.tabletop` meet each other on every seat."""
