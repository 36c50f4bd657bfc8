"""The two simple modes: additive increase, multiplicative decrease, on successes and failures alone."""

from tests.flow.endpoint import Endpoint, clamp


def count_for_aimd(endpoint: Endpoint, *, ok: bool) -> None:
    """Every 10 outcomes: more than 95 % good, one more; less than 80 %, half."""
    endpoint.successes += ok
    endpoint.errors += not ok
    if endpoint.successes + endpoint.errors < 10:
        return
    if endpoint.successes > 9.5:
        _set(endpoint, endpoint.limit + 1.0)
    elif endpoint.successes < 8:
        _set(endpoint, 0.5 * endpoint.limit)
    endpoint.successes = endpoint.errors = 0


def count_for_aimd_simple(endpoint: Endpoint, *, ok: bool) -> None:
    """10 successes: one more; 2 errors in a row: 70 %."""
    if ok:
        endpoint.errors = 0
        endpoint.successes += 1
        if endpoint.successes == 10:
            endpoint.successes = 0
            _set(endpoint, endpoint.limit + 1.0)
        return
    endpoint.errors += 1
    if endpoint.errors == 2:
        endpoint.successes = endpoint.errors = 0
        _set(endpoint, 0.7 * endpoint.limit)


def _set(endpoint: Endpoint, limit: float) -> None:
    endpoint.limit = clamp(endpoint, limit)
