"""Every role and every route: who is answered, who is refused, also with a key for another queue."""

import pytest
from httpx2 import AsyncClient

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.model.access_key import AccessRole
from tests.api.conftest import MakeKey

READERS = frozenset({"viewer", "operator", "admin"})
PRODUCERS = frozenset({"producer", "worker", "operator", "admin"})
BODIES: dict[str, dict[str, str]] = {
    "/api/v1/jobs": {"task": "send", "queue": "mail"},
    "/api/v1/jobs/bulk": {"task": "send", "queue": "mail"},
    "/api/v1/events": {"eventName": "send", "queue": "mail"},
}
# Written by hand. Method and path; the roles that may call it, None: everybody without a key; whether a key
# for another queue may call it.
RIGHTS: dict[tuple[str, str], tuple[frozenset[str] | None, bool]] = {
    ("POST", "/api/v1/jobs"): (PRODUCERS, False),
    ("POST", "/api/v1/events"): (PRODUCERS, False),
    ("POST", "/api/v1/jobs/bulk"): (PRODUCERS, False),
    ("GET", "/livez"): (None, True),
    ("GET", "/readyz"): (None, True),
    ("GET", "/metrics"): (READERS, False),
    ("GET", "/api/v1/health"): (READERS, False),
}


async def test_every_route_has_a_line_in_the_table(app: Holdfast) -> None:
    documented = api_app(app).openapi()["paths"]
    found = {(method.upper(), path) for path, methods in documented.items() for method in methods}
    assert found == RIGHTS.keys()


@pytest.mark.parametrize("role", [str(role) for role in AccessRole])
async def test_each_role_may_call_its_own_routes_and_no_other(
    http: AsyncClient, make_key: MakeKey, role: str
) -> None:
    unlimited, limited = await make_key(role), await make_key(role, queues=["other"])
    for (method, path), (roles, scoped) in RIGHTS.items():
        may = roles is None or role in roles
        for key, allowed in ((unlimited, may), (limited, may and scoped)):
            answered = await http.request(method, path, headers=key, json=BODIES.get(path))
            done = 201 if path in BODIES else 200
            assert answered.status_code == (done if allowed else 403), (method, path, answered.text)
            if not allowed:
                assert answered.json()["code"] == "access_denied"


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer hfk_wrong", "Basic x", f"Bearer {'x' * 5000}"]
)
async def test_who_has_no_valid_key_is_refused(http: AsyncClient, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    for (method, path), (roles, _) in RIGHTS.items():
        answered = await http.request(method, path, headers=headers, json=BODIES.get(path))
        assert answered.status_code == (200 if roles is None else 401)
        if roles is not None:
            assert answered.json()["code"] == "not_authenticated"
            assert answered.headers["WWW-Authenticate"] == "Bearer"


async def test_a_revoked_key_is_refused_at_once(http: AsyncClient, app: Holdfast, make_key: MakeKey) -> None:
    key = await make_key("viewer")
    assert (await http.get("/metrics", headers=key)).status_code == 200
    await app.keys.revoke("viewer")
    assert (await http.get("/metrics", headers=key)).status_code == 401
