"""The routes for people: every role and every route, a key for another queue, and the examples."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from httpx2 import AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.builders import a_sealed_run, a_worker, dead_job, ready_job
from tests.stage_builders import a_pipeline

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
# What the names in a path stand for, by the noun that the path begins with.
NAMES = {
    "queues": "mail",
    "endpoints": "llama",
    "pipelines": "line",
    "rules": "large",
    "schedules": "nightly",
    "flags": "rescue",
    "rollouts": "new-queue",
    "reported-metrics": "load",
}


async def a_scene(app: Holdfast) -> dict[str, str]:
    """One of everything, in the queue mail where it has one; by the names in the paths."""
    async with app.database.transaction() as conn:
        dead = (await dead_job(conn, queue="mail")).id
        await ready_job(conn, queue="mail")
        run, _ = await a_sealed_run(conn)
        worker = await a_worker(conn, ["mail"])
        await a_pipeline(conn)
    await app.settings.set_endpoint("llama", max=4)
    await app.settings.set_queue("bulk", priority=10)
    await app.settings.set_rebalance("mail", "bulk")
    await app.settings.set_queue("other", priority=50)
    await app.rules.set_rule("task", "send", "large", condition="$.size > 1", points=5)
    await app.schedules.add("nightly", task="send", cron="0 3 * * *")
    await app.settings.set_rollout("new-queue", "10%")
    await app.metrics.report("load", 0.25)
    event = (await app.audit.find(1))[0]
    ids = {"job_id": dead, "run_id": run, "worker_id": worker, "number": event.id}
    names = {"source": "mail", "target": "bulk", "kind": "task", "owner": "send"}
    return {**names, **{name: str(value) for name, value in ids.items()}}


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


async def test_answers_have_the_fields_of_their_examples(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    scene = await a_scene(app)
    key = await make_key("admin")
    paths = api_app(app).openapi()["paths"]
    for method, path in PEOPLE:
        answered = await call(http, scene, method, path, key)
        (example,) = (
            answer["content"]["application/json"]["example"]
            for status, answer in paths[path][method.lower()]["responses"].items()
            if status in ("200", "201")
        )
        if answered.status_code < 300:
            assert answered.json().keys() == example.keys(), (method, path)
            for name, shown in example.items():
                found = answered.json()[name]
                if shown and found and isinstance(shown, list) and isinstance(shown[0], dict):
                    assert found[0].keys() == shown[0].keys(), (method, path, name)


async def test_who_has_no_key_is_refused_by_the_routes_for_people(http: AsyncClient, app: Holdfast) -> None:
    scene = await a_scene(app)
    for method, path in PEOPLE:
        assert (await call(http, scene, method, path, {})).status_code == 401, (method, path)
