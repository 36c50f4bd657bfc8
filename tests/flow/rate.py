"""Rate: off until the endpoint says "too many", then a cubic curve around the rate at which it said so."""

import math

from tests.flow.admission import amount
from tests.flow.endpoint import Call, Endpoint

LONGEST_RETRY_AFTER = 3600.0
DECAY = 60.0


def throttle(endpoint: Endpoint, call: Call, now: float, u: float, retry_after: float) -> None:
    """Blocks until Retry-After; cuts at most once in 15 s, and only for a call that started since."""
    endpoint.blocked_until = max(endpoint.blocked_until, now + retry_after * (1.0 + 0.1 * u))
    last = endpoint.last_rate_cut
    if last is not None and not (call.started_at > last and now - last > 15.0):
        return
    least = amount(None, call.estimate) / 600.0  # one such call in ten minutes: the rate can never be 0
    if endpoint.rate is None:
        peak = delivered(endpoint, now) or amount(None, call.estimate) / max(1.0, retry_after)
    else:
        peak = min(endpoint.rate, 1.1 * delivered(endpoint, now))
    endpoint.peak = max(least, peak)
    endpoint.rate = 0.85 * endpoint.peak
    endpoint.last_rate_cut = now
    endpoint.rate_clock = max(endpoint.rate_clock, now)


def deliver(endpoint: Endpoint, call: Call, now: float, units: float | None) -> None:
    """A success: adds to what was delivered, settles the estimate at the old rate, then moves the rate."""
    used = amount(units, call.estimate)
    if endpoint.delivered_since is None:
        endpoint.delivered_since = now
        endpoint.delivered_at = now
    endpoint.delivered_sum = endpoint.delivered_sum * math.exp(-(now - endpoint.delivered_at) / DECAY) + used
    endpoint.delivered_at = now
    if endpoint.rate is None:
        return
    endpoint.rate_clock += (used - amount(None, call.estimate)) / endpoint.rate
    if endpoint.last_rate_cut is None:
        return  # a static rate that was never cut
    endpoint.rate = _risen(endpoint, now, endpoint.last_rate_cut)
    if now - endpoint.last_rate_cut > 180.0 and endpoint.rate_clock <= now:
        endpoint.rate = endpoint.static_rate
        endpoint.last_rate_cut = None


def _risen(endpoint: Endpoint, now: float, last_cut: float) -> float:
    """Back at the peak after 45 s, then ever faster, but not far above what really arrives."""
    x = (now - last_cut) / 45.0 - 1.0
    rate = endpoint.peak * (1.0 + 0.15 * x * x * x)
    if x > 0.0:
        rate = max(endpoint.peak, min(rate, 1.5 * delivered(endpoint, now)))
    return rate if endpoint.static_rate is None else min(rate, endpoint.static_rate)


def refund(endpoint: Endpoint, call: Call) -> None:
    """The endpoint did no work for this call."""
    if endpoint.rate is not None:
        endpoint.rate_clock -= amount(None, call.estimate) / endpoint.rate


def delivered(endpoint: Endpoint, now: float) -> float:
    """Units per second lately. The divisor makes up for the sum's being young."""
    if endpoint.delivered_since is None:
        return 0.0
    filled = 1.0 - math.exp(-max(5.0, now - endpoint.delivered_since) / DECAY)
    return endpoint.delivered_sum * math.exp(-(now - endpoint.delivered_at) / DECAY) / DECAY / filled
