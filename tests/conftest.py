"""Settings all tests share: few hypothesis examples by default, many with SHARPEN_TEST_FULL=1."""

import os

from hypothesis import settings

settings.register_profile("ci", max_examples=60, deadline=None)
settings.register_profile("full", max_examples=1000, deadline=None)
settings.load_profile("full" if os.environ.get("SHARPEN_TEST_FULL") == "1" else "ci")
