"""The bundled systems, from random play to the anchor, and their common compiled search."""
