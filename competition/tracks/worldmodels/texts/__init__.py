"""VGDL games that an author writes from recorded plays: as VGDL text or as Python programs."""
