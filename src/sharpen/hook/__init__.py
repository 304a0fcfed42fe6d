"""The process a coding agent starts after every tool call: does a rule apply, and what is to be said?

`run.py` is its whole course: the client's payload becomes an `Event` (`event.py`), rules are tried against it
(`matching.py`), what was said before is looked up (`memory.py`) and the client's answer is printed
(`answer.py`). The agent waits for this process, so nothing here imports anything but the standard library,
and of that only what starts quickly: no json, no typing, no dataclasses, and `re` only for a likely match.
"""
