"""The bundled controllers: the entries of the 2014 competition, and the samples that came with it."""
