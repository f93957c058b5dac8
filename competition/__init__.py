"""The competition: controllers play sets of games under a clock, and a ranking comes out.

``rules`` holds the limits and rules as data, ``plan`` what is to be played; ``play`` applies the rules to one play.
``seat`` and ``worker`` are the two ends of the pipe to a controller's process, ``isolation`` and ``sandbox`` what is
around it, ``cpu_clock`` what it is charged by. ``runner`` plays one fixture, ``session`` all that are left, here or by
``ray_backend``, each into the ``store``. ``scoring`` and ``rating`` rank, ``tables`` and ``results`` show; ``cli`` is
the command ``vgdl-compete``, with ``options``, ``progress`` and ``standings``.
"""
