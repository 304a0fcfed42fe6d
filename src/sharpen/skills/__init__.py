"""What a skill is: its document and folder, the parts nobody may touch, and the edits that change it.

Start with `document.py` (Skill), then `edits.py`, `apply.py` and `splice.py`. `package.py` is about the files
beside SKILL.md, `regions.py` holds the protected regions, `frontmatter.py` the Agent Skills fields and
`folder.py` the disk. `lint.py`, `diff.py`, `blame.py` and `parts.py` look at skills without changing them;
`rules.py` holds the event rules a skill may carry. Nothing here knows about tasks, models, scores or runs.
"""

from sharpen.skills.apply import Applied, apply_edits
from sharpen.skills.blame import BlameLine, Step, blame
from sharpen.skills.diff import Chunk, FileDiff, files_diff, unified_diff, word_diff
from sharpen.skills.document import Skill, tokens
from sharpen.skills.edits import Edit, Op, dedupe
from sharpen.skills.frontmatter import Frontmatter, render_frontmatter
from sharpen.skills.lint import Finding, lint, lint_path
from sharpen.skills.parts import Part, parts_of, tokens_of, without
from sharpen.skills.regions import RegionName, region_content, rewrite, with_region
from sharpen.skills.reports import EditReport, Status

__all__ = [
    "Applied",
    "BlameLine",
    "Chunk",
    "Edit",
    "EditReport",
    "FileDiff",
    "Finding",
    "Frontmatter",
    "Op",
    "Part",
    "RegionName",
    "Skill",
    "Status",
    "Step",
    "apply_edits",
    "blame",
    "dedupe",
    "files_diff",
    "lint",
    "lint_path",
    "parts_of",
    "region_content",
    "render_frontmatter",
    "rewrite",
    "tokens",
    "tokens_of",
    "unified_diff",
    "with_region",
    "without",
    "word_diff",
]
