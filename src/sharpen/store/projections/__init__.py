"""The readable files beside the database, in SkillOpt's layout (docs/runs.md describes each).

    config.json  history.json  runtime_state.json  summary.json  events.jsonl  best_skill.md
    best_skill/                     the same as a folder, SKILL.md and its files, when the skill has files
    skills/  steps/  *_eval/        skill texts, what each step did, what was measured at the ends
    slow_update/  meta_skill/  …    the ends of epochs, in runs of the batch loop

Nothing reads them back: they can be deleted, truncated or edited without harm, and rebuilt from the store.
Paths in them are relative, so a moved folder stays right. Apart from times they depend on the run alone.
"""

from sharpen.store.projections.writing import rebuild, write_projections

__all__ = ["rebuild", "write_projections"]
