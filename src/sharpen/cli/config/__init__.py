"""Configuration files: SkillOpt's YAML read as it is, with presets, overrides and the origin of each value.

`read_config` gives a `Resolved`: the frozen record `Config` and where its values came from. What a file asks
of `sharpen.train` stands in `training.py`, which models it means in `backends.py`, which tasks in
`splits.py`, and what changed against SkillOpt in `migration.py`.
"""

from sharpen.cli.config.reading import Resolved, read_config
from sharpen.cli.config.record import Config

__all__ = ["Config", "Resolved", "read_config"]
