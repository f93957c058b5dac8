"""VGDL games that an author writes as VGDL text, from recorded plays (13.3)."""
