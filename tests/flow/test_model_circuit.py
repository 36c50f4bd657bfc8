from dataclasses import replace

import pytest

from tests.flow.events import MIDDLE, fail_at, forced, outage, put, start
from tests.flow.model import Circuit, Endpoint, on_answered, on_fail, on_ok, on_rate_limited, on_void, state


def test_five_failures_in_a_row_and_ten_silent_seconds_open_the_circuit() -> None:
    row = Endpoint(0.0)
    fail_at(row, 10.0, 10.1, 10.2, 10.3)
    assert state(row)["circuit"] == "closed"
    fail_at(row, 10.4)
    assert state(row)["circuit"] == "open"
    assert row.open_until == 15.4


def test_failures_beside_successes_do_not_open_the_circuit() -> None:
    row = Endpoint(0.0)
    row.last_ok = 5.0
    fail_at(row, *[10.0 + i / 10 for i in range(12)])
    assert row.circuit is Circuit.CLOSED


@pytest.mark.parametrize(("u", "seconds"), [(0.0, 4.0), (0.5, 5.0), (0.999999, 6.0)])
def test_the_opening_is_jittered_by_a_fifth(u: float, seconds: float) -> None:
    row = Endpoint(0.0)
    fail_at(row, *[20.0] * 5, u=u)
    assert row.open_until == pytest.approx(20.0 + seconds, abs=1e-4)


def test_each_failed_probe_opens_for_half_as_long_again_up_to_the_maximum() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    lengths = []
    for _ in range(5):
        now = row.open_until + 10.0
        on_fail(row, start(row, now), now + 1.0, MIDDLE)
        lengths.append(row.open_until - now - 1.0)
    assert lengths == pytest.approx([7.5, 11.25, 16.875, 20.0, 20.0])


def test_the_first_good_probe_closes_and_starts_at_half_of_the_limit_before() -> None:
    row = Endpoint(0.0)
    row.limit = 20.0
    outage(row, 100.0)
    assert row.before == 20.0
    on_ok(row, start(row, 200.0), 205.0, MIDDLE, 400.0)
    assert row.circuit is Circuit.CLOSED
    assert (row.limit, row.slow_start_until) == (10.0, 20.0)
    assert (row.streak, row.evidence, row.blocked_until, row.probes) == (0, 0.0, 205.0, 0)
    assert row.open_for == 5.0


@pytest.mark.parametrize(("last_cut", "before"), [(140.1, 20.0), (140.0, 6.0)])
def test_a_cut_within_the_last_minute_does_not_lower_where_to_come_back_to(
    last_cut: float, before: float
) -> None:
    row = put(Endpoint(0.0), limit=6.0, before=20.0, last_cut=last_cut)
    late = [forced(row, 100.0) for _ in range(5)]
    for call in late:
        on_fail(row, call, 200.0, MIDDLE)
    assert row.before == before


def test_a_small_endpoint_comes_back_with_two_calls() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    on_ok(row, forced(row, 99.0), 205.0, MIDDLE, 400.0)
    assert (row.before, row.limit) == (2.0, 2.0)


def test_a_call_from_before_the_outage_that_succeeds_closes_too() -> None:
    row = Endpoint(0.0)
    call = start(row, 0.0)
    outage(row, 100.0)
    on_ok(row, call, 101.0, MIDDLE, 400.0)
    assert row.circuit is Circuit.CLOSED


def test_a_probe_that_is_rate_limited_closes_the_circuit_and_blocks() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    on_rate_limited(row, start(row, 200.0), 200.2, 0.0, 30.0)
    assert row.circuit is Circuit.CLOSED
    assert row.blocked_until == 230.2


def test_a_probe_that_is_a_bad_request_was_answered_and_closes_the_circuit() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    on_answered(row, start(row, 200.0), 201.0)
    assert (row.circuit, row.streak, row.last_ok) == (Circuit.CLOSED, 0, 201.0)


def test_a_probe_whose_handler_made_no_call_only_gives_its_place_back() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    on_void(row, start(row, 200.0))
    assert (row.circuit, row.probes, row.streak) == (Circuit.HALF_OPEN, 0, 5)


def test_an_answer_that_is_no_success_ends_the_streak_and_is_not_measured() -> None:
    row = put(Endpoint(0.0), in_flight=2, limit=2.0, samples=7, evidence=2.0)
    before = state(row)
    fail_at(put(row, last_cut=500.0), 90.0, 91.0)  # of calls from before the last cut: the limit stays
    assert row.streak == 2
    on_answered(row, forced(row, 90.0), 95.0)
    changed = {name for name, value in state(row).items() if value != before[name]}
    assert changed == {"last_ok", "last_cut", "blocked_until"}


def test_a_late_probe_of_an_earlier_half_open_time_leaves_no_negative_count() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    slow, quick = start(row, 200.0), start(row, 220.0)
    on_fail(row, quick, 221.0, MIDDLE)
    third = start(row, 300.0)
    on_void(row, third)
    on_void(row, slow)
    assert row.probes == 0


