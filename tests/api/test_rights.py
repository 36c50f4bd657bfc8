"""Every role and every route: who is answered, who is refused, also with a key for another queue."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from httpx2 import AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.model.access_key import AccessRole
from tests.api.conftest import Headers, MakeKey
from tests.api.rights import (
    ADMIN,
    EVERYBODY,
    NO_KEY_NEEDED,
    OPERATORS,
    PRODUCERS,
    READERS,
    WORKERS,
    Route,
    check_installation,
    whole,
)
from tests.api.test_people_rights import PEOPLE
from tests.builders import completed_job
from tests.sql.actions import asked_action

# Written by hand, in the order of the calls. Paths are those of the OpenAPI document; `things` fills them.
JOB, RUN, KEYS = "/api/v1/jobs/{job_id}", "/api/v1/runs/{run_id}", "/api/v1/keys"
WORKER, TOKEN = "/api/v1/workers", str(uuid4())
ACTIONS = "/api/v1/actions"
MAIL = {"task": "send", "queue": "mail"}
# The routes of a job in the hands of a worker: the token is not its own.
HELD: dict[str, dict[str, Any]] = {
    "complete": {},
    "fail": {"error": "no"},
    "snooze": {"delay": 1},
    "release": {},
    "reject": {"reason": "no"},
    "checkpoint": {"name": "x", "value": 1},
    "progress": {"done": 1},
    "wait": {"signal": "go"},
    "children": {"name": "x", "jobs": [{"task": "send"}]},
}
ROUTES: dict[tuple[str, str], Route] = {
    ("POST", "/api/v1/jobs"): Route(PRODUCERS, 403, 201, body=MAIL),
    ("POST", "/api/v1/events"): Route(PRODUCERS, 403, 201, body={"eventName": "send", "queue": "mail"}),
    ("POST", "/api/v1/jobs/bulk"): Route(PRODUCERS, 403, 201, body=MAIL),
    ("POST", "/api/v1/runs"): Route(PRODUCERS, 403, 201, body={"name": "news", "jobs": [MAIL]}),
    ("GET", RUN): Route(EVERYBODY, 404),
    ("POST", f"{RUN}/jobs"): Route(PRODUCERS, 404, 201, body={"jobs": [MAIL]}),
    ("POST", f"{RUN}/jobs/bulk"): Route(PRODUCERS, 404, 201, body=MAIL),
    ("POST", f"{RUN}/seal"): Route(PRODUCERS, 404),
    ("GET", "/api/v1/jobs"): Route(READERS, 403, inside=403),
    ("GET", JOB): Route(READERS, 404),
    ("GET", f"{JOB}/state"): Route(EVERYBODY, 404),
    ("GET", f"{JOB}/result"): Route(READERS, 404),
    ("GET", f"{JOB}/explain"): Route(READERS, 404),
    ("GET", f"{JOB}/timeline"): Route(READERS, 404),
    **{
        ("POST", f"{JOB}/{end}"): Route(WORKERS, 404, 409, body={"token": TOKEN, **body})
        for end, body in HELD.items()
    },
    ("POST", f"{JOB}/signals"): Route(PRODUCERS, 404, body={"name": "go"}),
    ("POST", WORKER): Route(WORKERS, 403, 201, body={"queues": ["mail"]}),
    ("POST", f"{WORKER}/{{worker_id}}/claim"): Route(WORKERS, 404, 404),
    ("POST", f"{WORKER}/{{worker_id}}/renew"): Route(WORKERS, 404, 404),
    ("POST", f"{WORKER}/{{worker_id}}/stop"): Route(WORKERS, 404, 404),
    ("POST", "/api/v1/work"): Route(WORKERS, 409, 409),
    ("GET", "/api/v1/live"): Route(READERS, 200),  # an overview of the key's own queues
    ("POST", ACTIONS): Route(
        OPERATORS, 403, 202, body={"action": "cancel", "filter": {"queue": "mail"}, "reason": "why"}
    ),
    ("GET", f"{ACTIONS}/{{action_id}}"): Route(READERS, 404, inside=404),
    ("POST", f"{ACTIONS}/{{action_id}}/cancel"): Route(OPERATORS, 404, inside=404),
    ("DELETE", f"{ACTIONS}/{{action_id}}"): Route(OPERATORS, 404, inside=404),
    ("GET", f"{JOB}/logs"): Route(READERS, 404),
    ("GET", "/livez"): Route(NO_KEY_NEEDED, 200),
    ("GET", "/readyz"): Route(NO_KEY_NEEDED, 200),
    ("GET", "/metrics"): whole(READERS),
    ("GET", "/api/v1/health"): whole(READERS),
    ("GET", KEYS): whole(ADMIN),
    ("POST", KEYS): whole(ADMIN, 201, {"name": "made", "role": "viewer"}),
    ("POST", f"{KEYS}/{{name}}/rotate"): whole(ADMIN),
    ("POST", f"{KEYS}/{{name}}/revoke"): whole(ADMIN),
}


@pytest.fixture
async def things(app: Holdfast) -> dict[str, str]:
    """What the paths name: an ended job and an open run, both of the queue mail, an access key, an
    action, and a worker that does not exist.
    """
    await app.keys.create("spare", "viewer")
    async with app.database.transaction() as conn:
        job = (await completed_job(conn, queue="mail")).id
        run = await conn.fetchval(
            "select holdfast.start_run('news', jsonb_build_object("
            " 'scope', holdfast.access_scope(array['mail'], null)))"
        )
        action = await asked_action(conn)
    names = {"name": "spare", "worker_id": TOKEN, "action_id": str(action)}
    return {"job_id": str(job), "run_id": str(run), **names}


async def call(
    http: AsyncClient, method: str, path: str, things: dict[str, str], headers: Headers
) -> Response:
    body = ROUTES[method, path].body
    once = {"once": "true"} if path.endswith("/live") else None  # else it would not end
    return await http.request(method, path.format(**things), headers=headers, json=body, params=once)


def test_every_route_has_a_line_in_the_table(app: Holdfast) -> None:
    documented = api_app(app).openapi()["paths"]
    found = {(method.upper(), path) for path, methods in documented.items() for method in methods}
    assert found == ROUTES.keys() | PEOPLE.keys()


@pytest.mark.parametrize("table", [ROUTES, PEOPLE])
def test_what_belongs_to_the_installation_needs_a_key_without_a_scope(
    table: Mapping[tuple[str, str], Route],
) -> None:
    check_installation(table)


@pytest.mark.parametrize("role", [str(role) for role in AccessRole])
async def test_each_role_may_call_its_own_routes_and_no_other(
    http: AsyncClient, make_key: MakeKey, things: dict[str, str], role: str
) -> None:
    keys = {
        None: await make_key(role),
        "inside": await make_key(role, queues=["mail"]),
        "elsewhere": await make_key(role, queues=["other"]),
    }
    for (method, path), route in ROUTES.items():
        for scope, key in keys.items():
            route.check(await call(http, method, path, things, key), role, scope)


async def test_who_has_no_valid_key_is_refused(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, things: dict[str, str]
) -> None:
    """Without one, with one that is wrong or too long, with an expired and with a revoked one."""
    expired, revoked = await make_key("operator"), await make_key("admin")
    await app.keys.revoke("admin")
    async with app.database.transaction() as conn:
        await conn.execute(
            "update holdfast.access_keys set expires_at = holdfast.now() where name = 'operator'"
        )
    given = (None, "", "Bearer", "Bearer ", "Bearer hfk_wrong", "Basic x", f"Bearer {'x' * 5000}")
    headers = [{} if one is None else {"Authorization": one} for one in given]
    for (method, path), route in ROUTES.items():
        for one in (*headers, expired, revoked):
            answered = await call(http, method, path, things, one)
            assert answered.status_code == (200 if route.roles is None else 401), (method, path)
            if route.roles is not None:
                assert answered.json()["code"] == "not_authenticated"
                assert answered.headers["WWW-Authenticate"] == "Bearer"


async def test_a_revoked_key_is_refused_at_once(http: AsyncClient, app: Holdfast, make_key: MakeKey) -> None:
    key = await make_key("viewer")
    assert (await http.get("/metrics", headers=key)).status_code == 200
    await app.keys.revoke("viewer")
    assert (await http.get("/metrics", headers=key)).status_code == 401
