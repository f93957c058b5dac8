"""Controllers: programs that play games.

``base`` defines the interface, ``registry`` finds a controller by name, ``search`` is the library of search algorithms,
``entries`` has the bundled controllers, and ``tabletop`` the players of turn-based games.
"""

from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.registry import load, names

__all__ = ["Controller", "Timer", "load", "names"]
