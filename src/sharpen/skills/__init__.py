"""What a skill is: its document and folder, the parts nobody may touch, and the edits that change it.

Start with `document.py` (Skill), then `edits.py` and `apply.py`. `regions.py` holds the protected regions,
`frontmatter.py` the Agent Skills fields, `folder.py` the disk. `lint.py`, `diff.py` and `blame.py` look at
skills without changing them. Nothing here knows about tasks, models, scores or runs.
"""

from sharpen.skills.apply import Applied, apply_edits
from sharpen.skills.blame import BlameLine, Step, blame
from sharpen.skills.diff import Chunk, unified_diff, word_diff
from sharpen.skills.document import Skill, tokens
from sharpen.skills.edits import Edit, Op, dedupe
from sharpen.skills.frontmatter import Frontmatter, render_frontmatter
from sharpen.skills.lint import Finding, lint, lint_path
from sharpen.skills.regions import RegionName, region_content, rewrite, with_region
from sharpen.skills.reports import EditReport, Status

__all__ = [
    "Applied",
    "BlameLine",
    "Chunk",
    "Edit",
    "EditReport",
    "Finding",
    "Frontmatter",
    "Op",
    "RegionName",
    "Skill",
    "Status",
    "Step",
    "apply_edits",
    "blame",
    "dedupe",
    "lint",
    "lint_path",
    "region_content",
    "render_frontmatter",
    "rewrite",
    "tokens",
    "unified_diff",
    "with_region",
    "word_diff",
]
