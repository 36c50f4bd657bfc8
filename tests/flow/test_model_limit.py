import math

import pytest

from tests.flow.events import MIDDLE, busy_ok, fail_at, put, settled, succeed
from tests.flow.model import Call, Endpoint, admit, on_ok


def test_slow_start_adds_half_a_call_per_success() -> None:
    row = Endpoint(0.0)
    first, second = admit(row, 0.0, [None, None]).calls
    on_ok(row, first, 5.0, MIDDLE, 400.0)
    assert row.limit == 2.5
    on_ok(row, second, 5.0, MIDDLE, 400.0)
    assert row.limit == 3.0


def test_a_limit_that_does_not_bind_does_not_grow() -> None:
    row = settled()
    succeed(row, 1000.0, 1005.0)
    assert row.limit == 8.0


def test_above_slow_start_the_limit_grows_by_one_call_per_round() -> None:
    row = settled()
    busy_ok(row, 1005.0)
    assert row.limit == 8.0 + 1.0 / 8.0


def test_the_limit_never_exceeds_its_maximum() -> None:
    row = settled(63.9)
    row.slow_start_until = 64.0
    busy_ok(row, 1005.0)
    assert row.limit == 64.0


def test_the_rate_keeps_a_limit_that_it_holds_back_from_growing() -> None:
    row = settled()
    row.rate, row.rate_clock = 100.0, 1006.5
    busy_ok(row, 1005.0)
    assert row.limit == 8.0


def test_slowness_above_the_tolerance_lowers_the_limit() -> None:
    row = settled()
    assert row.base is not None
    row.recent = row.base + math.log(1.5)
    busy_ok(row, 1005.0, seconds=7.5)
    assert row.limit == pytest.approx(8.0 - (1.0 - 1.2 / 1.5), abs=1e-3)
    assert row.slow_limit == 8.0
    assert row.slow_s == pytest.approx(1.5, abs=1e-3)


def test_a_call_from_before_the_last_cut_is_not_slow() -> None:
    row = settled()
    assert row.base is not None
    row.recent = row.base + math.log(1.5)
    busy_ok(row, 1005.0, started_at=899.0)
    assert row.limit > 8.0


def test_slowness_that_a_lower_limit_does_not_cure_becomes_the_base() -> None:
    row = settled(10.0)
    assert row.base is not None
    row.recent = row.base + math.log(2.0)
    for _ in range(200):
        busy_ok(row, 1005.0, seconds=10.0)
        if row.slow_limit is None:
            break
    assert row.base == row.recent
    assert row.limit == pytest.approx(6.0, abs=0.5)
    assert row.slow_start_until == 10.0


def test_ten_minutes_without_a_cut_are_followed_by_a_dip() -> None:
    row = settled()
    busy_ok(row, 1500.0)
    assert row.last_cut == 900.0
    busy_ok(row, 1500.1)
    assert row.last_cut == 1500.1
    assert row.before == pytest.approx(8.125)
    assert row.slow_start_until == pytest.approx(0.9 * 8.125)


def test_one_failure_is_no_evidence_of_overload() -> None:
    row = settled()
    fail_at(row, 1000.0)
    assert (row.limit, row.evidence) == (8.0, 2.0)


def test_two_failures_close_together_cut_the_limit_and_set_a_ceiling() -> None:
    row = settled()
    row.in_flight = 7
    fail_at(row, 1000.0, 1000.5)
    assert row.limit == 6.0
    assert (row.before, row.slow_start_until) == (8.0, 7.2)
    assert row.ceiling == 8.0
    assert row.ceiling_until == 1060.5
    assert (row.evidence, row.last_cut) == (0.0, 1000.5)


def test_successes_take_evidence_away() -> None:
    row = settled()
    fail_at(row, 1000.0)
    for _ in range(4):
        busy_ok(row, 1001.0)
    fail_at(row, 1002.0)
    assert row.last_cut == 900.0


def test_failures_of_calls_from_before_the_last_cut_are_no_evidence() -> None:
    row = settled()
    fail_at(row, 1000.0, 1000.5)
    fail_at(row, 1000.55, 1000.56)
    assert (row.limit, row.evidence) == (6.0, 0.0)


def test_a_second_cut_of_a_series_keeps_where_to_come_back_to() -> None:
    row = settled()
    fail_at(row, 1000.0, 1000.5, 1010.0, 1010.5)
    assert row.limit == 4.5
    assert (row.before, row.slow_start_until) == (8.0, 7.2)


def test_growth_stays_just_below_the_ceiling_until_its_time_is_over() -> None:
    row = settled(7.95)
    row.ceiling, row.ceiling_until = 8.0, 1060.0
    busy_ok(row, 1050.0)
    assert row.limit == pytest.approx(7.99)
    busy_ok(row, 1061.0)
    assert row.limit > 8.0
    assert row.ceiling == 8.0


