"""Where tasks come from: files of several shapes, and the split of tasks that have none."""

from sharpen.tasks.files import read_tasks
from sharpen.tasks.split import RATIO, split_tasks

__all__ = ["RATIO", "read_tasks", "split_tasks"]
