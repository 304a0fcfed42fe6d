"""A small process that starts others under Landlock, seccomp and limits.

This package stands alone: standard library only, relative imports only. The starter is a separate, lean
Python that imports it without the rest of sharpen, because every run forks from it and a fork costs what
the forked process holds. What is visible and how long a run may take is decided outside.
"""
