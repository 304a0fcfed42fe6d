"""A student with tools: a model in a loop with a shell, Python and files, everything inside the sandbox."""

from sharpen.agents.tools.student import ToolSettings, ToolStudent

__all__ = ["ToolSettings", "ToolStudent"]
