"""The systems that come with the arena, from random play to the anchor, and the compiled search that they share."""
