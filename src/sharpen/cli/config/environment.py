"""The section `env`: which suite, its data and splits, and the keys that single suites have.

The suites' own keys stand here together, as SkillOpt's files have them; a suite says which of them it uses.
Keys of a suite that SkillOpt does not know are kept in `options`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sharpen.cli.config.section import Amount, Count, Positive, Seconds, Section
from sharpen.types import Json

SUITES = (
    "alfworld",
    "babyvision",
    "docvqa",
    "livemathematicianbench",
    "mathverse",
    "mmrb",
    "officeqa",
    "sealqa",
    "searchqa",
    "spreadsheetbench",
    "swebench",
)
"""SkillOpt's environments. Under these names a key that is not known is a mistake."""


class Env(Section):
    """The suite and its data. Paths are relative to the current folder, as in SkillOpt."""

    name: str = ""
    """The suite."""
    skill_init: str = ""
    """The skill to start from; a file that does not exist is an error, not a blank skill."""
    out_root: str = ""
    """The run folder."""
    split_mode: Literal["ratio", "split_dir"] = "ratio"
    """Divide data_path by split_ratio, or take the folder split_dir as it is."""
    split_ratio: str = "2:1:7"
    """Parts for train, val and test."""
    split_seed: int = 42
    """Seed of the shuffle; 0 takes train.seed."""
    split_dir: str = ""
    """A folder with train/, val/ and test/."""
    data_path: str = ""
    """Raw items, divided in ratio mode."""
    split_output_dir: str = ""
    """Where ratio mode writes its split; empty puts it into the run folder."""
    exec_timeout: Seconds = 120
    """Seconds for one call of the student's model or one run of its code."""
    workers: Positive | None = None
    """Attempts in flight; null leaves it to the suite."""
    limit: Count = 0
    """Keep the first so many items of each split; 0 keeps all."""
    max_completion_tokens: Positive = 16384
    """Most tokens of one answer."""
    max_turns: Positive | None = None
    """Turns of one attempt; null leaves it to the suite."""
    data_root: str = ""
    """Folder of the files that items name."""
    mode: Literal["", "single", "multi", "react"] = ""
    """SpreadsheetBench: one program, several turns, or a shell."""
    max_tool_turns: Positive | None = None
    """OfficeQA, SealQA: tool calls of one attempt."""
    data_dirs: list[str] | str | None = None
    """OfficeQA: folders of documents."""
    docs_dirs: list[str] | str | None = None
    """OfficeQA: folders of documents, its other name."""
    search_mode: str = ""
    """OfficeQA, SealQA: offline, or which search."""
    max_queries_per_turn: Positive | None = None
    """OfficeQA, SealQA: searches per turn."""
    search_api_url: str = ""
    """OfficeQA, SealQA: address of the search."""
    search_auth_env: str = ""
    """OfficeQA, SealQA: environment variable that holds the search's key."""
    search_provider: str = ""
    """OfficeQA, SealQA: engine behind the search."""
    search_max_num_results: Positive | None = None
    """OfficeQA, SealQA: results per search."""
    search_timeout_seconds: Seconds | None = None
    """OfficeQA, SealQA: seconds per search."""
    use_local_tools: bool | None = None
    """OfficeQA, SealQA: give the student the document tools."""
    image_detail: str = ""
    """DocVQA and the other suites with images: low, high or auto."""
    judge_model: str = ""
    """BabyVision, MathVerse, SealQA: the model that judges answers, reached as the teacher is."""
    judge_max_completion_tokens: Positive | None = None
    """BabyVision, MathVerse: most tokens of a judgement."""
    judge_retries: Count | None = None
    """BabyVision, MathVerse: how often an unreadable judgement is asked for again."""
    problem_version: str = ""
    """MathVerse: which version of each problem."""
    use_text_dominant_reference: bool | None = None
    """MathVerse: show the teacher the wordier version."""
    shuffle_choices: bool | None = None
    """LiveMathematicianBench: shuffle the choices by seed."""
    use_theorem: bool | None = None
    """LiveMathematicianBench: show the teacher the theorem."""
    use_sketch: bool | None = None
    """LiveMathematicianBench: show the teacher the sketch of the proof."""
    max_steps: Positive | None = None
    """ALFWorld: moves of one attempt."""
    max_api_workers: Positive | None = None
    """ALFWorld: model calls in flight."""
    dataset_name: str = ""
    """SWE-bench: lite, verified or full."""
    hf_split: str = ""
    """SWE-bench: split of the published data set."""
    eval_workers: Positive | None = None
    """SWE-bench: evaluations in flight."""
    step_limit: Positive | None = None
    """SWE-bench: steps of one attempt."""
    cost_limit: Amount | None = None
    """SWE-bench: most money of one attempt."""
    timeout_per_instance: Seconds | None = None
    """SWE-bench: seconds of one attempt."""
    options: Json = Field(default_factory=dict)
    """Keys of a suite of your own."""
