"""GAMEBoT: language models play eight games and answer questions about the positions.

In every turn, a model answers two or three questions about the position, which a program can check, and moves.
``tasks`` contains the games, each with its texts, moves and truths; ``answers`` parses a model's text, ``verdicts``
judges it and ``scores`` computes scores. ``match`` plays one match, and ``arena`` the matches of a ``plan``, which are
saved in the ``store``; ``players`` contains the players, ``scripted`` a model for tests. ``command`` is ``vgdl-compete
gamebot``, and ``pages`` writes its web site.
"""
