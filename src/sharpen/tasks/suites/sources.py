"""Where a benchmark's data can be had: records, not data.

A source names a data set on the Hugging Face hub and the files of it that are needed. The hub states a
checksum for every file of a revision; `fetch` verifies it. Licence and access are the publisher's.
"""

from __future__ import annotations

from dataclasses import dataclass

RECEIPT = "fetched.json"
"""What was fetched and from where; it lies beside the data."""


@dataclass(frozen=True, slots=True)
class Source:
    """One data set of the hub."""

    dataset: str  # owner/name
    files: tuple[str, ...]  # patterns of paths in it
    licence: str
    revision: str = "main"
    gated: bool = False  # the publisher wants an account and a consent
    remarks: str = ""
    command: str = ""  # for data that a program of its publisher downloads instead

    @property
    def page(self) -> str:
        return f"https://huggingface.co/datasets/{self.dataset}"
