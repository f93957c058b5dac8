"""The competition: controllers in isolated processes play a set of games under limits, and are ranked.

``agents`` runs a submitted program in an isolated process and serves every track: ``process`` calls its methods
by name, ``service`` declares them, ``wire`` and ``plain_data`` carry and check messages, ``process_tree``,
``isolation`` and ``cpu_clock`` start, keep and measure it. ``contest`` is the planning competition: what is played
(``plan``, ``rules``), one play (``play``), all plays (``runner``, ``session``). ``results`` stores and ranks them,
``report`` writes the web site, ``submissions`` evaluates controllers that others send in, and ``tracks`` are the other
contests.
"""
