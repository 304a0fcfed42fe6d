"""Makes the virtual clock of the benchmarks importable: sleeping students then cost no time."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
