"""Every role and every route: who is answered, who is refused, also with a key for another queue."""

import pytest
from httpx2 import AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.model.access_key import AccessRole
from tests.api.conftest import Headers, MakeKey
from tests.builders import completed_job

READERS = frozenset({"viewer", "operator", "admin"})
PRODUCERS = frozenset({"producer", "worker", "operator", "admin"})
EVERYBODY = PRODUCERS | READERS
JOB = "/api/v1/jobs/{job_id}"
BODIES: dict[str, dict[str, str]] = {
    "/api/v1/jobs": {"task": "send", "queue": "mail"},
    "/api/v1/jobs/bulk": {"task": "send", "queue": "mail"},
    "/api/v1/events": {"eventName": "send", "queue": "mail"},
}
# Written by hand. Method and path; the roles that may call it, None: everybody without a key; the status for
# such a role with a key for another queue than the one of the call.
RIGHTS: dict[tuple[str, str], tuple[frozenset[str] | None, int]] = {
    ("POST", "/api/v1/jobs"): (PRODUCERS, 403),
    ("POST", "/api/v1/events"): (PRODUCERS, 403),
    ("POST", "/api/v1/jobs/bulk"): (PRODUCERS, 403),
    ("GET", "/api/v1/jobs"): (READERS, 403),
    ("GET", JOB): (READERS, 404),
    ("GET", f"{JOB}/state"): (EVERYBODY, 404),
    ("GET", f"{JOB}/result"): (READERS, 404),
    ("GET", f"{JOB}/explain"): (READERS, 404),
    ("GET", f"{JOB}/timeline"): (READERS, 404),
    ("GET", "/livez"): (None, 200),
    ("GET", "/readyz"): (None, 200),
    ("GET", "/metrics"): (READERS, 403),
    ("GET", "/api/v1/health"): (READERS, 403),
}


@pytest.fixture
async def job(app: Holdfast) -> str:
    """One that has ended, in the queue mail."""
    async with app.database.transaction() as conn:
        return str((await completed_job(conn, queue="mail")).id)


async def call(http: AsyncClient, method: str, path: str, job: str, headers: Headers) -> Response:
    body = BODIES.get(path) if method == "POST" else None
    return await http.request(method, path.replace("{job_id}", job), headers=headers, json=body)


async def test_every_route_has_a_line_in_the_table(app: Holdfast) -> None:
    documented = api_app(app).openapi()["paths"]
    found = {(method.upper(), path) for path, methods in documented.items() for method in methods}
    assert found == RIGHTS.keys()


@pytest.mark.parametrize("role", [str(role) for role in AccessRole])
async def test_each_role_may_call_its_own_routes_and_no_other(
    http: AsyncClient, make_key: MakeKey, job: str, role: str
) -> None:
    unlimited, limited = await make_key(role), await make_key(role, queues=["other"])
    for (method, path), (roles, elsewhere) in RIGHTS.items():
        done = 201 if method == "POST" else 200
        allowed = roles is None or role in roles
        for key, status in ((unlimited, done if allowed else 403), (limited, elsewhere if allowed else 403)):
            answered = await call(http, method, path, job, key)
            assert answered.status_code == status, (method, path, answered.text)
            if status == 403:
                assert answered.json()["code"] == "access_denied"


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer hfk_wrong", "Basic x", f"Bearer {'x' * 5000}"]
)
async def test_who_has_no_valid_key_is_refused(http: AsyncClient, job: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    for (method, path), (roles, _) in RIGHTS.items():
        answered = await call(http, method, path, job, headers)
        assert answered.status_code == (200 if roles is None else 401)
        if roles is not None:
            assert answered.json()["code"] == "not_authenticated"
            assert answered.headers["WWW-Authenticate"] == "Bearer"


async def test_a_revoked_key_is_refused_at_once(http: AsyncClient, app: Holdfast, make_key: MakeKey) -> None:
    key = await make_key("viewer")
    assert (await http.get("/metrics", headers=key)).status_code == 200
    await app.keys.revoke("viewer")
    assert (await http.get("/metrics", headers=key)).status_code == 401
