"""The parts of the learner that can be left out, to measure what each of them is good for."""

LAW = "law"  #: rare events are judged by the futures of all ticks
OUTLOOK = "outlook"  #: edits are tried in the order of what their signatures may explain; else the shortest first
CONFIRMATION = "confirmation"  #: what is better has to be so with other random numbers, too
WIDTH = "width"  #: hypotheses beside the best one
CONFLICTS = "conflicts"  #: the costliest conflict comes first; else the first one that was seen
GOAL = "goal"  #: how a game is won and lost is guessed as long as the rules do not say it
ANALOGY = "analogy"  #: rules of types that have not met are guessed from those of their relatives
DETOURS = "detours"  #: edits that only pay together are tried where none pays alone

NAMES = (LAW, OUTLOOK, CONFIRMATION, WIDTH, CONFLICTS, GOAL, ANALOGY, DETOURS)
