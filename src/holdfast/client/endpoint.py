"""The settings of endpoints; only those that are given are sent."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption


class Breaker(TypedDict, total=False):
    """When the circuit opens, and for how long."""

    failures: int  # in a row …
    quiet: Duration  # … and no success for this long
    open: Duration  # at first
    open_max: Duration  # at most, after failed probes


class EndpointSettings(TypedDict, total=False):
    """The settings of an endpoint."""

    preset: Literal["dev", "prod"]
    mode: Literal["flow", "fixed", "aimd", "aimd_simple"]
    min: int
    max: int
    start: int
    requests_per_minute: int | None
    units_per_minute: float | None
    static_rate: float | None  # units per second
    budget: str | float | None  # per day: 20, or "20 USD/day"
    price: float  # of a unit, in the budget's money
    estimate: float | None  # units of a call, unless the job sets its own
    shares: Mapping[str, float]
    breaker: Breaker
    fallback: str | None  # takes its calls while its circuit is open or it is blocked
    pause: Duration  # no calls for this long after a `system` error


_BUDGET = re.compile(r"[€$£]?\s*(\d+(?:\.\d+)?)\s*(?:[A-Za-z]{3}|[€$£])?\s*(?:/|per|a)\s*day", re.IGNORECASE)
BREAKER_KEYS = {
    "failures": "trip_failures",
    "quiet": "trip_quiet",
    "open": "open_first",
    "open_max": "open_max",
}


def endpoint_wire(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in the form of declare_endpoint."""
    _check_known(f"The endpoint {name}", settings, EndpointSettings.__annotations__)
    wire = {
        key: value for key, value in settings.items() if key not in ("budget", "breaker", "shares", "pause")
    }
    if "budget" in settings:
        wire["budget_per_day"] = _money_per_day(settings["budget"])
    if "shares" in settings:
        wire["shares"] = dict(settings["shares"])
    if "pause" in settings:
        wire["pause"] = parse_duration(settings["pause"]).total_seconds()
    breaker = settings.get("breaker", {})
    _check_known(f"The breaker of {name}", breaker, Breaker.__annotations__)
    for key, value in breaker.items():
        wire[BREAKER_KEYS[key]] = value if key == "failures" else parse_duration(value).total_seconds()
    return wire


def _check_known(whose: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    unknown = given.keys() - known.keys()
    if unknown:
        raise InvalidOption(
            f"{whose} has no setting {', '.join(sorted(unknown))}.",
            f"the settings are {', '.join(known)}",
        )


def _money_per_day(budget: Any) -> float | None:
    if budget is None:
        return None
    found = _BUDGET.fullmatch(budget.strip()) if isinstance(budget, str) else None
    if found is not None:
        return float(found[1])
    if isinstance(budget, bool) or not isinstance(budget, int | float):
        raise InvalidOption(
            f"budget must be an amount of money (got {budget!r}).", 'write it as 20 or "20 USD/day"'
        )
    return float(budget)
