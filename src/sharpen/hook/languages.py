"""The languages a tool call is about, told by the endings of files and the names of programs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sharpen.hook.event import Event

EXTENSIONS = {
    "bash": "shell", "c": "c", "cc": "c++", "cjs": "javascript", "cpp": "c++", "cs": "c#", "css": "css",
    "cts": "typescript", "go": "go", "h": "c", "hpp": "c++", "html": "html", "java": "java",
    "js": "javascript", "jsx": "javascript", "kt": "kotlin", "mjs": "javascript", "mts": "typescript",
    "php": "php", "py": "python", "pyi": "python", "rb": "ruby", "rs": "rust", "scala": "scala",
    "sh": "shell", "sql": "sql", "swift": "swift", "toml": "toml", "ts": "typescript", "tsx": "typescript",
    "yaml": "yaml", "yml": "yaml",
}  # fmt: skip
PROGRAMS = {
    "bundle": "ruby", "cargo": "rust", "clippy-driver": "rust", "deno": "typescript", "dotnet": "c#",
    "eslint": "javascript", "g++": "c++", "gcc": "c", "gem": "ruby", "go": "go", "gofmt": "go",
    "gradle": "java", "gradlew": "java", "java": "java", "javac": "java", "jest": "javascript",
    "mvn": "java", "mypy": "python", "node": "javascript", "npm": "javascript", "npx": "javascript",
    "php": "php", "pip": "python", "pip3": "python", "pnpm": "javascript", "poetry": "python",
    "psql": "sql", "pyright": "python", "pytest": "python", "python": "python", "python3": "python",
    "rspec": "ruby", "ruby": "ruby", "ruff": "python", "rustc": "rust", "sqlite3": "sql",
    "swift": "swift", "tox": "python", "ts-node": "typescript", "tsc": "typescript", "uv": "python",
    "vitest": "javascript", "yarn": "javascript",
}  # fmt: skip
NAMES = frozenset((*EXTENSIONS.values(), *PROGRAMS.values()))
"""Every language a rule can ask for."""
_BETWEEN = str.maketrans(dict.fromkeys("'\"`;&|()<>=,:", " "))


def languages(event: Event) -> set[str]:
    """The languages that paths, words of the command and programs in it speak of."""
    words = event.command.translate(_BETWEEN).split()
    names = [word.replace("\\", "/").rsplit("/", 1)[-1] for word in (*event.paths, *words)]
    found = {EXTENSIONS.get(name.rsplit(".", 1)[-1].lower()) for name in names if "." in name}
    found |= {PROGRAMS.get(name) or PROGRAMS.get(name.rstrip("0123456789.")) for name in names}
    return {language for language in found if language}
