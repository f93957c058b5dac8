"""World models without a language model: a search for VGDL rules that agree with recorded plays.

``records`` observes plays, ``motion`` and ``rules`` guess classes and effects, ``author`` puts them together,
``verify`` and ``judge`` measure, ``play`` lets controllers plan with what was learnt.
"""