def test_what_started_before_the_circuit_closed_says_nothing_when_it_fails_late() -> None:
    row = Endpoint(0.0)
    before, others = forced(row, 90.0), [forced(row, 90.0) for _ in range(4)]
    outage(row, 100.0)
    hanging, probe = start(row, 200.0), start(row, 220.0)
    on_ok(row, probe, 225.0, MIDDLE, 400.0)
    closed = state(row)
    assert not on_fail(row, before, 226.0, MIDDLE)
    assert not on_fail(row, hanging, 320.0, MIDDLE)
    assert [on_fail(row, call, 330.0, MIDDLE) for call in others] == [False] * 4
    assert state(row) == {**closed, "in_flight": 0}


def test_what_starts_after_the_circuit_closed_counts_as_ever() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    on_ok(row, start(row, 200.0), 205.0, MIDDLE, 400.0)
    assert on_fail(row, start(row, 205.0), 206.0, MIDDLE)
    assert row.streak == 1
    fail_at(row, *[220.0] * 4)
    assert row.circuit is Circuit.OPEN


def test_a_late_failure_is_not_isolated_and_counts_only_if_it_is_proved() -> None:
    row = Endpoint(0.0)
    poison, unlucky = forced(row, 90.0, tries=12, last_try=80.0), forced(row, 90.0, tries=11, last_try=80.0)
    outage(row, 100.0)
    hanging = replace(start(row, 200.0, tries=12), last_try=190.0)
    early = replace(start(row, 220.0, tries=12), last_try=225.0)
    on_ok(row, start(row, 240.0), 245.0, MIDDLE, 400.0)
    closed = state(row)
    assert on_fail(row, poison, 246.0, MIDDLE, max_failures=3)
    assert not on_fail(row, unlucky, 246.0, MIDDLE, max_failures=3)
    assert on_fail(row, hanging, 247.0, MIDDLE, max_failures=3)
    assert on_fail(row, early, 247.0, MIDDLE, max_failures=3)
    assert state(row) == {**closed, "in_flight": 0}


def test_the_old_breaker_is_a_setting() -> None:
    row = Endpoint(0.0, trip_failures=5, trip_quiet=0.0, open_first=60.0, open_max=60.0)
    fail_at(row, *[1.0] * 5)
    assert row.open_until == 61.0
    on_fail(row, start(row, 70.0), 71.0, MIDDLE)
    assert row.open_until == 131.0


def test_from_the_second_failure_in_a_row_the_endpoint_rests() -> None:
    row = Endpoint(0.0)
    row.last_ok = 1000.0
    rests = []
    for i in range(7):
        fail_at(row, 100.0 + 20.0 * i)
        rests.append(row.blocked_until - (100.0 + 20.0 * i))
    assert rests[0] <= 0.0
    assert rests[1:] == pytest.approx([1.0, 2.0, 4.0, 8.0, 10.0, 10.0])


def test_only_the_first_failure_of_a_streak_counts() -> None:
    assert fail_at(Endpoint(0.0), 1.0, 1.1, 1.2) == [True, False, False]


@pytest.mark.parametrize(
    ("tries", "last_try", "last_ok", "counts"),
    [
        (12, 50.0, 60.0, True),
        (11, 50.0, 60.0, False),  # too few tries
        (12, 60.0, 60.0, False),  # what was answered at its own end may be its own call
        (12, 70.0, 60.0, False),  # nobody was served since
        (99, None, 60.0, False),  # nobody knows since when
    ],
)
@pytest.mark.parametrize("circuit", Circuit)
@pytest.mark.parametrize("is_probe", [False, True])
def test_a_failure_that_is_not_isolated_counts_after_enough_tries_if_another_call_was_good_since(
    circuit: Circuit, is_probe: bool, tries: int, last_try: float | None, last_ok: float, counts: bool
) -> None:
    row = put(Endpoint(0.0), streak=1, last_ok=last_ok, circuit=circuit)
    call = forced(row, 90.0, is_probe=is_probe, tries=tries, last_try=last_try)
    assert on_fail(row, call, 100.0, MIDDLE, max_failures=3) == counts


@pytest.mark.parametrize("tries_before", [0, 1, 11])
def test_a_days_outage_kills_none_of_five_waiting_jobs(tries_before: int) -> None:
    """Whether it begins before their first try, or between two of their tries while others are served."""
    row = Endpoint(0.0)
    failures, tries, now = [0] * 5, [tries_before] * 5, 100.0
    last_try = [90.0 if tries_before else None] * 5
    row.last_ok = 95.0
    while now < 86_500.0:
        if row.in_flight == 0 and now >= max(row.blocked_until, row.open_until):
            job = min(range(5), key=lambda i: tries[i])
            tries[job] += 1
            call = replace(start(row, now, tries=tries[job]), last_try=last_try[job])
            last_try[job] = now + 1.0
            failures[job] += on_fail(row, call, now + 1.0, MIDDLE, max_failures=3)
        now += 1.5
    assert min(tries) > 100
    assert max(failures) < 3
