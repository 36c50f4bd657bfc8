"""Limit of mode flow: grows while it binds, gives way to latency, and is cut on evidence of overload."""

import math

from tests.flow.endpoint import Call, Endpoint, jitter
from tests.flow.latency import slowdown
from tests.flow.trial import follow_trial, give_up_trial, start_trial

OVERLOAD = 3.0


def steer(endpoint: Endpoint, call: Call, now: float, u: float, in_flight: int, y: float | None) -> None:
    """A success: dip; then the trial if one is on; else latency or growth, and perhaps a new trial.

    `in_flight` is the count with this call still in it. `binding` is taken after the dip and before latency.
    A call that started before the last cut, this very dip included, has s = 1.
    """
    if now - endpoint.last_cut > endpoint.dip_after:
        cut(endpoint, now, u)
        endpoint.dip_after = 600.0 * jitter(u)
    if endpoint.trial_base is not None:
        follow_trial(endpoint, call, now, u, y)
        return
    is_binding = _binding(endpoint, call, now, in_flight)
    s = slowdown(endpoint, call)
    if s > endpoint.tolerance:
        _give_way(endpoint, s)
    else:
        endpoint.slow_limit = None
        endpoint.slow_s = None
        if is_binding:
            _grow(endpoint, now)
    if is_binding:
        start_trial(endpoint, now, slowdown(endpoint, call))


def _binding(endpoint: Endpoint, call: Call, now: float, in_flight: int) -> bool:
    """Only a limit that was reached may grow; if the rate was what held calls back, the limit was not."""
    if endpoint.rate is not None and endpoint.rate_clock - now >= 1.0:
        return False
    return max(call.in_flight_at_start, in_flight) >= math.floor(endpoint.limit)


def _give_way(endpoint: Endpoint, s: float) -> None:
    """If it is as slow as before at 60 % of the limit, the slowness is not ours: that is the new base."""
    if endpoint.slow_limit is None or endpoint.slow_s is None:
        endpoint.slow_limit = endpoint.limit
        endpoint.slow_s = s
    endpoint.limit = max(endpoint.min_limit, endpoint.limit - (1.0 - endpoint.tolerance / s))
    endpoint.slow_start_until = min(endpoint.slow_start_until, endpoint.limit)
    if endpoint.limit <= 0.6 * endpoint.slow_limit and s > 0.85 * endpoint.slow_s:
        endpoint.base = endpoint.recent
        endpoint.slow_start_until = endpoint.slow_limit
        endpoint.slow_limit = None
        endpoint.slow_s = None


def _grow(endpoint: Endpoint, now: float) -> None:
    """Stays just below the ceiling until its time is over; forgets it one whole step above."""
    limit = endpoint.limit
    step = 0.5 if limit < endpoint.slow_start_until else 1.0 / max(4.0, limit)
    if endpoint.ceiling is not None and limit + step >= endpoint.ceiling:
        if now < endpoint.ceiling_until:
            step = max(0.0, min(step, endpoint.ceiling - 0.01 - limit))
        elif limit + step >= endpoint.ceiling + 1.0:
            endpoint.ceiling = None
            endpoint.ceiling_k = 0
    endpoint.limit = min(endpoint.max_limit, limit + step)


def suspect(endpoint: Endpoint, call: Call, now: float, u: float) -> None:
    """A failure: evidence, from calls that started after the last cut; enough of it: a ceiling, and a cut."""
    if call.started_at < endpoint.last_cut:
        return
    endpoint.evidence += 2.0
    if endpoint.evidence >= OVERLOAD:
        _remember_ceiling(endpoint, call, now, u)
        cut(endpoint, now, u)


def _remember_ceiling(endpoint: Endpoint, call: Call, now: float, u: float) -> None:
    """The level of a failed step above the ceiling, of a first cut, or of errors that came again as soon as
    slow start had brought the limit back: without the last one a hard edge is hit every half minute. Errors
    below a ceiling that still holds are no news of it, or those by chance would bring it ever lower.
    """
    if endpoint.ceiling is not None and endpoint.limit >= endpoint.ceiling:
        endpoint.ceiling_k = min(4, endpoint.ceiling_k + 1)
    elif endpoint.ceiling is not None and now < endpoint.ceiling_until:
        return
    elif now - endpoint.last_cut > 60.0:
        endpoint.ceiling_k = 0
    elif endpoint.limit < endpoint.slow_start_until:
        return  # still on the way back from the last cut: the level says nothing
    endpoint.ceiling = max(float(call.in_flight_at_start), 0.8 * endpoint.limit, 2.0)
    endpoint.ceiling_until = now + min(600.0, 60.0 * 2.0**endpoint.ceiling_k) * jitter(u)


def cut(endpoint: Endpoint, now: float, u: float) -> None:
    """Ends a trial first. `before` is set by the first cut of a series only."""
    give_up_trial(endpoint)
    endpoint.next_trial = max(endpoint.next_trial, now + 180.0 * jitter(u))
    if now - endpoint.last_cut > 60.0:
        endpoint.before = endpoint.limit
    endpoint.slow_start_until = max(2.0, 0.9 * endpoint.before)
    endpoint.limit = max(endpoint.min_limit, 0.75 * endpoint.limit)
    endpoint.last_cut = now
    endpoint.evidence = 0.0
