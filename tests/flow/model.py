"""The rules of flow control for one endpoint, as plain functions on one row: what the SQL is compared with.

Each event gets `now` (seconds, the statement's time) and `u` (one random number in [0, 1) per statement, used
for every jitter in it). A statement that ends several calls and then claims applies the ends one by one, in
the given order, then admits; all with the same `now` and `u`.

Every end of a call first lowers in_flight by one, and gives the place of a probe back if the circuit is
half-open. Then, by class:

ok            1. streak 0, last_ok, evidence − 0.33
              2. units delivered, estimate settled at the old rate, rate moved or switched off
              3. a circuit that is not closed closes
              4. mode flow: latency measured, dip, then the trial or latency and growth; else the mode's count
rate_limited  1. estimate refunded at the old rate
              2. a probe in a half-open circuit closes it
              3. blocked until Retry-After, rate perhaps cut
fail          0. a call from before the circuit last closed: nothing more; it counts after enough tries only
              1. streak + 1
              2. whether it counts against the job, by the circuit as it is before step 3
              3. closed: the limit's rule of the mode; then trip, or else the pause from the 2nd in a row.
                 half-open: a probe opens it again
permanent, system, lost: estimate refunded
"""

from tests.flow.admission import Admission, admit, probing_job
from tests.flow.aimd import count_for_aimd, count_for_aimd_simple
from tests.flow.circuit import close, give_place_back, is_late, probe_failed, trip, trips
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
    "on_fail",
    "on_lost",
    "on_ok",
    "on_permanent",
    "on_rate_limited",
    "on_system",
    "probing_job",
    "state",
]


def on_ok(endpoint: Endpoint, call: Call, now: float, u: float, units: float | None = None) -> None:
    in_flight = endpoint.in_flight
    _leave(endpoint, call)
    endpoint.streak = 0
    endpoint.last_ok = now
    endpoint.evidence = max(0.0, endpoint.evidence - 0.33)
    deliver(endpoint, call, now, units)
    if endpoint.circuit is not Circuit.CLOSED:
        close(endpoint, now)
    match endpoint.mode:
        case Mode.FLOW:
            steer(endpoint, call, now, u, in_flight, measure(endpoint, call, now, units))
        case Mode.AIMD:
            count_for_aimd(endpoint, ok=True)
        case Mode.AIMD_SIMPLE:
            count_for_aimd_simple(endpoint, ok=True)
        case Mode.FIXED:
            pass


def on_fail(endpoint: Endpoint, call: Call, now: float, u: float, max_failures: int = 5) -> bool:
    """Whether the failure counts against the job."""
    _leave(endpoint, call)
    if is_late(endpoint, call):
        return not call.is_probe and call.tries >= 4 * max_failures
    endpoint.streak += 1
    counts = _counts(endpoint, call, max_failures)
    if endpoint.circuit is Circuit.CLOSED:
        _fail_closed(endpoint, call, now, u)
    elif endpoint.circuit is Circuit.HALF_OPEN and call.is_probe:
        probe_failed(endpoint, now, u)
    return counts


def _counts(endpoint: Endpoint, call: Call, max_failures: int) -> bool:
    """Only an isolated failure is the job's own; a job that always fails counts after enough tries."""
    if endpoint.circuit is not Circuit.CLOSED or call.is_probe:
        return False
    return endpoint.streak == 1 or call.tries >= 4 * max_failures


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


def on_permanent(endpoint: Endpoint, call: Call) -> None:
    """The request is wrong: the endpoint is not to blame."""
    _leave(endpoint, call)
    refund(endpoint, call)


def on_system(endpoint: Endpoint, call: Call) -> None:
    """We are to blame: the endpoint was not asked, or could not answer."""
    _leave(endpoint, call)
    refund(endpoint, call)


def on_lost(endpoint: Endpoint, call: Call) -> None:
    """The worker vanished: whatever the endpoint did is unknown."""
    _leave(endpoint, call)
    refund(endpoint, call)


def _leave(endpoint: Endpoint, call: Call) -> None:
    endpoint.in_flight -= 1
    give_place_back(endpoint, call)
