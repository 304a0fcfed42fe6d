from __future__ import annotations

import os
import subprocess
import sys

from sharpen import skills


def test_everything_promised_is_there() -> None:
    assert all(hasattr(skills, name) for name in skills.__all__)


def test_a_plain_skill_needs_no_yaml() -> None:
    use = "import sys, sharpen.skills as skills; skills.lint(skills.Skill.from_text('# S'))"
    code = f"{use}; assert 'ruamel.yaml' not in sys.modules"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
