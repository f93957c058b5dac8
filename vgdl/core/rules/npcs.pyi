"""The common kinds of NPCs, updated a whole type at a time; C functions only."""
