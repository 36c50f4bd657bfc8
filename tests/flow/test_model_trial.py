import math

import pytest

from tests.flow.events import MIDDLE, busy_ok, fail_at, forced, settled, start
from tests.flow.model import Endpoint, on_ok


def ripe_for_a_trial() -> Endpoint:
    row = settled()
    assert row.base is not None
    row.recent = row.base + math.log(1.19)
    row.next_trial = 1000.0
    busy_ok(row, 1005.0, seconds=5.0 * 1.19)
    return row


def test_a_trial_raises_the_limit_by_a_quarter() -> None:
    row = ripe_for_a_trial()
    assert row.trial_base == pytest.approx(8.125)
    assert row.limit == pytest.approx(1.25 * 8.125)
    assert row.trial_since == 1005.0


def test_a_trial_that_gains_is_kept_and_raises_the_tolerance() -> None:
    row = ripe_for_a_trial()
    for i in range(9):
        busy_ok(row, 1020.0 + i, seconds=6.2)
    assert row.trial_base is None
    assert row.limit == pytest.approx(1.25 * 8.125)
    assert row.tolerance > 1.3
    assert row.next_trial == 1028.0


def test_a_trial_without_gain_goes_back_and_waits() -> None:
    row = ripe_for_a_trial()
    for i in range(9):
        busy_ok(row, 1020.0 + i, seconds=9.0)
    assert row.trial_base is None
    assert row.limit == pytest.approx(8.125)
    assert row.tolerance == 1.2
    assert row.next_trial == pytest.approx(1028.0 + 360.0)


def test_calls_from_before_a_trial_do_not_decide_it() -> None:
    row = ripe_for_a_trial()
    for _ in range(20):
        busy_ok(row, 1020.0, started_at=1004.0)
    assert row.trial_n == 0


def test_a_cut_ends_a_trial_at_its_base() -> None:
    row = ripe_for_a_trial()
    fail_at(row, 1010.0, 1010.0)
    assert row.limit == pytest.approx(0.75 * 8.125)
    assert row.trial_base is None
    assert row.next_trial == 1010.0 + 180.0


def test_an_endpoint_without_units_is_measured_in_seconds_with_more_tolerance() -> None:
    row = Endpoint(0.0)
    on_ok(row, start(row, 0.0), 4.0, MIDDLE, None)
    assert (row.by_units, row.tolerance) == (False, 1.5)
    assert row.recent == math.log(4.0)


def test_the_first_units_start_the_measurement_over() -> None:
    row = Endpoint(0.0)
    on_ok(row, start(row, 0.0), 4.0, MIDDLE, None)
    on_ok(row, start(row, 4.0), 9.0, MIDDLE, 400.0)
    assert (row.by_units, row.tolerance, row.samples) == (True, 1.2, 1)
    assert row.recent == row.base == math.log(5.0 / 500.0)


def test_a_call_without_units_says_nothing_about_an_endpoint_measured_by_units() -> None:
    row = settled()
    on_ok(row, forced(row, 1000.0), 1900.0, MIDDLE, None)
    assert row.samples == 100


def test_an_estimate_stands_in_for_units_that_were_not_reported() -> None:
    row = Endpoint(0.0)
    on_ok(row, start(row, 0.0, estimate=300.0), 4.0, MIDDLE, None)
    assert row.recent == math.log(4.0 / 400.0)
