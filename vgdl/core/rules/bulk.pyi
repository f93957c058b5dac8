"""The usual kinds of sprites, a whole type at a time; C functions only."""
