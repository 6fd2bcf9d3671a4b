"""Minds: language agents made of parts, ready-made ones by name and your own in a short file."""

from .associative_memory import AssociativeMemory
from .mind import Mind
from .part import Moment, Part
from .parts import Goal, Identity, Marks, Options, Plan, Question, Recall

__all__ = [
    "AssociativeMemory",
    "Goal",
    "Identity",
    "Marks",
    "Mind",
    "Moment",
    "Options",
    "Part",
    "Plan",
    "Question",
    "Recall",
]
