"""The head of a GGUF file: enough to tell a model from anything else before an engine is started on it.

Format: the four bytes "GGUF", then little-endian a 32-bit version and two 64-bit counts (tensors, metadata
entries); see the GGUF specification in ggml's documentation. Nothing after the head is read.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from sharpen.models.errors import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_HEAD = struct.Struct("<4sIQQ")


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What the first 24 bytes say."""

    version: int
    tensors: int
    entries: int


def read_header(path: Path) -> GgufHeader:
    """The head of a model file; ModelError when it is not one."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size)
    except FileNotFoundError:
        raise ModelError(f"there is no model file {path}.") from None
    except OSError as error:
        raise ModelError(f"the model file {path} cannot be read: {error.strerror or error}.") from error
    if head[:4] != MAGIC:
        raise ModelError(
            f"{path} is not a GGUF file: it begins with {head[:4]!r}, not {MAGIC!r}. "
            "Give the path of a model in llama.cpp's GGUF format."
        )
    if len(head) < _HEAD.size:
        raise ModelError(f"{path} is a GGUF file cut off after {len(head)} bytes; get it again.")
    _, version, tensors, entries = _HEAD.unpack(head)
    if version not in VERSIONS:
        raise ModelError(
            f"{path} is a GGUF file of version {version}; {' and '.join(map(str, VERSIONS))} are read. "
            "Convert it with a current llama.cpp."
        )
    if not tensors:
        raise ModelError(f"{path} is a GGUF file without weights (a vocabulary only); give the model itself.")
    return GgufHeader(version, tensors, entries)
