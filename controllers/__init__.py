"""Controllers: the players that a program can be, and what they share.

``base`` says what a controller is, ``registry`` finds one by name; then one module per controller.
"""

from vgdl.controllers.base import Controller, Timer

__all__ = ["Controller", "Timer"]
