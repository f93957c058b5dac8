"""The common kinds of sprites, updated a whole type at a time; C functions only."""
