"""Is every file of the package inside the wheel? Templates, prompts and data are easily left behind.

python tools/check_wheel.py FOLDER_WITH_ONE_WHEEL
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

SOURCE = Path(__file__).resolve().parent.parent / "src"


def expected() -> set[str]:
    """What the source tree holds, bytecode aside."""
    files = (path for path in (SOURCE / "sharpen").rglob("*") if path.is_file())
    return {str(path.relative_to(SOURCE)) for path in files if "__pycache__" not in path.parts}


def main() -> None:
    (wheel,) = Path(sys.argv[1]).glob("*.whl")
    names = set(ZipFile(wheel).namelist())
    missing = sorted(expected() - names)
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    if not any(name.endswith("licenses/LICENSE") for name in names):
        sys.exit(f"{wheel.name} lacks the license")
    print(f"{wheel.name}: all {len(expected())} files of the package are inside")


if __name__ == "__main__":
    main()
