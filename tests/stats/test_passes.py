"""pass@k and pass^k against enumeration of all subsets."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest

from sharpen.stats import pass_at_k, pass_hat_k

CASES = [(n, c, k) for n in range(1, 8) for c in range(n + 1) for k in range(1, n + 1)]


@pytest.mark.parametrize(("attempts", "solved", "k"), CASES)
def test_both_are_means_over_all_subsets_of_k_attempts(attempts: int, solved: int, k: int) -> None:
    outcomes = [i < solved for i in range(attempts)]
    subsets = list(combinations(outcomes, k))
    assert pass_at_k(attempts, solved, k=k) == pytest.approx(fmean(any(subset) for subset in subsets))
    assert pass_hat_k(attempts, solved, k=k) == pytest.approx(fmean(all(subset) for subset in subsets))


def test_one_attempt_is_the_success_rate_and_large_numbers_are_fine() -> None:
    assert pass_at_k(10, 3, k=1) == pytest.approx(0.3)
    assert pass_hat_k(10, 3, k=1) == pytest.approx(0.3)
    assert pass_at_k(5_000, 2_500, k=1_000) == 1
    assert 0 < pass_hat_k(5_000, 4_999, k=1_000) < 1


def test_impossible_counts_are_refused() -> None:
    for attempts, solved, k in ((3, 4, 1), (3, -1, 1), (3, 1, 4), (3, 1, 0)):
        with pytest.raises(ValueError, match="attempts"):
            pass_at_k(attempts, solved, k=k)
        with pytest.raises(ValueError, match="attempts"):
            pass_hat_k(attempts, solved, k=k)
