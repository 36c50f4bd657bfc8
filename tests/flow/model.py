"""The rules of flow control for one endpoint, as plain functions on one row: what the SQL is compared with.

Each event gets `now` (seconds, the statement's time) and `u` (one random number in [0, 1) per statement, used
for every jitter in it). A statement that ends several calls and then claims applies the ends one by one, in
the given order, then admits; all with the same `now` and `u`.

Every end of a call first lowers in_flight by one, and gives the place of a probe back if the circuit is
half-open. Then, by class:

ok            1. as answered, but without the refund; evidence − 0.33
              2. units delivered, estimate settled at the old rate, rate moved or switched off
              3. mode flow: latency measured, dip, then the trial or latency and growth; else the mode's count
answered      1. estimate refunded
              2. streak 0, last_ok; a circuit that is not closed closes
rate_limited  1. estimate refunded at the old rate
              2. a probe in a half-open circuit closes it
              3. blocked until Retry-After, rate perhaps cut
fail          0. a call from before the circuit last closed changes nothing more; it is not isolated
              1. streak + 1; isolated: the circuit is closed, it was no probe, the streak is 1
              2. whether it counts against the job: isolated, or proved
              3. closed: the limit's rule of the mode; then trip, or else the pause from the 2nd in a row.
                 half-open: a probe opens it again
void          estimate refunded

What a call tells of its endpoint decides which one it is. Good: ok for 2xx, answered for any other answer
below 500 but 408 and 429, and for a handler that fails after a good answer. Bad: fail, for 408, 5xx, an error
inside a 200, no connection, no answer in time, or the handler's word. None: void, for what a handler raises
without a call, and for calls of workers that vanished or gave the job back.

Proved: the job has had 4 × max_failures tries, and since the last of those before this one ended, a call was
answered well. It was another job's, since this one had no call out in between. In an outage there is no such
answer, so nobody dies of it, however often it tried.
"""

from tests.flow.admission import Admission, admit, probing_job
from tests.flow.aimd import count_for_aimd, count_for_aimd_simple
from tests.flow.circuit import answered, close, give_place_back, is_late, is_proved, probe_failed, trip, trips
from tests.flow.endpoint import Call, Circuit, Endpoint, Mode, jitter, state
from tests.flow.latency import measure
from tests.flow.limit import steer, suspect
from tests.flow.rate import LONGEST_RETRY_AFTER, deliver, refund, throttle

__all__ = [
    "Admission",
    "Call",
    "Circuit",
    "Endpoint",
    "Mode",
    "admit",
    "on_answered",
    "on_fail",
    "on_ok",
    "on_rate_limited",
    "on_void",
    "probing_job",
    "state",
]


def on_ok(endpoint: Endpoint, call: Call, now: float, u: float, units: float | None = None) -> None:
    in_flight = endpoint.in_flight
    _leave(endpoint, call)
    answered(endpoint, now)
    endpoint.evidence = max(0.0, endpoint.evidence - 0.33)
    deliver(endpoint, call, now, units)
    match endpoint.mode:
        case Mode.FLOW:
            steer(endpoint, call, now, u, in_flight, measure(endpoint, call, now, units))
        case Mode.AIMD:
            count_for_aimd(endpoint, ok=True)
        case Mode.AIMD_SIMPLE:
            count_for_aimd_simple(endpoint, ok=True)
        case Mode.FIXED:
            pass


def on_answered(endpoint: Endpoint, call: Call, now: float) -> None:
    """It is alive, and did not do the work: nothing to measure, nothing delivered."""
    _leave(endpoint, call)
    refund(endpoint, call)
    answered(endpoint, now)


def on_fail(endpoint: Endpoint, call: Call, now: float, u: float, max_failures: int = 5) -> bool:
    """Whether the failure counts against the job."""
    _leave(endpoint, call)
    counts = is_proved(endpoint, call, max_failures)
    if is_late(endpoint, call):
        return counts
    endpoint.streak += 1
    if endpoint.circuit is Circuit.CLOSED:
        counts = counts or endpoint.streak == 1
        _fail_closed(endpoint, call, now, u)
    elif endpoint.circuit is Circuit.HALF_OPEN and call.is_probe:
        probe_failed(endpoint, now, u)
    return counts


def _fail_closed(endpoint: Endpoint, call: Call, now: float, u: float) -> None:
    match endpoint.mode:
        case Mode.FLOW:
            suspect(endpoint, call, now, u)
        case Mode.AIMD:
            count_for_aimd(endpoint, ok=False)
        case Mode.AIMD_SIMPLE:
            count_for_aimd_simple(endpoint, ok=False)
        case Mode.FIXED:
            pass
    if trips(endpoint, now):
        trip(endpoint, now, u)
    elif endpoint.streak >= 2:
        pause = min(10.0, 2.0 ** min(4, endpoint.streak - 2)) * jitter(u)
        endpoint.blocked_until = max(endpoint.blocked_until, now + pause)


def on_rate_limited(
    endpoint: Endpoint, call: Call, now: float, u: float, retry_after: float | None = None
) -> float:
    """The seconds that the job itself waits. It never counts as a failure."""
    wait = min(LONGEST_RETRY_AFTER, retry_after or 1.0)
    _leave(endpoint, call)
    refund(endpoint, call)
    if endpoint.circuit is Circuit.HALF_OPEN and call.is_probe:
        close(endpoint, now)  # it answers: it is alive
    throttle(endpoint, call, now, u, wait)
    return wait * (1.0 + 0.3 * u)


def on_void(endpoint: Endpoint, call: Call) -> None:
    """It tells nothing of the endpoint, which did no work for it as far as anybody knows."""
    _leave(endpoint, call)
    refund(endpoint, call)


def _leave(endpoint: Endpoint, call: Call) -> None:
    endpoint.in_flight -= 1
    give_place_back(endpoint, call)
