"""Every error sharpen raises on purpose, and the exit code each one ends a command with.

    SharpenError                 1   something went wrong that is nobody's typo
    ├── UsageError               2   the user's mistake; the message says what to change
    │   ├── SkillError           2   a skill that cannot be read or written
    │   ├── EditError            2   something that is not an edit
    │   ├── TaskError            2   tasks or splits that cannot be used
    │   ├── SettingsError        2   a setting out of range, an unknown key
    │   ├── ModelError           2   a model that cannot be asked as configured: name, key, address
    │   ├── SandboxError         2   a sandbox that cannot be had, or a job it cannot start
    │   └── RunFolderError       2   a run folder that is not one, or of another configuration
    │       └── RunLockedError   2   a live process holds the run folder
    ├── ProviderError            3   student or teacher stayed down; what was paid for is kept
    ├── BudgetError              4   the budget ends before anything can be decided
    └── StoreError               1   the disk refused: full, read-only, damaged

A failed attempt is not an error here: it is data on the rollout. Bugs are not wrapped; they crash.
"""

from __future__ import annotations

from typing import Any


class SharpenError(Exception):
    """Base of all: catch this to catch everything sharpen raises on purpose."""

    exit_code = 1


class UsageError(SharpenError):
    """The user asked for something that cannot be done as asked."""

    exit_code = 2


class SkillError(UsageError):
    """A skill that is missing, empty, or whose frontmatter does not parse."""


class EditError(UsageError):
    """A value offered as an edit that is not one."""


class TaskError(UsageError):
    """Tasks that cannot be used: an empty split, a duplicate id, two splits that overlap."""


class SettingsError(UsageError):
    """A setting with a value it cannot have."""


class ModelError(UsageError):
    """A model that cannot be asked as configured; asking again cannot help."""


class SandboxError(UsageError):
    """Isolation or a limit that this machine cannot give, or a job that cannot be started."""


class RunFolderError(UsageError):
    """A run folder that is not one, or that belongs to another configuration."""


class RunLockedError(RunFolderError):
    """Another live process works in the run folder."""


class ProviderError(SharpenError):
    """Student or teacher gave no usable answer and kept doing so."""

    exit_code = 3
    usage: Any = None
    """What the calls that led to it cost, a `Usage`; None when nothing was paid or nobody knows."""
    answered = False
    """The provider did answer: asking the same again would only repeat that."""


class BudgetError(SharpenError):
    """The budget does not reach for one decision; the message says how much would."""

    exit_code = 4


class StoreError(SharpenError):
    """The run folder could not be written: disk full, read-only, damaged file."""
