"""A teacher from its name: `phrasebook` without a model, or any model as `provider:model`.

Options are the fields of `TeacherSettings` and `ModelSettings`, typed or as text; what both have, such as
max_tokens, is the teacher's. Teachers of the user's own are objects, and the command line finds those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sharpen.agents.options import refuse, take
from sharpen.errors import SettingsError
from sharpen.models import PROVIDERS, ModelSettings, open_model
from sharpen.train.teacher.model_teacher import ModelTeacher
from sharpen.train.teacher.phrasebook import PhrasebookTeacher
from sharpen.train.teacher.rules import RuleTeacher
from sharpen.train.teacher.settings import TeacherSettings
from sharpen.types import Task, Teacher

TEACHERS = ("phrasebook", *PROVIDERS)
"""What a name may begin with."""


def open_teacher(
    name: str, options: Mapping[str, object] | Sequence[str] = (), *, examples: Sequence[Task] = ()
) -> Teacher:
    """The teacher of that name; `examples` are train tasks that the phrasebook may show as worked ones."""
    given: dict[str, object] = dict(options if isinstance(options, Mapping) else map(option, options))
    if name == "phrasebook":
        if given:
            raise SettingsError(f"the phrasebook has no options; leave out {', '.join(given)}")
        return PhrasebookTeacher(examples)
    settings = take(TeacherSettings, given)
    given.setdefault("role", "teacher")
    model = take(ModelSettings, given)
    refuse(given, TeacherSettings, ModelSettings, who="a teacher")
    opened = open_model(name, model)
    return RuleTeacher(opened, settings) if settings.style == "rules" else ModelTeacher(opened, settings)


def option(text: str) -> tuple[str, str]:
    """KEY=VALUE as a pair."""
    key, equals, value = text.partition("=")
    if not key.strip() or not equals:
        raise SettingsError(f"the teacher's option {text!r} must be KEY=VALUE, for example max_tokens=4096")
    return key.strip(), value
