"""The learning track: agents without a forward model, which learn a game while they play it.

``rules`` are the limits, ``learner`` is the interface of agents, ``spaces`` and ``observations`` say what agents see,
``adapter`` runs an agent in a process of its own, ``referee`` plays, and ``lesson`` is a whole run of one agent on one
game: training, probes, validation. ``measures`` and ``tables`` judge. ``server`` serves the same games to clients that
speak the wire protocol of the reference.
"""
