"""Learning the rules of a game from own play: hypotheses are VGDL texts, and the exact engine judges them.

`Learner` observes plays and acts; see :doc:`the page about it </induction>`.
"""

from vgdl.induction.hypothesis import Hypothesis
from vgdl.induction.learner import Learner
from vgdl.induction.observations import Frame, Observer
from vgdl.induction.spending import Budget

__all__ = ["Budget", "Frame", "Hypothesis", "Learner", "Observer"]
