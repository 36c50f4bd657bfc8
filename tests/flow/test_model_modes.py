import pytest

from tests.flow.events import MIDDLE, fail_at, forced, outage, start
from tests.flow.model import Circuit, Endpoint, Mode, on_ok, state


def succeed_often(row: Endpoint, times: int) -> None:
    for _ in range(times):
        on_ok(row, forced(row, 1.0), 2.0, MIDDLE, 400.0)


def test_a_fixed_limit_is_the_maximum_and_stays() -> None:
    row = Endpoint(0.0, Mode.FIXED, max_limit=10.0)
    succeed_often(row, 30)
    fail_at(row, *[3.0] * 4)
    assert row.limit == 10.0


def test_aimd_adds_one_after_ten_good_outcomes() -> None:
    row = Endpoint(0.0, Mode.AIMD, max_limit=10.0)
    succeed_often(row, 9)
    assert row.limit == 2.0
    succeed_often(row, 1)
    assert row.limit == 3.0


def test_aimd_halves_below_eight_good_outcomes_of_ten() -> None:
    row = Endpoint(0.0, Mode.AIMD, max_limit=10.0)
    row.limit = 8.0
    succeed_often(row, 7)
    fail_at(row, 3.0, 3.0, 3.0)
    assert (row.limit, row.successes, row.errors) == (4.0, 0, 0)


def test_aimd_stays_between_the_two() -> None:
    row = Endpoint(0.0, Mode.AIMD, max_limit=10.0)
    row.limit = 8.0
    succeed_often(row, 8)
    fail_at(row, 3.0, 3.0)
    assert row.limit == 8.0


def test_aimd_simple_adds_one_after_ten_successes_even_with_errors_between() -> None:
    row = Endpoint(0.0, Mode.AIMD_SIMPLE, max_limit=10.0)
    succeed_often(row, 5)
    fail_at(row, 3.0)
    succeed_often(row, 5)
    assert row.limit == 3.0


def test_aimd_simple_goes_to_seventy_percent_after_two_errors_in_a_row() -> None:
    row = Endpoint(0.0, Mode.AIMD_SIMPLE, max_limit=10.0)
    row.limit = 10.0
    fail_at(row, 3.0, 3.1)
    assert row.limit == 7.0
    fail_at(row, 3.2)
    assert row.limit == 7.0


@pytest.mark.parametrize("mode", [Mode.FIXED, Mode.AIMD, Mode.AIMD_SIMPLE])
def test_every_mode_has_the_circuit_and_keeps_its_limit_when_it_closes(mode: Mode) -> None:
    row = Endpoint(0.0, mode, max_limit=10.0)
    outage(row, 100.0)
    assert row.circuit is Circuit.OPEN
    limit = row.limit
    on_ok(row, start(row, 200.0), 201.0, MIDDLE, 400.0)
    assert (row.circuit, row.limit) == (Circuit.CLOSED, limit)


@pytest.mark.parametrize("mode", list(Mode))
def test_the_limit_stays_within_its_bounds(mode: Mode) -> None:
    row = Endpoint(0.0, mode, min_limit=1.0, max_limit=3.0)
    for now in range(1, 200):
        on_ok(row, start(row, now * 10.0), now * 10.0 + 1.0, MIDDLE, 400.0)
        assert 1.0 <= row.limit <= 3.0
    for now in range(2000, 2100):
        fail_at(row, float(now))
        assert 1.0 <= row.limit <= 3.0


def test_the_state_is_every_column_but_the_configuration() -> None:
    numbers = {
        name: value for name, value in state(Endpoint(7.0)).items() if value not in {7.0, 0.0, None, "closed"}
    }
    assert numbers == {
        "limit": 2.0,
        "before": 2.0,
        "slow_start_until": 64.0,
        "last_cut": -54.0,
        "next_trial": 67.0,
        "tolerance": 1.2,
        "dip_after": 600.0,
        "open_for": 5.0,
    }
    assert not {"mode", "max_limit", "now"} & set(state(Endpoint(7.0)))
