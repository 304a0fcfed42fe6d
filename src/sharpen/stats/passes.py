"""From repeated attempts at one task: can it be solved at all, and is it solved every time?"""

from __future__ import annotations

from math import comb


def pass_at_k(attempts: int, solved: int, *, k: int) -> float:
    """Chance that at least one of k attempts solves the task, unbiased (Chen et al. 2021, §2.1, eq. 1)."""
    _check(attempts, solved, k=k)
    return 1 - comb(attempts - solved, k) / comb(attempts, k)


def pass_hat_k(attempts: int, solved: int, *, k: int) -> float:
    """Chance that all of k attempts solve the task (pass^k), unbiased (Yao et al. 2024, τ-bench)."""
    _check(attempts, solved, k=k)
    return comb(solved, k) / comb(attempts, k)


def _check(attempts: int, solved: int, *, k: int) -> None:
    if not 0 <= solved <= attempts:
        raise ValueError(f"{solved!r} of {attempts!r} attempts cannot be solved")
    if not 1 <= k <= attempts:
        raise ValueError(f"k lies between 1 and the {attempts} attempts made, not {k!r}")
