"""Runs in an environment where the `skillopt` wheel is installed: asks its own loaders, answers in JSON.

    python skillopt_oracle.py < requests.json > answers.json

A split request is `{"kind": "split", "data": path, "out": path, "ratio", "seed"}`; the loader writes its
folder under `out` and the answer names it. A config request is `{"kind": "config", "path", "overrides"}`; the
answer is the flat mapping that SkillOpt's trainer would get. It uses nothing of this project.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any


def split(request: dict[str, Any]) -> dict[str, Any]:
    from skillopt.datasets.base import SplitDataLoader  # type: ignore[import-not-found]

    loader = SplitDataLoader(
        data_path=request["data"], split_ratio=request["ratio"], split_seed=request["seed"]
    )
    loader.setup({"out_root": request["out"], "env": "golden"})
    return {
        "folder": loader.split_dir,
        "counts": [len(loader.get_split_items(n)) for n in ("train", "val", "test")],
    }


def config(request: dict[str, Any]) -> dict[str, Any]:
    from skillopt.config import flatten_config, load_config  # type: ignore[import-not-found]

    return dict(flatten_config(load_config(request["path"], overrides=request["overrides"])))


def main() -> None:
    kinds = {"split": split, "config": config}
    with contextlib.redirect_stdout(sys.stderr):  # the loaders print
        answers = [kinds[request["kind"]](request) for request in json.load(sys.stdin)]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
