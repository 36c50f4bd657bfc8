import pytest

from tests.flow.events import outage, put, start, succeed
from tests.flow.model import Call, Circuit, Endpoint, admit, on_void, probing_job, state


def endpoint(**columns: float | None) -> Endpoint:
    return put(Endpoint(0.0), **columns)


def test_a_new_endpoint_admits_two_calls() -> None:
    row = Endpoint(0.0)
    assert len(admit(row, 0.0, [None] * 5).calls) == 2
    assert row.in_flight == 2


def test_each_call_of_a_batch_remembers_its_own_place() -> None:
    calls = admit(endpoint(limit=5.9, in_flight=2), 7.0, [10.0, 20.0, 30.0, 40.0]).calls
    assert calls == (Call(7.0, 3, False, 10.0), Call(7.0, 4, False, 20.0), Call(7.0, 5, False, 30.0))


def test_a_full_endpoint_cannot_say_until_when() -> None:
    admission = admit(endpoint(limit=2.9, in_flight=2), 0.0, [None])
    assert admission.calls == ()
    assert admission.until is None


def test_a_blocked_endpoint_admits_nothing_until_its_block_ends() -> None:
    row = endpoint(blocked_until=5.0)
    assert admit(row, 4.9, [None]).until == 5.0
    assert admit(row, 5.0, [None]).calls


@pytest.mark.parametrize(
    "columns", [{"blocked_until": 9.0}, {"in_flight": 2}, {"rate": 1.0, "rate_clock": 9.0}, {"in_flight": 3}]
)
def test_a_refusal_changes_nothing(columns: dict[str, float]) -> None:
    row = endpoint(**columns)
    before = state(row)
    assert admit(row, 1.0, [None, None]).calls == ()
    assert state(row) == before


def test_no_job_changes_nothing_even_when_a_probe_is_due() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    before = state(row)
    assert admit(row, 500.0, []).calls == ()
    assert state(row) == before


def test_an_open_circuit_admits_nothing_and_says_until_when() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    admission = admit(row, 104.9, [None])
    assert admission.calls == ()
    assert admission.until == row.open_until == 105.0


def test_an_open_circuit_becomes_half_open_with_one_probe() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    (probe,) = admit(row, 200.0, [None] * 10).calls
    assert probe.is_probe
    assert (row.circuit, row.probes, row.last_probe) == (Circuit.HALF_OPEN, 1, 200.0)


def test_a_hanging_probe_makes_room_for_two_more_but_no_third() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    start(row, 200.0)
    assert admit(row, 219.9, [None]).until == 220.0
    start(row, 220.0)
    start(row, 240.0)
    refused = admit(row, 300.0, [None])
    assert (refused.calls, refused.until, row.probes) == ((), None, 3)


def test_a_lost_probe_gives_its_place_back() -> None:
    row = Endpoint(0.0)
    outage(row, 100.0)
    on_void(row, start(row, 200.0))
    assert start(row, 200.5).is_probe


def test_the_job_with_the_fewest_tries_among_the_first_hundred_probes() -> None:
    assert probing_job([3, 2, 2, 5]) == 1
    assert probing_job([9] * 100 + [1]) == 0
    row = Endpoint(0.0)
    outage(row, 100.0)
    (probe,) = admit(row, 200.0, [1.0, 2.0, 3.0], [7, 4, 5]).calls
    assert (probe.estimate, probe.tries) == (2.0, 4)


def test_the_rate_admits_two_seconds_of_work_ahead() -> None:
    row = endpoint(limit=10.0, rate=100.0)
    assert len(admit(row, 50.0, [90.0] * 5).calls) == 3
    assert row.rate_clock == pytest.approx(52.7)
    assert admit(row, 50.0, [90.0]).until == pytest.approx(50.7)


def test_one_huge_call_blocks_the_rate_for_fifteen_seconds_at_most() -> None:
    row = endpoint(limit=10.0, rate=1.0)
    start(row, 50.0, estimate=10_000.0)
    assert row.rate_clock == 65.0


def test_a_call_without_an_estimate_takes_one_unit_of_the_rate() -> None:
    row = endpoint(limit=10.0, rate=4.0)
    start(row, 50.0)
    assert row.rate_clock == 50.25


def test_an_ended_call_gives_its_permit_back() -> None:
    row = Endpoint(0.0)
    succeed(row, 0.0, 5.0)
    assert row.in_flight == 0
