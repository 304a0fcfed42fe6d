"""Settings all tests share: few hypothesis examples by default, many with SHARPEN_TEST_FULL=1.

Some properties train a whole run or read a configuration four times for one example; 300 keeps all of
`make test-all` to a fraction of an hour, most of it for the kills, null runs and files that test files count.
"""

import os
import signal

from hypothesis import settings

settings.register_profile("ci", max_examples=60, deadline=None)
settings.register_profile("full", max_examples=300, deadline=None)
settings.load_profile("full" if os.environ.get("SHARPEN_TEST_FULL") == "1" else "ci")

# A shell starts background jobs with Ctrl-C ignored, and children inherit that; some tests send it to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)
