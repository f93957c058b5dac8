"""The competition site, ``vgdl-compete serve``: people enter, watch, and play in the browser.

The functions behind the pages are independent of HTTP, and the command line calls the same ones:

- ``database`` and ``schema``: SQLite in one file, or PostgreSQL, behind the same calls;
- ``accounts``, ``limits``: users, sessions, one-time links, tokens; rate limits;
- ``competitions``, ``entries``, ``jobs``, ``records``: competitions, entries, the queue, and plays by people;
- ``rankings``: rankings from plays; ``upkeep``: periodic tasks;
- ``evaluator``, ``worker``: separate processes that check and play entries. The web process never loads code of an
  entrant.

``app`` assembles the application from ``pages`` (HTML) and ``api`` (JSON); ``security`` is the layer around both.
Everything here needs ``pip install "vgdl[web]"`` except the parts used by workers and the command line.
"""
