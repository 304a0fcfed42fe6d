"""The teacher's prompts: Markdown files that ship with it, and those a user puts in their place.

A file in the user's folder replaces the shipped one of the same name; a file there that replaces nothing is a
mistake and is named. Prompts say what to do and how to think; inputs and the shape of the answer are added by
the code, so that no prompt can lose them.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from sharpen.errors import SettingsError
from sharpen.tasks.prompting import filled, packaged

HERE = "sharpen.train.teacher"


def prompt_names() -> tuple[str, ...]:
    """All prompts there are, without `.md`."""
    shipped = (files(HERE) / "prompts").iterdir()
    return tuple(sorted(one.name.removesuffix(".md") for one in shipped if one.name.endswith(".md")))


def prompt(name: str, folder: str | Path | None = None, **inputs: str) -> str:
    """The prompt of that name without its header, its inputs put in."""
    try:
        return filled(prompt_file(name, folder), **inputs)
    except KeyError as error:
        wanted = ", ".join(f"{{{{{one}}}}}" for one in inputs) or "no inputs"
        raise SettingsError(f"prompts: {name}.md must hold {wanted}, each exactly so ({error})") from None


def prompt_file(name: str, folder: str | Path | None = None) -> str:
    """The file as it is: the user's, else the shipped one."""
    own = Path(folder) / f"{name}.md" if folder is not None else None
    return own.read_text(encoding="utf-8") if own and own.is_file() else packaged(HERE, f"prompts/{name}.md")


def check_folder(folder: str | Path) -> None:
    """SettingsError unless the folder is there and every Markdown file in it replaces a prompt."""
    place, known = Path(folder), prompt_names()
    if not place.is_dir():
        raise SettingsError(f"prompts: there is no folder {folder}")
    for file in sorted(place.glob("*.md")):
        if file.stem not in known:
            near = get_close_matches(file.stem, known, n=1)
            hint = f"did you mean {near[0]}.md?" if near else f"there are {', '.join(known)}"
            raise SettingsError(f"prompts: {file} replaces no prompt; {hint}")
