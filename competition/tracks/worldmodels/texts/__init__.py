"""VGDL games that an author writes from recorded plays: as VGDL text (13.3) or as Python programs (13.2)."""
