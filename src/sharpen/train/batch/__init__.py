"""The batch loop: SkillOpt's method behind the same surface as the default loop.

loop.py        epochs and steps: roll out, reflect, merge, select, apply, gate
step.py        one step as it goes, and how it is told
reflecting.py  attempts of a batch, and reflections that begin while others still run
items.py       what a step chooses from: edits, suggestions, whole skills
merging.py     many patches into one pool, and the few of it that a step may use
updating.py    a pool into a candidate, in one of three modes
schedule.py    how many edits a step may use, and the order of tasks
memory.py      what later reflections are told of earlier steps
epochs.py      what happens between epochs: guidance, notes for the teacher, edits from the history
probing.py     questions the teacher may put to the student before it reflects
telling.py     attempts as run folders and teachers are told of them
"""

from sharpen.train.batch.loop import BatchLoop
from sharpen.train.batch.schedule import planned_gates

__all__ = ["BatchLoop", "planned_gates"]
