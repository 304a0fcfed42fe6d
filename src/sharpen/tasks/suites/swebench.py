"""SWE-bench: issues of real repositories, solved by a patch that makes failing tests pass.

Rows as its data sets have them. A repository that lies under `repos/OWNER__NAME` (a git clone) is judged
here, in the sandbox; the others by the benchmark's own harness, which needs Docker.
"""

from __future__ import annotations

from sharpen.errors import SettingsError
from sharpen.tasks.extras import require
from sharpen.tasks.prompting import filled
from sharpen.tasks.suites.patches import tracked_texts
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite, Tools
from sharpen.tasks.suites.swebench_scorers import Harness, LocalTests
from sharpen.types import Json, Task

DATASETS = {
    "lite": "SWE-bench/SWE-bench_Lite",
    "verified": "SWE-bench/SWE-bench_Verified",
    "full": "SWE-bench/SWE-bench",
}
KEPT = ("repo", "base_commit", "test_patch", "version", "environment_setup_commit")


def _task(row: Row, options: Json) -> Task:
    data: dict[str, object] = {key: row.text(key, default="") for key in KEPT}
    data["FAIL_TO_PASS"] = row.texts("FAIL_TO_PASS")
    data["PASS_TO_PASS"] = row.texts("PASS_TO_PASS")
    if options["lay_out"]:
        data["files"] = tracked_texts(row.root, row.text("repo"), row.text("base_commit"), where=row.where)
    prompt = filled(
        SWEBENCH.prompt,
        repo=row.text("repo"),
        issue=row.text("problem_statement"),
        hints=row.text("hints_text", default="(none)") if options["hints"] else "(none)",
    )
    return Task(row.text("instance_id", "id"), prompt, data, row.text("repo") if options["by_repo"] else None)


def _harness(tools: Tools) -> Harness:
    name = str(tools.options["dataset_name"])
    if name not in DATASETS:
        raise SettingsError(f"dataset_name is one of {', '.join(DATASETS)}, not {name!r}")
    return Harness.ready(DATASETS[name], str(tools.options["hf_split"]))


def _local(tools: Tools) -> LocalTests:
    require("pytest", for_what="the scorer swebench_local@1")
    return LocalTests(tools.folder)


SWEBENCH = Suite(
    name="swebench",
    about="issues of real repositories; the tests that must pass",
    files=("*.jsonl", "*.json", "*.parquet"),
    task=_task,
    scorers={
        "swebench_local@1": _local,
        "swebench@1": _harness,
    },
    options={
        "dataset_name": "lite",
        "hf_split": "test",
        "lay_out": False,  # put the repository's texts into the tasks, for the work folder of a tool student
        "hints": False,
        "by_repo": False,  # issues of one repository stay in one split
    },
    source=Source("SWE-bench/SWE-bench_Lite", ("data/test-*.parquet",), "MIT"),
    student="tools",
)
