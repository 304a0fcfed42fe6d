"""Skills and event rules where coding agents look for them, and out again without a trace.

`installing.py` has the two front doors. A `Draft` gathers changes and makes them; `skill_folders.py`,
`hooks.py`, `lock.py` and `codex_profile.py` plan one kind each. `settings.py` puts text into files of others
(`jsonc.py` finds the place), `record.py` remembers it. `plugin.py` writes plugin folders instead. What a
client is like is in `sharpen.clients`; what happens after a tool call in `sharpen.hook`.
"""

from sharpen.install.installing import Outcome, install, uninstall
from sharpen.install.plugin import write_plugin
from sharpen.install.record import Record
from sharpen.install.scope import Scope, ScopeName

__all__ = ["Outcome", "Record", "Scope", "ScopeName", "install", "uninstall", "write_plugin"]
