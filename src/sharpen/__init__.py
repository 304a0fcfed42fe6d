"""sharpen trains agent skills by measurement.

Everything public is here; the modules behind it are loaded when first used, so that importing is quick.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # importing typing takes longer than a whole hook process may
__version__ = "0.1.0"

__all__ = [
    "BatchSettings",
    "Budget",
    "BudgetError",
    "Compared",
    "Edit",
    "EditError",
    "Estimate",
    "EvaluateSettings",
    "Evaluated",
    "ModelError",
    "ModelSettings",
    "ProviderError",
    "Rollout",
    "RunFolderError",
    "RunLockedError",
    "SandboxError",
    "Score",
    "SettingsError",
    "SharpenError",
    "Skill",
    "SkillError",
    "StoreError",
    "Student",
    "Task",
    "TaskError",
    "TaskSet",
    "Teacher",
    "TrainResult",
    "TrainSettings",
    "Usage",
    "UsageError",
    "Verdict",
    "__version__",
    "acompare",
    "aevaluate",
    "atrain",
    "compare",
    "evaluate",
    "open_model",
    "open_student",
    "train",
]

if TYPE_CHECKING:
    from typing import Any

    from sharpen.agents import open_student
    from sharpen.errors import (
        BudgetError,
        EditError,
        ModelError,
        ProviderError,
        RunFolderError,
        RunLockedError,
        SandboxError,
        SettingsError,
        SharpenError,
        SkillError,
        StoreError,
        TaskError,
        UsageError,
    )
    from sharpen.evaluate import Compared, Evaluated, EvaluateSettings, acompare, aevaluate, compare, evaluate
    from sharpen.models import ModelSettings, open_model
    from sharpen.skills import Edit, Skill
    from sharpen.train import BatchSettings, TrainResult, TrainSettings, atrain, train
    from sharpen.types import (
        Budget,
        Estimate,
        Rollout,
        Score,
        Student,
        Task,
        TaskSet,
        Teacher,
        Usage,
        Verdict,
    )

_HOMES = {
    "sharpen.agents": ("open_student",),
    "sharpen.errors": (
        "BudgetError", "EditError", "ModelError", "ProviderError", "RunFolderError", "RunLockedError",
        "SandboxError", "SettingsError", "SharpenError", "SkillError", "StoreError", "TaskError",
        "UsageError",
    ),
    "sharpen.evaluate": (
        "Compared", "EvaluateSettings", "Evaluated", "acompare", "aevaluate", "compare", "evaluate",
    ),
    "sharpen.models": ("ModelSettings", "open_model"),
    "sharpen.skills": ("Edit", "Skill"),
    "sharpen.train": ("BatchSettings", "TrainResult", "TrainSettings", "atrain", "train"),
    "sharpen.types": (
        "Budget", "Estimate", "Rollout", "Score", "Student", "Task", "TaskSet", "Teacher", "Usage", "Verdict",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


class _FrontDoor(ModuleType):
    """A package that can be called like the function of its own name that it holds."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    @property
    def __wrapped__(self) -> Any:  # where `inspect` looks for the signature
        return getattr(self, self.__name__.rpartition(".")[2])


class _Sharpen(ModuleType):
    """This module. `train` and `evaluate` are packages as well as functions of the public surface.

    The import system binds a subpackage to its parent's attribute whenever it is first imported, which would
    hide a function kept there. So the packages themselves are made callable at that very moment: then
    `sharpen.train(...)` and `sharpen.train.run` both work, whatever was imported before.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("train", "evaluate") and type(value) is ModuleType:
            value.__class__ = _FrontDoor
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Sharpen


if not TYPE_CHECKING:  # a type checker knows every name from above and should complain about others

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module 'sharpen' has no attribute {name!r}")
        import importlib

        home = importlib.import_module(_HOME_OF[name])
        if home.__name__ == f"{__name__}.{name}":
            return home
        value = globals()[name] = getattr(home, name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
