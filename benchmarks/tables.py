"""Tables as text: aligned columns for a terminal, or Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, markdown: bool = False) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in (head, *rows)]
    rule = ["-" * width for width in widths]
    if markdown:
        return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))
    return "\n".join("  ".join(line).rstrip() for line in (lines[0], rule, *lines[1:]))
