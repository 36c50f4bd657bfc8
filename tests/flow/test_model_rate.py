import math
from collections.abc import Callable

import pytest

from tests.flow.events import MIDDLE, forced, put, start
from tests.flow.model import Call, Endpoint, on_answered, on_fail, on_ok, on_rate_limited, on_void
from tests.flow.rate import delivered


def delivering(rate: float | None = None, now: float = 1000.0) -> Endpoint:
    """An endpoint that has long delivered 100 units per second."""
    row = Endpoint(0.0)
    row.limit = 10.0
    row.delivered_sum, row.delivered_at, row.delivered_since = 6000.0, now, 0.0
    row.rate = rate
    row.rate_clock = now
    return row


def call_at(row: Endpoint, now: float, estimate: float = 500.0) -> Call:
    row.in_flight += 1
    return Call(now, row.in_flight, False, estimate)


def test_retry_after_blocks_the_endpoint_and_never_shortens_a_block() -> None:
    row = Endpoint(0.0)
    on_rate_limited(row, forced(row, 1.0), 1.0, 0.0, 20.0)
    on_rate_limited(row, forced(row, 1.0), 2.0, 0.0, 5.0)
    assert row.blocked_until == 21.0


def test_the_job_waits_a_little_longer_than_the_endpoint() -> None:
    row = Endpoint(0.0)
    assert on_rate_limited(row, forced(row, 1.0), 1.0, 0.5, 20.0) == pytest.approx(23.0)
    assert row.blocked_until == pytest.approx(22.0)


def test_retry_after_is_capped_at_an_hour_and_one_second_if_missing() -> None:
    row = Endpoint(0.0)
    assert on_rate_limited(row, forced(row, 1.0), 1.0, 0.0, 90_000.0) == 3600.0
    assert on_rate_limited(row, forced(row, 1.0), 1.0, 0.0) == 1.0


def test_being_rate_limited_is_no_failure_of_the_endpoint() -> None:
    row = Endpoint(0.0)
    on_rate_limited(row, forced(row, 1.0), 1.0, 0.0, 5.0)
    assert (row.streak, row.evidence, row.limit) == (0, 0.0, 2.0)


def test_the_first_refusal_switches_the_rate_on_below_what_was_delivered() -> None:
    row = delivering()
    on_rate_limited(row, call_at(row, 1000.0), 1000.0, 0.0, 5.0)
    assert row.peak == pytest.approx(100.0, rel=1e-3)
    assert row.rate == pytest.approx(85.0, rel=1e-3)


def test_without_any_delivery_the_first_rate_comes_from_retry_after() -> None:
    row = Endpoint(0.0)
    on_rate_limited(row, call_at(row, 1.0), 1.0, 0.0, 10.0)
    assert row.peak == 50.0


def test_one_burst_of_refusals_cuts_the_rate_once() -> None:
    row = delivering()
    calls = [call_at(row, 999.0) for _ in range(5)]
    for call in calls:
        on_rate_limited(row, call, 1000.0, 0.0, 5.0)
    later = call_at(row, 1001.0)
    on_rate_limited(row, later, 1014.0, 0.0, 5.0)
    assert row.last_rate_cut == 1000.0
    on_rate_limited(row, calls[0], 1020.0, 0.0, 5.0)
    assert row.last_rate_cut == 1000.0


def test_a_later_refusal_cuts_below_what_really_arrived() -> None:
    row = delivering(rate=200.0)
    row.last_rate_cut = 900.0
    on_rate_limited(row, call_at(row, 999.0), 1000.0, 0.0, 5.0)
    assert row.peak == pytest.approx(110.0, rel=1e-3)


def test_the_rate_is_never_zero() -> None:
    row = Endpoint(0.0)
    row.rate, row.last_rate_cut = 10.0, -100.0
    on_rate_limited(row, call_at(row, 1.0, estimate=600.0), 1.0, 0.0, 5.0)
    assert row.peak == 1.0


@pytest.mark.parametrize(("after", "share"), [(0.0, 0.85), (22.5, 0.98125), (45.0, 1.0), (67.5, 1.01875)])
def test_the_rate_returns_to_its_peak_along_a_cubic_curve(after: float, share: float) -> None:
    row = delivering(rate=85.0, now=1000.0 + after)
    row.peak, row.last_rate_cut = 100.0, 1000.0
    on_ok(row, call_at(row, 999.0), 1000.0 + after, MIDDLE, 500.0)
    assert row.rate == pytest.approx(100.0 * share)


def test_above_its_peak_the_rate_stays_near_what_arrives() -> None:
    row = delivering(rate=100.0, now=1170.0)
    row.peak, row.last_rate_cut = 100.0, 1000.0
    row.rate_clock = 1200.0
    on_ok(row, call_at(row, 1165.0), 1170.0, MIDDLE, 500.0)
    assert row.rate == pytest.approx(1.5 * delivered(row, 1170.0))


def test_the_rate_is_off_after_three_minutes_without_need() -> None:
    row = delivering(rate=100.0, now=1181.0)
    put(row, peak=100.0, last_rate_cut=1000.0, rate_clock=1180.0)
    on_ok(row, call_at(row, 1175.0), 1181.0, MIDDLE, 500.0)
    assert (row.rate, row.last_rate_cut) == (None, None)


def test_a_success_settles_the_difference_between_estimate_and_use() -> None:
    row = delivering(rate=100.0)
    row.static_rate = 100.0
    row.rate_clock = 1005.0
    on_ok(row, call_at(row, 995.0, estimate=500.0), 1000.0, MIDDLE, 700.0)
    assert row.rate_clock == pytest.approx(1007.0)


@pytest.mark.parametrize("event", [on_void, lambda row, call: on_answered(row, call, 1001.0)])
def test_calls_that_cost_nothing_get_their_estimate_back(event: Callable[[Endpoint, Call], None]) -> None:
    row = delivering(rate=100.0)
    call = start(row, 1000.0, estimate=500.0)
    assert row.rate_clock == 1005.0
    event(row, call)
    assert (row.rate_clock, row.in_flight) == (1000.0, 0)


def test_a_failed_call_may_have_cost_its_units() -> None:
    row = delivering(rate=100.0)
    on_fail(row, start(row, 1000.0, estimate=500.0), 1001.0, MIDDLE)
    assert row.rate_clock == 1005.0


def test_a_static_rate_is_never_exceeded_and_never_off() -> None:
    row = Endpoint(0.0, static_rate=100.0)
    on_ok(row, call_at(row, 0.0), 500.0, MIDDLE, 500.0)
    assert row.rate == 100.0
    put(row, peak=100.0, last_rate_cut=500.0, rate=85.0, delivered_sum=60_000.0, rate_clock=600.0)
    on_ok(row, call_at(row, 590.0), 590.0, MIDDLE, 500.0)
    assert row.rate == 100.0
    row.rate_clock = 600.0
    on_ok(row, call_at(row, 700.0), 700.0, MIDDLE, 500.0)
    assert (row.rate, row.last_rate_cut) == (100.0, None)


def test_what_was_delivered_decays_within_a_minute() -> None:
    row = delivering()
    assert delivered(row, 1000.0) == pytest.approx(100.0, rel=1e-3)
    assert delivered(row, 1060.0) == pytest.approx(100.0 / math.e, rel=1e-3)
