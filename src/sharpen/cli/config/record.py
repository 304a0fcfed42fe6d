"""The resolved configuration: one frozen record with SkillOpt's sections and ours.

It knows how to say itself as plain values, by section or under SkillOpt's flat names. Secrets are left out of
both unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import SecretStr

from sharpen.cli.config.environment import Env
from sharpen.cli.config.learning import Evaluation, Gradient, HumanFeedback, Limits, Optimizer, Train
from sharpen.cli.config.model import Model
from sharpen.cli.config.section import Section
from sharpen.redaction import redact

PresetName = Literal["paper", "default"]
HIDDEN = "(secret)"
"""Printed in place of a secret; reading it back gives no secret."""


class Config(Section):
    """Everything a file and its overrides say, with defaults where they are silent."""

    preset: PresetName | None = None
    """Settings to start from: paper (SkillOpt's published ones) or default (ours)."""
    model: Model = Model()
    """Teacher and student."""
    train: Train = Train()
    """Epochs, batches and the seed."""
    gradient: Gradient = Gradient()
    """Reflection."""
    optimizer: Optimizer = Optimizer()
    """Updates."""
    evaluation: Evaluation = Evaluation()
    """The gate and the final look."""
    env: Env = Env()
    """The suite and its data."""
    budget: Limits = Limits()
    """Hard limits."""
    human_feedback: HumanFeedback = HumanFeedback()
    """A person who reviews each gate."""

    def values(self, *, secrets: bool = False) -> Iterator[tuple[str, object]]:
        """Every dotted key with its plain value, in the order of the sections."""
        if self.preset is not None:
            yield "preset", self.preset
        for section in SECTIONS:
            record = getattr(self, section)
            for key in type(record).model_fields:
                yield f"{section}.{key}", _plain(getattr(record, key), secrets=secrets)

    def get(self, dotted: str) -> object:
        """The value of one dotted key, secrets as their text."""
        section, _, key = dotted.partition(".")
        return _plain(getattr(getattr(self, section), key) if key else getattr(self, section), secrets=True)


SECTIONS: tuple[str, ...] = tuple(name for name in Config.model_fields if name != "preset")
"""The headings of a file, in order."""
SECTION_TYPES: dict[str, type[Section]] = {name: type(getattr(Config(), name)) for name in SECTIONS}


def _plain(value: object, *, secrets: bool) -> object:
    if isinstance(value, SecretStr):
        text = value.get_secret_value()
        return text if secrets or not text else HIDDEN
    if isinstance(value, str) and not secrets:
        return redact(value)  # a password may stand inside a URL
    return value
