"""World models without a language model: a search for VGDL rules that agree with recorded plays.

``records`` observes plays, ``motion`` and ``rules`` propose classes and effects, ``author`` combines them, ``verify``
and ``judge`` measure, and ``play`` lets controllers plan with the learnt rules.
"""
