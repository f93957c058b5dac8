"""Creating, killing and moving sprites; C functions only."""
