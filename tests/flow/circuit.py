"""Circuit: opens when the endpoint is silent, closes with the first answer."""

from tests.flow.endpoint import Call, Circuit, Endpoint, Mode, clamp, jitter
from tests.flow.trial import give_up_trial


def trips(endpoint: Endpoint, now: float) -> bool:
    """Overload is the limit's business: calls still succeed then. An outage is silent."""
    return endpoint.streak >= endpoint.trip_failures and now - endpoint.last_ok >= endpoint.trip_quiet


def trip(endpoint: Endpoint, now: float, u: float) -> None:
    """closed -> open. The limit comes back to `before`, which a cut just before the trip must not lower."""
    give_up_trial(endpoint)
    in_series = now - endpoint.last_cut < 60.0
    endpoint.before = max(endpoint.limit, endpoint.before) if in_series else endpoint.limit
    endpoint.ceiling = None
    endpoint.open_for = endpoint.open_first
    _open(endpoint, now, u)


def probe_failed(endpoint: Endpoint, now: float, u: float) -> None:
    """half_open -> open, for longer."""
    endpoint.open_for = min(endpoint.open_max, 1.5 * endpoint.open_for)
    _open(endpoint, now, u)


def close(endpoint: Endpoint, now: float) -> None:
    """-> closed. `last_cut` keeps the calls from before the outage from counting as evidence."""
    endpoint.circuit = Circuit.CLOSED
    endpoint.probes = 0
    endpoint.open_for = endpoint.open_first
    endpoint.streak = 0
    endpoint.evidence = 0.0
    endpoint.blocked_until = now
    endpoint.last_cut = now
    if endpoint.mode is Mode.FLOW:
        endpoint.limit = clamp(endpoint, max(2.0, 0.5 * endpoint.before))
        endpoint.slow_start_until = endpoint.before


def answered(endpoint: Endpoint, now: float) -> None:
    """Good evidence, whatever the answer was."""
    endpoint.streak = 0
    endpoint.last_ok = now
    if endpoint.circuit is not Circuit.CLOSED:
        close(endpoint, now)


def is_proved(endpoint: Endpoint, call: Call, max_failures: int) -> bool:
    """Others are served well, and this job fails again and again: it is the job."""
    if call.last_try is None or call.tries < 4 * max_failures:
        return False
    return endpoint.last_ok > call.last_try


def is_late(endpoint: Endpoint, call: Call) -> bool:
    """A call from before the circuit last closed, which a probe proved: it tells of the outage, not of now.

    While the circuit is half-open only probes start: what starts after it closed, starts after the last one.
    """
    if endpoint.circuit is not Circuit.CLOSED:
        return False
    return call.is_probe or call.started_at < endpoint.last_probe


def give_place_back(endpoint: Endpoint, call: Call) -> None:
    """A probe of an earlier half-open time may end late: the count never goes below 0."""
    if call.is_probe and endpoint.circuit is Circuit.HALF_OPEN:
        endpoint.probes = max(0, endpoint.probes - 1)


def _open(endpoint: Endpoint, now: float, u: float) -> None:
    endpoint.circuit = Circuit.OPEN
    endpoint.open_until = now + endpoint.open_for * jitter(u)
