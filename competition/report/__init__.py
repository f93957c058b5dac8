"""A static site of what a results store holds: the command ``vgdl-compete report``.

``site`` writes the folder; ``facts`` gathers what is told; each ``*_page`` module writes one kind of page, from parts
and charts that are markup as values (``html``); ``film`` makes replays for the browser. ``static`` holds the frame of
a page, the style sheet and the player.
"""
