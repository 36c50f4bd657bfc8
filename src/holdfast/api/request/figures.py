"""Metrics of this server since it started: requests by route and status, and the time that they took."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from starlette.types import Scope

from holdfast.telemetry.prometheus_text import Family, Kind, Sample

NO_ROUTE = {"method": "", "route": "(none)"}


class Figures:
    def __init__(self) -> None:
        self.open = 0
        self._statuses: Counter[tuple[str, str, int]] = Counter()
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """`status` is 0 if the client left before the answer began."""
        route = _route_of(scope)
        self._statuses[route["method"], route["route"], status] += 1
        self._seconds[route["method"], route["route"]] += seconds

    def families(self) -> list[Family]:
        requests = [
            Sample(number, {"method": method, "route": route, "status": str(status)})
            for (method, route, status), number in sorted(self._statuses.items())
        ]
        seconds = [
            Sample(taken, {"method": method, "route": route})
            for (method, route), taken in sorted(self._seconds.items())
        ]
        return [
            Family(
                "holdfast_api_requests_total", "Requests that this server answered.", Kind.COUNTER, requests
            ),
            Family(
                "holdfast_api_request_seconds_total",
                "Time from the first byte of these requests to the last byte of their answers.",
                Kind.COUNTER,
                seconds,
            ),
            Family(
                "holdfast_api_requests_open",
                "Requests that this server is answering now, with long polls and streams.",
                Kind.GAUGE,
                [Sample(self.open)],
            ),
        ]


def _route_of(scope: Scope) -> Mapping[str, str]:
    """Only routes that exist: callers must not be able to make up series."""
    path = getattr(scope.get("route"), "path", None)
    return NO_ROUTE if path is None else {"method": scope["method"], "route": path}
