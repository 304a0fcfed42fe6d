"""What the sections of a configuration have in common: frozen, strict about types, no unknown keys.

A line under each field says what it is for; it is the description in `docs/configuration.md`. Sections know
keys, types and SkillOpt's defaults; they do not know files.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A group of keys under one heading of the file."""

    model_config = ConfigDict(
        allow_inf_nan=False,
        extra="forbid",
        frozen=True,
        protected_namespaces=(),
        strict=True,
        use_attribute_docstrings=True,
    )


Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Amount = Annotated[float, Field(gt=0)]
Seconds = Amount
Temperature = Annotated[float, Field(ge=0)]
