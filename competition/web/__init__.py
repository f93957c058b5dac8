"""The competition site, ``vgdl-compete serve``: people enter, watch, and play in the browser.

The functions behind the pages know nothing of HTTP, and the command line calls the same ones:

- ``database`` and ``schema``: SQLite in one file, or PostgreSQL, behind the same calls;
- ``accounts``, ``limits``: users, sessions, one-time links, tokens; rate limits;
- ``competitions``, ``entries``, ``jobs``, ``records``: what the site is about;
- ``rankings``: plays become tables; ``upkeep``: what has to happen without anyone asking;
- ``evaluator``, ``worker``: processes beside the site that check and play entries. No code of an entrant is ever
  loaded by the web process.

``app`` puts the application together from ``pages`` (HTML) and ``api`` (JSON); ``security`` is the layer around all of
them. Everything here needs ``pip install "vgdl[web]"`` except what workers and the command line use.
"""
