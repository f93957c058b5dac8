"""GAMEBoT: language models play eight games and show their work.

At every turn a model answers two or three questions about the position, whose true answers a program knows, and moves.
``tasks`` has the games, each with its texts, moves and truths; ``answers`` reads what a model writes, ``verdicts``
judges it and ``scores`` adds up. ``match`` plays one match and ``arena`` those of a ``plan``, into the ``store``;
``players`` has those that play, ``scripted`` a model for tests. ``command`` is ``vgdl-compete gamebot``, ``pages``
writes its web site.
"""
