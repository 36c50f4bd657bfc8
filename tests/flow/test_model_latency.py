import math

import pytest

from tests.flow.endpoint import Endpoint
from tests.flow.events import put
from tests.flow.latency import measure, slowdown
from tests.flow.model import Call


def sample(row: Endpoint, seconds: float, units: float | None = 400.0) -> None:
    """A call of so many seconds that ends at 1000."""
    measure(row, Call(1000.0 - seconds, 1, False), 1000.0, units)


def measured(base: float = 0.0, recent: float = 0.0, samples: int = 1000, limit: float = 8.0) -> Endpoint:
    return put(Endpoint(0.0), by_units=True, base=base, recent=recent, samples=samples, limit=limit)


def test_y_is_the_logarithm_of_seconds_per_unit() -> None:
    row = Endpoint(0.0)
    sample(row, 5.0)
    assert row.recent == row.base == math.log(5.0 / 500.0)


def test_no_call_is_faster_than_a_twentieth_of_a_second() -> None:
    row = Endpoint(0.0)
    sample(row, 0.001, units=None)
    assert row.recent == math.log(0.05)


def test_the_first_samples_are_averaged_evenly_and_are_the_base() -> None:
    row = Endpoint(0.0)
    seconds = [4.0, 5.0, 6.0, 7.0]
    for length in seconds:
        sample(row, length)
    assert row.recent == pytest.approx(sum(math.log(s / 500.0) for s in seconds) / 4)
    assert row.base == row.recent


def test_the_fifth_sample_still_sets_the_base_and_the_sixth_does_not() -> None:
    row = measured(base=-9.0, recent=-4.0, samples=4)
    sample(row, 5.0)
    assert row.base == row.recent
    row = measured(base=-9.0, recent=-4.0, samples=5)
    sample(row, 5.0)
    assert row.base == pytest.approx(-9.0, abs=0.01)


@pytest.mark.parametrize(("limit", "weight"), [(3.0, 2.0 / 9.0), (8.0, 2.0 / 9.0), (19.0, 0.1)])
def test_the_short_mean_is_as_long_as_the_limit_and_at_least_eight(limit: float, weight: float) -> None:
    row = measured(base=-9.0, recent=-4.0, limit=limit)
    sample(row, 5.0)
    assert row.recent == pytest.approx(-4.0 + (math.log(0.01) + 4.0) * weight)


def test_in_plain_seconds_the_short_mean_is_at_least_twenty_four_long() -> None:
    row = put(measured(base=-9.0, recent=1.0), by_units=False)
    sample(row, math.exp(2.0), units=None)
    assert row.recent == pytest.approx(1.0 + 2.0 / 25.0)


def test_the_base_falls_at_once_and_rises_very_slowly() -> None:
    row = measured(base=-4.0, recent=-4.0)
    sample(row, 0.5)
    assert row.base == row.recent
    row = measured(base=-5.0, recent=math.log(0.01))
    sample(row, 5.0)
    assert row.base == pytest.approx(-5.0 + 0.0003 * (math.log(0.01) + 5.0), abs=1e-9)


def test_the_slow_down_is_the_ratio_of_now_to_the_base() -> None:
    row = put(measured(base=-5.0, recent=-5.0 + math.log(1.4)), last_cut=100.0)
    assert slowdown(row, Call(100.0, 1, False)) == pytest.approx(1.4)
    assert slowdown(row, Call(99.9, 1, False)) == 1.0


def test_nothing_is_slow_before_the_first_sample() -> None:
    assert slowdown(Endpoint(0.0), Call(1.0, 1, False)) == 1.0
