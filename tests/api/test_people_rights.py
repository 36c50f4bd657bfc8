"""The routes for people: every role and every route, and a key for another queue."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from httpx2 import AsyncClient, Response

from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.api.scene import NAMES, a_scene

READERS = frozenset({"viewer", "operator", "admin"})
OPERATORS = frozenset({"operator", "admin"})
REPORTERS = frozenset({"producer", "worker", "operator", "admin"})
EVERYBODY = READERS | REPORTERS
WHY = {"reason": "a test"}
SETTINGS: dict[str, Any] = {"settings": {}}


class Right(NamedTuple):
    """Who may call a route; the status for such a role with a key for another queue; a body for it."""

    roles: frozenset[str]
    elsewhere: int = 403
    body: Mapping[str, Any] | None = None


# Written by hand. Names in braces are those of the scene.
PEOPLE: dict[tuple[str, str], Right] = {
    ("POST", "/api/v1/jobs/{job_id}/cancel"): Right(OPERATORS, 404, {}),
    ("POST", "/api/v1/jobs/{job_id}/replay"): Right(OPERATORS, 404, {}),
    ("POST", "/api/v1/jobs/{job_id}/reclaim"): Right(OPERATORS, 404, WHY),
    ("POST", "/api/v1/jobs/{job_id}/priority"): Right(OPERATORS, 404, {"priority": 5, **WHY}),
    ("POST", "/api/v1/jobs/{job_id}/replace"): Right(OPERATORS, 404, {"payload": {}}),
    ("POST", "/api/v1/jobs/cancel"): Right(OPERATORS, 404, {"jobs": ["{job_id}"]}),
    ("POST", "/api/v1/jobs/replay"): Right(OPERATORS, 404, {"jobs": ["{job_id}"]}),
    ("POST", "/api/v1/jobs/reclaim"): Right(OPERATORS, 404, {"jobs": ["{job_id}"], **WHY}),
    ("POST", "/api/v1/jobs/priority"): Right(OPERATORS, 404, {"jobs": ["{job_id}"], "priority": 5, **WHY}),
    ("POST", "/api/v1/jobs/signals"): Right(OPERATORS, 404, {"jobs": ["{job_id}"], "name": "go"}),
    ("GET", "/api/v1/dead"): Right(READERS),
    ("GET", "/api/v1/dead/groups"): Right(READERS),
    ("GET", "/api/v1/dead/{job_id}"): Right(READERS, 404),
    ("POST", "/api/v1/dead/triage"): Right(OPERATORS, 404, {"jobs": ["{job_id}"], "status": "open"}),
    ("POST", "/api/v1/dead/replay"): Right(OPERATORS, 404, {"jobs": ["{job_id}"]}),
    ("GET", "/api/v1/runs"): Right(READERS),
    ("POST", "/api/v1/runs/{run_id}/cancel"): Right(OPERATORS, 404, {}),
    ("POST", "/api/v1/runs/{run_id}/replay"): Right(OPERATORS, 404, {}),
    ("GET", "/api/v1/queues"): Right(READERS, 200),
    ("GET", "/api/v1/queues/{name}"): Right(READERS),
    ("PATCH", "/api/v1/queues/{name}"): Right(OPERATORS, 403, SETTINGS),
    ("GET", "/api/v1/queues/{name}/depth"): Right(READERS),
    ("GET", "/api/v1/queues/{name}/workers"): Right(READERS),
    ("POST", "/api/v1/queues/{name}/pause"): Right(OPERATORS, 403, {}),
    ("POST", "/api/v1/queues/{name}/resume"): Right(OPERATORS, 403, {}),
    ("POST", "/api/v1/queues/{name}/move"): Right(OPERATORS, 403, {"to": "bulk", **WHY}),
    ("POST", "/api/v1/queues/pause"): Right(OPERATORS, 403, {}),
    ("POST", "/api/v1/queues/resume"): Right(OPERATORS, 403, {}),
    ("GET", "/api/v1/rebalance"): Right(READERS),
    ("POST", "/api/v1/rebalance"): Right(OPERATORS, 403, {"dry_run": True}),
    ("PATCH", "/api/v1/rebalance/{source}/{target}"): Right(OPERATORS, 403, {"settings": {"ratio": 4}}),
    ("GET", "/api/v1/endpoints"): Right(READERS),
    ("GET", "/api/v1/endpoints/{name}"): Right(READERS),
    ("GET", "/api/v1/endpoints/{name}/history"): Right(READERS),
    ("PATCH", "/api/v1/endpoints/{name}"): Right(OPERATORS, 403, {"settings": {"max": 9}}),
    ("POST", "/api/v1/endpoints/{name}/open"): Right(OPERATORS, 403, {}),
    ("POST", "/api/v1/endpoints/{name}/close"): Right(OPERATORS, 403, {}),
    ("GET", "/api/v1/workers"): Right(READERS),
    ("GET", "/api/v1/workers/left"): Right(READERS),
    ("GET", "/api/v1/workers/{worker_id}"): Right(READERS),
    ("POST", "/api/v1/workers/drain"): Right(OPERATORS, 403, {"workers": ["{worker_id}"], **WHY}),
    ("GET", "/api/v1/pipelines"): Right(READERS),
    ("GET", "/api/v1/pipelines/{name}"): Right(READERS),
    ("GET", "/api/v1/pipelines/{name}/stats"): Right(READERS),
    ("GET", "/api/v1/rules"): Right(READERS),
    ("POST", "/api/v1/rules"): Right(
        OPERATORS,
        403,
        {"kind": "task", "owner": "send", "name": "all", "settings": {"condition": "1 == 1", "points": 1}},
    ),
    ("POST", "/api/v1/rules/test"): Right(READERS, 403, {"task": "send"}),
    ("POST", "/api/v1/rules/import"): Right(
        OPERATORS, 403, {"kind": "task", "owner": "send", "preset": "repo-capture"}
    ),
    ("PATCH", "/api/v1/rules/{kind}/{owner}"): Right(OPERATORS, 403, {"settings": {"base": 10}}),
    ("PATCH", "/api/v1/rules/{kind}/{owner}/{name}"): Right(OPERATORS, 403, {"settings": {"points": 2}}),
    ("GET", "/api/v1/schedules"): Right(READERS),
    ("POST", "/api/v1/schedules"): Right(
        OPERATORS, 403, {"name": "hourly", "settings": {"task": "send", "every": "1h"}}
    ),
    ("GET", "/api/v1/schedules/{name}"): Right(READERS),
    ("PATCH", "/api/v1/schedules/{name}"): Right(OPERATORS, 403, {"settings": {"every": 7200}}),
    ("POST", "/api/v1/schedules/{name}/pause"): Right(OPERATORS, 403, {}),
    ("POST", "/api/v1/schedules/{name}/resume"): Right(OPERATORS, 403, {}),
    ("POST", "/api/v1/schedules/{name}/run"): Right(OPERATORS, 403, {}),
    ("GET", "/api/v1/flags"): Right(READERS),
    ("PATCH", "/api/v1/flags/{name}"): Right(OPERATORS, 403, {"value": "off"}),
    ("GET", "/api/v1/rollouts"): Right(READERS),
    ("GET", "/api/v1/rollouts/{name}"): Right(EVERYBODY, 200),
    ("PATCH", "/api/v1/rollouts/{name}"): Right(OPERATORS, 403, {"share": "20%"}),
    ("GET", "/api/v1/audit"): Right(READERS),
    ("GET", "/api/v1/audit/verify"): Right(READERS),
    ("GET", "/api/v1/audit/{number}"): Right(READERS),
    ("GET", "/api/v1/stats"): Right(READERS),
    ("GET", "/api/v1/stats/calls"): Right(READERS),
    ("GET", "/api/v1/stats/parts"): Right(READERS),
    ("GET", "/api/v1/errors"): Right(READERS),
    ("GET", "/api/v1/report"): Right(READERS),
    ("GET", "/api/v1/reported-metrics"): Right(READERS),
    ("POST", "/api/v1/reported-metrics"): Right(REPORTERS, 403, {"name": "load", "value": 0.5}),
    ("GET", "/api/v1/reported-metrics/{name}"): Right(READERS),
    # Last, because the others need what they remove.
    ("DELETE", "/api/v1/rebalance/{source}/{target}"): Right(OPERATORS),
    ("DELETE", "/api/v1/rules/{kind}/{owner}/{name}"): Right(OPERATORS),
    ("DELETE", "/api/v1/schedules/{name}"): Right(OPERATORS),
}


async def call(
    http: AsyncClient, scene: Mapping[str, str], method: str, path: str, headers: Headers
) -> Response:
    noun = path.split("/")[3]
    known = {"name": NAMES.get(noun, ""), **scene}
    body = PEOPLE[method, path].body
    sent = body if body is None or "{" not in str(body) else _filled(body, scene)
    query = {"key": "17"} if path.endswith("/rollouts/{name}") and method == "GET" else {}
    return await http.request(method, path.format(**known), headers=headers, json=sent, params=query)


def _filled(body: Mapping[str, Any], scene: Mapping[str, str]) -> dict[str, Any]:
    def fill(value: Any) -> Any:
        return [one.format(**scene) for one in value] if isinstance(value, list) else value

    return {name: fill(value) for name, value in body.items()}


@pytest.mark.slow
async def test_each_role_may_call_its_own_routes_for_people_and_no_other(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    scene = await a_scene(app)
    for role in sorted(EVERYBODY):
        unlimited, limited = await make_key(role), await make_key(role, queues=["other"])
        for (method, path), right in PEOPLE.items():
            own = await call(http, scene, method, path, unlimited)
            other = await call(http, scene, method, path, limited)
            if role not in right.roles:
                assert (own.status_code, other.status_code) == (403, 403), (role, method, path)
                continue
            assert other.status_code == right.elsewhere, (role, method, path, other.text)
            # The scene's job has ended; and what the admin has removed, the other roles find gone.
            gone = () if role == "admin" else (404,)
            assert own.status_code in (200, 201, 409, *gone), (role, method, path, own.text)


async def test_who_has_no_key_is_refused_by_the_routes_for_people(http: AsyncClient, app: Holdfast) -> None:
    scene = await a_scene(app)
    for method, path in PEOPLE:
        assert (await call(http, scene, method, path, {})).status_code == 401, (method, path)
