"""Trial: raises the limit by a quarter for a while, to see whether more calls at once do more work in all.

It tells queueing (each call slower, nothing gained) from continuous batching (each call slower, more in all).
"""

import math

from tests.flow.endpoint import Call, Endpoint, jitter

GAIN_NEEDED = 0.3
MOST_TOLERANCE = 3.0


def start_trial(endpoint: Endpoint, now: float, s: float) -> None:
    """The caller has seen that the limit was binding. Only where the slow-down is about the tolerance."""
    target = max(endpoint.limit + 1.0, 1.25 * endpoint.limit)
    if (
        endpoint.by_units
        and endpoint.rate is None
        and now >= endpoint.next_trial
        and endpoint.tolerance < MOST_TOLERANCE
        and 0.93 * endpoint.tolerance < s < 1.15 * endpoint.tolerance
        and target < endpoint.max_limit
        and (endpoint.ceiling is None or target < endpoint.ceiling)
    ):
        endpoint.trial_since = now
        endpoint.trial_base = endpoint.limit
        endpoint.trial_y = endpoint.recent
        endpoint.trial_n = 0
        endpoint.trial_sum = 0.0
        endpoint.limit = target


def follow_trial(endpoint: Endpoint, call: Call, now: float, u: float, y: float | None) -> None:
    """Counts a success that started under the trial; after max(8, old limit) of them the trial is decided."""
    if (
        endpoint.trial_since is None
        or endpoint.trial_base is None
        or call.started_at < endpoint.trial_since
        or y is None
    ):
        return
    endpoint.trial_n += 1
    endpoint.trial_sum += y
    if endpoint.trial_n >= max(8.0, endpoint.trial_base):
        _decide(endpoint, now, u, endpoint.trial_sum / endpoint.trial_n, endpoint.trial_base)


def _decide(endpoint: Endpoint, now: float, u: float, y: float, old: float) -> None:
    y_before, y_base = endpoint.trial_y or 0.0, endpoint.base or 0.0
    gain = 1.0 - (y - y_before) / math.log(endpoint.limit / old)
    if gain >= GAIN_NEEDED:
        endpoint.tolerance = min(MOST_TOLERANCE, max(endpoint.tolerance, 1.1 * math.exp(y - y_base)))
        endpoint.trial_k = 0
        endpoint.next_trial = now
        _forget(endpoint)
    else:
        give_up_trial(endpoint)
        endpoint.tolerance = max(1.2, 0.9 * endpoint.tolerance)
        endpoint.next_trial = now + min(1800.0, 180.0 * 2.0**endpoint.trial_k) * jitter(u)


def give_up_trial(endpoint: Endpoint) -> None:
    """Back to the limit before the trial, if one is on."""
    if endpoint.trial_base is not None:
        endpoint.limit = endpoint.trial_base
        endpoint.trial_k = min(4, endpoint.trial_k + 1)
        _forget(endpoint)


def _forget(endpoint: Endpoint) -> None:
    endpoint.trial_since = None
    endpoint.trial_base = None
    endpoint.trial_y = None
    endpoint.trial_n = 0
    endpoint.trial_sum = 0.0
