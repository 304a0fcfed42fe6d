"""Teachers that ship with sharpen: who reads attempts, proposes edits and gives advice on a run.

`open_teacher("openai:gpt-5")` makes one by name. `ModelTeacher` reflects in JSON on any model, `RuleTeacher`
asks small models for single sentences, `PhrasebookTeacher` needs no model and says fixed phrases. `asking.py`
is the one way to a model, `matters.py` says what can be asked, the words are in `prompts/`.
"""

from sharpen.train.teacher.asking import UnusableAnswerError
from sharpen.train.teacher.matters import MATTERS
from sharpen.train.teacher.model_teacher import Lesson, ModelTeacher
from sharpen.train.teacher.opening import TEACHERS, open_teacher
from sharpen.train.teacher.phrasebook import PhrasebookTeacher
from sharpen.train.teacher.rules import RuleTeacher
from sharpen.train.teacher.settings import TeacherSettings

__all__ = [
    "MATTERS",
    "TEACHERS",
    "Lesson",
    "ModelTeacher",
    "PhrasebookTeacher",
    "RuleTeacher",
    "TeacherSettings",
    "UnusableAnswerError",
    "open_teacher",
]
