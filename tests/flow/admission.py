"""Admission: how many of the jobs that a claim found may start now, and when to ask again if none may."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.flow.endpoint import Call, Circuit, Endpoint

MOST_PROBES = 3
PROBE_PATIENCE = 20.0
RATE_AHEAD = 2.0  # seconds of work that may be admitted ahead of the rate
RATE_CLOCK_MOST = 15.0


@dataclass(frozen=True, slots=True)
class Admission:
    """The calls that start, in the order of the jobs. If none does: when to ask again; None: after an end."""

    calls: tuple[Call, ...]
    until: float | None = None


def admit(
    endpoint: Endpoint, now: float, estimates: Sequence[float | None], tries: Sequence[int] | None = None
) -> Admission:
    """Starts as many of these jobs (in claim order) as may start; len(estimates) is k.

    The first reason to refuse wins: blocked, circuit, limit, rate. A refusal changes nothing, nor does k = 0.
    The calls of one admission start one after the other at the same `now`: the i-th finds in_flight raised by
    the ones before it, and the rate clock moved by their estimates. A half-open circuit starts one call only.
    """
    if not estimates:
        return Admission(())
    if now < endpoint.blocked_until:
        return Admission((), endpoint.blocked_until)
    if endpoint.circuit is not Circuit.CLOSED:
        return _admit_probe(endpoint, now, estimates, tries)
    room = math.floor(endpoint.limit) - endpoint.in_flight
    if room <= 0:
        return Admission(())
    if endpoint.rate is not None and endpoint.rate_clock - now > RATE_AHEAD:
        return Admission((), endpoint.rate_clock - RATE_AHEAD)
    calls = []
    for index, estimate in enumerate(estimates[:room]):
        if endpoint.rate is not None and endpoint.rate_clock - now > RATE_AHEAD:
            break
        calls.append(_start(endpoint, now, estimate, tries[index] if tries else 1, is_probe=False))
    return Admission(tuple(calls))


def _admit_probe(
    endpoint: Endpoint, now: float, estimates: Sequence[float | None], tries: Sequence[int] | None
) -> Admission:
    """OPEN becomes HALF_OPEN only together with its first probe."""
    if endpoint.circuit is Circuit.OPEN:
        if now < endpoint.open_until:
            return Admission((), endpoint.open_until)
        endpoint.circuit = Circuit.HALF_OPEN
        endpoint.probes = 0
    elif endpoint.probes >= MOST_PROBES:
        return Admission(())
    elif endpoint.probes > 0 and now < endpoint.last_probe + PROBE_PATIENCE:
        return Admission((), endpoint.last_probe + PROBE_PATIENCE)
    endpoint.probes += 1
    endpoint.last_probe = now
    chosen = probing_job(tries) if tries else 0
    return Admission(
        (_start(endpoint, now, estimates[chosen], tries[chosen] if tries else 1, is_probe=True),)
    )


def probing_job(tries: Sequence[int]) -> int:
    """The index of the job that probes: the fewest tries among the first 100, the first of equals.

    Otherwise one poison job at the head of the queue could keep the circuit open for ever.
    """
    return min(range(min(100, len(tries))), key=lambda index: tries[index])


def _start(endpoint: Endpoint, now: float, estimate: float | None, tries: int, *, is_probe: bool) -> Call:
    endpoint.in_flight += 1
    if endpoint.rate is not None:
        clock = max(endpoint.rate_clock, now) + amount(None, estimate) / endpoint.rate
        endpoint.rate_clock = min(now + RATE_CLOCK_MOST, clock)
    return Call(now, endpoint.in_flight, is_probe, estimate, tries)


def amount(units: float | None, estimate: float | None) -> float:
    """What a call takes from the rate: its units, else the estimate, else 1."""
    if units is not None:
        return units
    return 1.0 if estimate is None else estimate
