"""Skills and event rules where coding agents look for them, and out again without a trace.

`installing.py` has the two front doors. A `Draft` gathers changes, `placing.py` makes them all or none;
`skill_folders.py`, `hooks.py`, `lock.py` and `codex_profile.py` plan one kind each. `settings.py` puts text
into files of others and takes it out (`jsonc.py` and `toml_tables.py` find the place), `record.py` remembers
it. `shims.py` has the files that are ours whole, `plugin.py` writes plugin folders instead, `rule_files.py`
makes a skill of bare rules, and `firings.py` reads what the rules have done. What a client is like is in
`sharpen.clients`; what happens after a tool call in `sharpen.hook`.
"""

from sharpen.install.draft import Change
from sharpen.install.installing import Outcome, install, uninstall
from sharpen.install.plugin import write_plugin
from sharpen.install.record import Record
from sharpen.install.rule_files import skill_of_rules
from sharpen.install.scope import Scope, ScopeName

__all__ = [
    "Change",
    "Outcome",
    "Record",
    "Scope",
    "ScopeName",
    "install",
    "skill_of_rules",
    "uninstall",
    "write_plugin",
]
