"""Short ways to drive a modelled endpoint."""

import math

from tests.flow.model import Call, Endpoint, admit, on_fail, on_ok

MIDDLE = 0.5  # the jitter of ±20 % is none at this u


def put(endpoint: Endpoint, **columns: float | str | None) -> Endpoint:
    """Sets columns by name, as an update of the row would."""
    for name, value in columns.items():
        setattr(endpoint, name, value)
    return endpoint


def start(endpoint: Endpoint, now: float, estimate: float | None = None, tries: int = 1) -> Call:
    """One call that must be admitted."""
    (call,) = admit(endpoint, now, [estimate], [tries]).calls
    return call


def succeed(endpoint: Endpoint, begin: float, end: float, units: float | None = 400.0) -> None:
    """One call alone, from admission to success."""
    on_ok(endpoint, start(endpoint, begin), end, MIDDLE, units)


def forced(
    endpoint: Endpoint, now: float, *, is_probe: bool = False, tries: int = 1, last_try: float | None = None
) -> Call:
    """A call that was started without asking for admission, for rules that only concern ends."""
    endpoint.in_flight += 1
    return Call(now, endpoint.in_flight, is_probe, tries=tries, last_try=last_try)


def fail_at(endpoint: Endpoint, *times: float, u: float = MIDDLE) -> list[bool]:
    """Failures of calls that each started a tenth of a second before; whether each counted."""
    return [on_fail(endpoint, forced(endpoint, time - 0.1), time, u) for time in times]


def outage(endpoint: Endpoint, now: float) -> None:
    """Five failures in a row after ten silent seconds: the circuit opens with the last one."""
    endpoint.last_ok = now - 20.0
    fail_at(endpoint, *[now] * 5)


def settled(limit: float = 8.0) -> Endpoint:
    """A busy endpoint in the middle of its life, measured by units, neither slow nor in slow start."""
    row = Endpoint(0.0)
    row.limit = row.before = limit
    row.slow_start_until = 2.0
    row.by_units = True
    row.samples = 100
    row.recent = row.base = math.log(5.0 / 500.0)
    row.last_cut = 900.0
    row.next_trial = 5000.0
    return row


def busy_ok(row: Endpoint, now: float, seconds: float = 5.0, started_at: float | None = None) -> None:
    """A success of 400 units while the limit binds."""
    row.in_flight = math.floor(row.limit)
    call = Call(now - seconds if started_at is None else started_at, row.in_flight, False)
    on_ok(row, call, now, MIDDLE, 400.0)
