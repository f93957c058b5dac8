"""The competition: controllers play sets of games under a clock, and a ranking comes out.

``protocol`` holds the limits and rules as data, ``play`` applies them to one play, ``seat`` and ``worker`` are the two
ends of the pipe to a controller's process, ``runner`` goes through all plays, ``scoring`` ranks, ``tables`` and
``results`` show and store, ``cli`` is the command ``vgdl-compete``.
"""
