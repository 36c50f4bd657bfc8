"""Latency: how much slower calls are than without load, as y = ln(seconds per unit)."""

import math

from tests.flow.endpoint import Call, Endpoint


def measure(endpoint: Endpoint, call: Call, now: float, units: float | None) -> float | None:
    """Takes one success into the means and returns its y.

    An endpoint is measured by units as soon as a success has units or an estimate; until then in plain
    seconds, with more tolerance and a longer mean. A call without either says nothing about an endpoint that
    is measured by units.
    """
    known = call.estimate if units is None else units
    if known is None and endpoint.by_units:
        return None
    if endpoint.by_units is None or (known is not None and not endpoint.by_units):
        _start_over(endpoint, by_units=known is not None)
    seconds = max(0.05, now - call.started_at)
    y = math.log(seconds) if known is None else math.log(seconds / (known + 100.0))
    _take(endpoint, y)
    return y


def _start_over(endpoint: Endpoint, *, by_units: bool) -> None:
    endpoint.by_units = by_units
    endpoint.tolerance = 1.2 if by_units else 1.5
    endpoint.samples = 0
    endpoint.recent = None
    endpoint.base = None


def _take(endpoint: Endpoint, y: float) -> None:
    endpoint.samples += 1
    if endpoint.recent is None or endpoint.base is None:
        endpoint.recent = endpoint.base = y
        return
    span = max(8.0 if endpoint.by_units else 24.0, endpoint.limit)
    endpoint.recent += (y - endpoint.recent) * max(2.0 / (span + 1.0), 1.0 / endpoint.samples)
    if endpoint.samples <= 5 or endpoint.recent < endpoint.base:
        endpoint.base = endpoint.recent
    else:
        endpoint.base += 0.0003 * (endpoint.recent - endpoint.base)


def slowdown(endpoint: Endpoint, call: Call) -> float:
    """1 for a call from before the last cut: its slowness has been answered already."""
    if call.started_at < endpoint.last_cut or endpoint.recent is None or endpoint.base is None:
        return 1.0
    return math.exp(endpoint.recent - endpoint.base)
