"""How the tables of rights are written: the roles of a route, and its status with each key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from httpx2 import Response

READERS = frozenset({"viewer", "operator", "admin"})
PRODUCERS = frozenset({"producer", "worker", "operator", "admin"})
EVERYBODY = PRODUCERS | READERS
WORKERS = frozenset({"worker", "admin"})
OPERATORS = frozenset({"operator", "admin"})
ADMIN = frozenset({"admin"})
NO_KEY_NEEDED = None
# What a key with a scope must never reach, whatever a line of a table says.
INSTALLATION = ("/metrics", "/api/v1/health", "/api/v1/keys", "/api/v1/audit")
INSTALLATION_READS = ("/api/v1/workers", "/api/v1/endpoints")


@dataclass(frozen=True)
class Route:
    """The statuses of one route.

    `roles`: who may call it; all others get 403. `done`: with a key for everything; `inside`: with one whose
    scope has what the call names, if it differs; `elsewhere`: with one for another queue.
    """

    roles: frozenset[str] | None
    elsewhere: int
    done: int = 200
    inside: int | None = None
    body: Any = None
    query: Mapping[str, str] | None = None
    job: str | None = None  # the state of the job that it names

    def check(self, answered: Response, role: str, scope: str | None) -> None:
        """`scope` of the key: inside, elsewhere, or None."""
        statuses = {None: self.done, "inside": self.inside or self.done, "elsewhere": self.elsewhere}
        expected = statuses[scope] if self.roles is None or role in self.roles else 403
        what = (role, scope, answered.request.method, answered.request.url.path)
        assert answered.status_code == expected, (*what, answered.text)
        code = {403: "access_denied", 404: "not_found"}.get(expected)
        assert code is None or answered.json()["code"] == code, (*what, answered.text)


def whole(roles: frozenset[str], done: int = 200, body: Any = None) -> Route:
    """What belongs to the installation: a key with a scope is refused."""
    return Route(roles, 403, done, 403, body)


def check_installation(table: Mapping[tuple[str, str], Route]) -> None:
    for (method, path), route in table.items():
        if path.startswith(INSTALLATION) or (method == "GET" and path.startswith(INSTALLATION_READS)):
            assert (route.inside, route.elsewhere) == (403, 403), (method, path)
