"""World models without a language model: a search for VGDL rules that agree with recorded plays.

``records`` observes plays, ``motion`` and ``avatars`` propose classes, ``effects`` adds effects and terminations,
``author`` combines and refines them, ``repair`` edits them line by line, ``verify`` and ``judge`` measure, and ``play``
lets controllers plan with the learnt rules.

Terms of these modules:

- *play*: a recording of a game from the start of a level, with one frame per state.
- *hypothesis*: a candidate for the rules of the game: a class per type, effects and terminations.
- *fate* of a sprite in a tick: its type and place after the tick, or that it does not exist then.
- *to follow* a play: to predict each tick with a hypothesis from the observed state before it.
- *loss* of a hypothesis: the number of wrong fates in the followed plays, and of wrong scores, ends and avatar values.
- *meeting*: two sprites that would overlap after a tick if no effect changed them; each is the other's *partner*.
- *maker*: a sprite or type that makes others where it is, as spawn points and bombers do.
- *stray*: a type that draws random numbers for its moves, so that its sprites may miss their predicted places.
- *group*: types that may have a common parent. Parents never show; their subtypes are numbered after them.
- *hidden floor*: an assumed type that is in every cell and never seen. Effects with it act everywhere.
- *band*: such a type in every cell of some rows, counted from the top or the bottom.
- *scent*: an invisible sprite that stays for a tick where an avatar was.
"""
