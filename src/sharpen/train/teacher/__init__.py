"""Teachers that ship with sharpen: who reads attempts and proposes edits.

The phrasebook needs no model: it turns a verifier's feedback and worked examples of the train split into
rules by fixed phrases, and is called what it is.
"""

from sharpen.train.teacher.phrasebook import PhrasebookTeacher

__all__ = ["PhrasebookTeacher"]
