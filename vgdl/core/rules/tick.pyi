"""One cycle of a game; C functions only."""
