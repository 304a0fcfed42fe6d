"""What the measurements say, and how sure one can be. Pure functions of numbers; no files, no clock.

    race            is the candidate better? evidence one may watch pair by pair
    estimates       mean scores and mean paired differences with honest intervals
    intervals       Wilson and bootstrap
    clusters        standard errors when attempts share a task or tasks a group
    pvalues         sign test, McNemar, Holm
    power           how many pairs an effect needs, what effect the pairs can show
    passes          pass@k and pass^k
    distributions   normal, Student t, binomial

Reading order: `race` and `estimates` carry the program; the rest serves them and the reports.
"""

from sharpen.stats.clusters import by_cluster, clustered_se
from sharpen.stats.distributions import (
    binomial_tail,
    incomplete_beta,
    normal_cdf,
    normal_quantile,
    student_cdf,
    student_quantile,
)
from sharpen.stats.estimates import mean_estimate, paired
from sharpen.stats.intervals import Interval, bootstrap, wilson
from sharpen.stats.passes import pass_at_k, pass_hat_k
from sharpen.stats.power import detectable_effect, pairs_needed, race_pairs
from sharpen.stats.pvalues import Alternative, fewest_wins, holm, mcnemar, sign_test
from sharpen.stats.race import BETS, Race, spending_threshold

__all__ = [
    "BETS",
    "Alternative",
    "Interval",
    "Race",
    "binomial_tail",
    "bootstrap",
    "by_cluster",
    "clustered_se",
    "detectable_effect",
    "fewest_wins",
    "holm",
    "incomplete_beta",
    "mcnemar",
    "mean_estimate",
    "normal_cdf",
    "normal_quantile",
    "paired",
    "pairs_needed",
    "pass_at_k",
    "pass_hat_k",
    "race_pairs",
    "sign_test",
    "spending_threshold",
    "student_cdf",
    "student_quantile",
    "wilson",
]
