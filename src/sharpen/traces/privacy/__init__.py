"""What has to go from harvested sessions: credentials, and what tells who the user is and where they work.

`redactor.py` walks through texts and JSON. The rules are in `credentials.py` and `persons.py`; `engine.py`
looks for all of them at once, `plain_view.py` reads through escapes.
"""

from sharpen.traces.privacy.engine import best_engine
from sharpen.traces.privacy.redactor import Privacy

__all__ = ["Privacy", "best_engine"]
