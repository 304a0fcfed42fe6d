"""Configurations with SkillOpt's keys and defaults: its base file, its suites', and writing them as YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Sections = dict[str, dict[str, Any]]
ROLES = ("", "optimizer_", "target_")

BASE: Sections = {
    "model": {
        "backend": "azure_openai",
        "optimizer": "gpt-5.5",
        "target": "gpt-5.5",
        "optimizer_backend": "openai_chat",
        "target_backend": "openai_chat",
        "reasoning_effort": "medium",
        "rewrite_reasoning_effort": "",
        "rewrite_max_completion_tokens": 64000,
        "codex_trace_to_optimizer": True,
        **{
            f"codex_exec_{key}": ""
            for key in ("path", "sandbox", "profile", "reasoning_effort", "approval_policy")
        },
        **{f"codex_exec_{key}": None for key in ("use_sdk", "network_access", "web_search")},
        "claude_code_exec_path": "claude",
        "claude_code_exec_profile": "",
        "claude_code_exec_use_sdk": "auto",
        "claude_code_exec_effort": "medium",
        "claude_code_exec_max_thinking_tokens": 16384,
        "cursor_exec_path": "",
        "cursor_exec_sandbox": "",
        "copilot_exec_path": "",
        "copilot_exec_home": "",
        "copilot_exec_allow_all_tools": None,
        "copilot_chat_optimizer_model": "",
        "copilot_chat_target_model": "",
        "copilot_chat_timeout": None,
        **{f"{role}azure_openai_endpoint": "" for role in ROLES},
        **{f"{role}azure_openai_api_version": "2024-12-01-preview" for role in ROLES},
        **{f"{role}azure_openai_api_key": "" for role in ROLES},
        **{f"{role}azure_openai_auth_mode": "" for role in ROLES},
        **{f"{role}azure_openai_ad_scope": "https://cognitiveservices.azure.com/.default" for role in ROLES},
        **{f"{role}azure_openai_managed_identity_client_id": "" for role in ROLES},
        **{f"{role}qwen_chat_thinking_mode": "" for role in ROLES},
        "minimax_region": "",
        "minimax_base_url": "",
        "minimax_api_key": "",
        "minimax_model": "MiniMax-M3",
        "minimax_temperature": 0.7,
        "minimax_max_tokens": 8000,
        "minimax_enable_thinking": False,
    },
    "train": {"num_epochs": 4, "train_size": 0, "batch_size": 40, "accumulation": 1, "seed": 42},
    "gradient": {"minibatch_size": 8, "merge_batch_size": 8, "analyst_workers": 16, "failure_only": False},
    "optimizer": {
        "learning_rate": 4,
        "min_learning_rate": 2,
        "lr_scheduler": "cosine",
        "lr_control_mode": "fixed",
        "skill_update_mode": "patch",
        "use_slow_update": True,
        "slow_update_samples": 20,
        "slow_update_gate_with_selection": False,
        "longitudinal_pair_policy": "mixed",
        "use_meta_skill": True,
        "use_skill_aware_reflection": False,
        "skill_aware_appendix_source": "both",
        "skill_aware_consolidate_threshold": 0,
    },
    "evaluation": {
        "use_gate": True,
        "gate_metric": "hard",
        "gate_mixed_weight": 0.5,
        "use_semantic_density": False,
        "semantic_density_weight": 0.05,
        "leading_words": None,
        "sel_env_num": 0,
        "test_env_num": 0,
        "eval_test": True,
    },
    "env": {
        "name": "",
        "skill_init": "",
        "split_mode": "ratio",
        "split_seed": 42,
        "split_dir": "",
        "data_path": "",
        "split_output_dir": "",
        "exec_timeout": 120,
        "out_root": "",
    },
}

SUITES: dict[str, Sections] = {
    "alfworld": {"env": {"max_steps": 50, "workers": 8, "max_api_workers": 8, "limit": 0}},
    "babyvision": {
        "train": {"batch_size": 64},
        "env": {
            "image_detail": "auto",
            "judge_model": "m",
            "judge_max_completion_tokens": 256,
            "judge_retries": 5,
        },
    },
    "docvqa": {"env": {"split_mode": "split_dir", "max_turns": 1, "workers": 16, "image_detail": "auto"}},
    "livemathematicianbench": {
        "env": {
            "exec_timeout": 300,
            "workers": 64,
            "shuffle_choices": True,
            "use_theorem": False,
            "use_sketch": False,
        }
    },
    "mathverse": {
        "env": {"data_root": "d", "problem_version": "Text Lite", "use_text_dominant_reference": False}
    },
    "mmrb": {"train": {"batch_size": 128}, "env": {"max_turns": 1, "image_detail": "auto"}},
    "officeqa": {"env": {"data_dirs": ["docs/a", "docs/b"], "workers": 4, "max_tool_turns": 24}},
    "sealqa": {"train": {"batch_size": 10}, "env": {"workers": 4, "max_tool_turns": 12}},
    "searchqa": {
        "train": {"train_size": 400},
        "env": {"split_mode": "split_dir", "max_turns": 1, "workers": 24},
    },
    "spreadsheetbench": {
        "train": {"train_size": 80},
        "env": {"data_root": "d", "mode": "multi", "max_turns": 30, "exec_timeout": 600, "workers": 24},
    },
    "swebench": {
        "train": {"batch_size": 20},
        "env": {
            "split_ratio": "2:1:7",
            "dataset_name": "lite",
            "hf_split": "test",
            "eval_workers": 8,
            "step_limit": 50,
            "cost_limit": 3.0,
            "timeout_per_instance": 600,
        },
    },
}


def write(path: Path, content: dict[str, Any]) -> Path:
    """The content as a YAML file in blocks, text in double quotes, folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(_block, content.items())), encoding="utf-8")
    return path


def _block(item: tuple[str, Any]) -> str:
    name, value = item
    if not isinstance(value, dict):
        return f"{name}: {json.dumps(value)}\n"
    return f"{name}:\n" + "".join(f"  {key}: {json.dumps(inner)}\n" for key, inner in value.items())


def dotted(sections: Sections) -> dict[str, Any]:
    return {f"{name}.{key}": value for name, section in sections.items() for key, value in section.items()}