def test_one_whole_step_above_the_ceiling_it_is_forgotten() -> None:
    row = settled(8.95)
    put(row, ceiling=8.0, ceiling_until=1000.0, ceiling_k=3)
    busy_ok(row, 1061.0)
    assert (row.ceiling, row.ceiling_k) == (None, 0)


def test_a_failed_step_above_the_ceiling_doubles_the_time_until_the_next() -> None:
    row = settled(8.5)
    row.ceiling, row.ceiling_until = 8.0, 1000.0
    fail_at(row, 1100.0, 1100.0)
    assert row.ceiling_k == 1
    assert row.ceiling_until == 1100.0 + 120.0


def test_errors_on_the_way_back_from_a_cut_set_no_ceiling() -> None:
    row = settled()
    fail_at(row, 1000.0, 1000.0)
    put(row, ceiling=None)
    fail_at(row, 1010.0, 1010.0)
    assert (row.last_cut, row.ceiling) == (1010.0, None)


def test_errors_again_as_soon_as_slow_start_is_over_set_the_ceiling_there() -> None:
    row = put(
        settled(12.0), ceiling=13.0, ceiling_until=960.0, ceiling_k=2, last_cut=980.0, slow_start_until=11.5
    )
    fail_at(row, 1000.0, 1000.0)
    assert row.ceiling == pytest.approx(9.6)
    assert (row.ceiling_k, row.ceiling_until) == (2, 1240.0)


@pytest.mark.parametrize("last_cut", [900.0, 980.0])
def test_errors_below_a_ceiling_that_still_holds_cut_and_leave_it(last_cut: float) -> None:
    row = put(settled(8.0), ceiling=9.0, ceiling_until=1040.0, ceiling_k=1, last_cut=last_cut)
    fail_at(row, 1000.0, 1000.1)
    assert row.limit == 6.0
    assert (row.ceiling, row.ceiling_until, row.ceiling_k) == (9.0, 1040.0, 1)


def test_a_ceiling_lasts_ten_minutes_at_most() -> None:
    row = put(settled(8.5), ceiling=8.0, ceiling_until=1000.0, ceiling_k=4)
    fail_at(row, 1100.0, 1100.0)
    assert (row.ceiling_k, row.ceiling_until) == (4, 1700.0)


@pytest.mark.parametrize(("last_cut", "before"), [(940.0, 20.0), (939.9, 8.0)])
def test_a_series_of_cuts_ends_after_a_minute_without_one(last_cut: float, before: float) -> None:
    row = put(settled(), last_cut=last_cut, before=20.0, slow_start_until=18.0)
    fail_at(row, 1000.0, 1000.0)
    assert row.before == before
    assert (row.ceiling is None) == (before == 20.0)


def test_three_is_enough_evidence() -> None:
    row = put(settled(), evidence=1.0)
    fail_at(row, 1000.0)
    assert row.last_cut == 1000.0


def test_ceiling_and_slow_start_are_two_at_least() -> None:
    row = settled(1.5)
    fail_at(row, 1000.0, 1000.0)
    assert (row.limit, row.ceiling, row.slow_start_until) == (1.125, 2.0, 2.0)


def test_below_four_the_limit_still_grows_by_a_quarter_at_most() -> None:
    row = settled(3.0)
    busy_ok(row, 1005.0)
    assert row.limit == 3.25


def test_the_next_dip_comes_after_ten_minutes_give_or_take_a_fifth() -> None:
    row = settled()
    row.in_flight = 1
    on_ok(row, Call(1500.0, 1, False), 1505.0, 0.25, 400.0)
    assert row.dip_after == pytest.approx(540.0)


@pytest.mark.parametrize(("ahead", "grows"), [(0.99, True), (1.0, False)])
def test_a_rate_less_than_a_second_ahead_does_not_hold_the_limit_back(ahead: float, grows: bool) -> None:
    row = put(settled(), rate=1e9, rate_clock=1005.0 + ahead)
    busy_ok(row, 1005.0)
    assert (row.limit > 8.0) == grows


@pytest.mark.parametrize(
    ("limit", "entry", "is_ours"), [(6.1, 1.5, True), (5.9, 1.5, False), (5.9, 1.8, True), (5.9, 1.7, False)]
)
def test_slowness_is_not_ours_at_sixty_percent_of_the_limit_and_85_of_the_slow_down(
    limit: float, entry: float, is_ours: bool
) -> None:
    row = settled(limit)
    assert row.base is not None
    put(row, recent=row.base + math.log(1.5), tolerance=1.48, slow_limit=10.0, slow_s=entry)
    busy_ok(row, 1005.0, seconds=7.5)
    assert (row.slow_limit is not None) == is_ours
