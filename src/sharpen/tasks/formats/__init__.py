"""Generated tasks with verifiers: copy something out of a sentence and give it the form that is wanted.

Any number of items from a seed, small enough for the smallest models; families on which a skill helps, and
families on which nothing does.
"""

from sharpen.tasks.formats.families import FAMILIES
from sharpen.tasks.formats.family import Family, Item, Sizes
from sharpen.tasks.formats.feedback import Feedback
from sharpen.tasks.formats.scorers import ExactScorer, RecordScorer

__all__ = ["FAMILIES", "ExactScorer", "Family", "Feedback", "Item", "RecordScorer", "Sizes"]
