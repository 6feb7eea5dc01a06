"""Power and sample sizes against simulation and against published tables."""

import numpy as np
import pytest
from scipy.stats import norm

from attention_mixing.methods.power import (
    exact_interval,
    p_value,
    power,
    sample_needed,
    smallest_seen,
    standard_error,
)


def test_power_is_the_share_of_simulated_intervals_that_clear_the_bound():
    rng = np.random.default_rng(0)
    means = rng.normal(0.5, 0.2, size=200_000)
    share = (means - norm.ppf(0.975) * 0.2 > 0).mean()
    assert power(0.5, 0.2, confidence=0.95) == pytest.approx(share, abs=0.003)
    both = (np.abs(means - 0.5) + norm.ppf(0.975) * 0.2 < 0.6).mean()
    assert power(0.6, 0.2, confidence=0.95, sides=2) == pytest.approx(both, abs=0.003)


@pytest.mark.parametrize("sides", [1, 2])
def test_the_sample_needed_reaches_the_power(sides):
    needed = sample_needed(0.1, 0.2, 30, confidence=0.95, reached=0.8, sides=sides)
    for sample, above in ((needed, True), (needed - 2, False)):
        error = 0.2 * np.sqrt(30 / sample)
        assert (power(0.1, error, confidence=0.95, sides=sides) >= 0.8) is above


def test_the_smallest_distance_seen_is_seen_with_the_power():
    seen = smallest_seen(0.2, confidence=0.95, reached=0.8)
    assert power(seen, 0.2, confidence=0.95) == pytest.approx(0.8)


def test_nothing_is_enough_for_no_distance():
    assert sample_needed(0.0, 0.2, 30, confidence=0.95, reached=0.8) is None
    assert power(0.0, 0.0, confidence=0.95) == 0
    assert power(0.1, 0.0, confidence=0.95) == 1


def test_the_exact_interval_covers_at_least_as_often_as_it_says():
    for share in (0.02, 0.1, 0.5):
        counts = np.random.default_rng(1).binomial(40, share, size=4000)
        ends = {count: exact_interval(count, 40, confidence=0.95) for count in set(counts.tolist())}
        covered = np.mean([ends[n][0] <= share <= ends[n][1] for n in counts.tolist()])
        assert covered >= 0.945


def test_none_of_n_follows_the_rule_of_three():
    low, high = exact_interval(0, 100, confidence=0.95)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 100))


def test_p_and_interval_agree():
    error = standard_error(0.3, 0.95)
    assert p_value(0.3, error) == pytest.approx(0.05)
    assert p_value(0.0, 0.0) == 1
    assert p_value(0.1, 0.0) == 0
