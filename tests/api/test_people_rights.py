"""The routes for people: every role and every route with keys of three scopes, and the examples."""

from collections.abc import Mapping
from typing import Any, Self
from uuid import UUID

import pytest
from httpx2 import AsyncClient, Response

from holdfast.client.app import Holdfast
from holdfast.db.connect import Connection
from holdfast.model.access_key import AccessRole
from tests.api.conftest import Headers, MakeKey
from tests.api.rights import EVERYBODY, OPERATORS, PRODUCERS, READERS, Route, whole
from tests.api.scene import NAMES
from tests.builders import a_worker, an_open_run, dead_job, ready_job, running_job
from tests.stage_builders import a_pipeline

WHY = {"reason": "a test"}
SETTINGS: dict[str, Any] = {"settings": {}}
JOBS = {"jobs": ["{job_id}"]}
MAIL = {"queue": "mail"}
SCOPES = {"inside": ["mail", "bulk"], "elsewhere": ["other"]}

# Written by hand, in the order of the calls. Names in braces are those of the scene.
PEOPLE: dict[tuple[str, str], Route] = {
    ("POST", "/api/v1/jobs/{job_id}/cancel"): Route(OPERATORS, 404, body={}, job="ready"),
    ("POST", "/api/v1/jobs/{job_id}/replay"): Route(OPERATORS, 404, body={}, job="dead"),
    ("POST", "/api/v1/jobs/{job_id}/reclaim"): Route(OPERATORS, 404, body=WHY, job="running"),
    ("POST", "/api/v1/jobs/{job_id}/priority"): Route(
        OPERATORS, 404, body={"priority": 5, **WHY}, job="ready"
    ),
    ("POST", "/api/v1/jobs/{job_id}/replace"): Route(OPERATORS, 404, 201, body={"payload": {}}, job="dead"),
    ("POST", "/api/v1/jobs/cancel"): Route(OPERATORS, 404, body=JOBS, job="ready"),
    ("POST", "/api/v1/jobs/replay"): Route(OPERATORS, 404, body=JOBS, job="dead"),
    ("POST", "/api/v1/jobs/reclaim"): Route(OPERATORS, 404, body={**JOBS, **WHY}, job="running"),
    ("POST", "/api/v1/jobs/priority"): Route(
        OPERATORS, 404, body={**JOBS, "priority": 5, **WHY}, job="ready"
    ),
    ("POST", "/api/v1/jobs/signals"): Route(OPERATORS, 404, body={**JOBS, "name": "go"}, job="ready"),
    ("GET", "/api/v1/dead"): Route(READERS, 403, query=MAIL),
    ("GET", "/api/v1/dead/groups"): Route(READERS, 403, query=MAIL),
    ("GET", "/api/v1/dead/{job_id}"): Route(READERS, 404, job="dead"),
    ("POST", "/api/v1/dead/triage"): Route(OPERATORS, 404, body={**JOBS, "status": "open"}, job="dead"),
    ("POST", "/api/v1/dead/replay"): Route(OPERATORS, 404, body=JOBS, job="dead"),
    ("GET", "/api/v1/runs"): whole(READERS),
    ("POST", "/api/v1/runs/{run_id}/cancel"): Route(OPERATORS, 404, body={}),
    ("POST", "/api/v1/runs/{run_id}/replay"): Route(OPERATORS, 404, body={}),
    ("GET", "/api/v1/queues"): Route(READERS, 200),  # each key sees its own
    ("GET", "/api/v1/queues/{name}"): Route(READERS, 403),
    ("PATCH", "/api/v1/queues/{name}"): Route(OPERATORS, 403, body=SETTINGS),
    ("GET", "/api/v1/queues/{name}/depth"): Route(READERS, 403),
    ("GET", "/api/v1/queues/{name}/workers"): Route(READERS, 403),
    ("POST", "/api/v1/queues/{name}/pause"): Route(OPERATORS, 403, body={}),
    ("POST", "/api/v1/queues/{name}/resume"): Route(OPERATORS, 403, body={}),
    ("POST", "/api/v1/queues/{name}/move"): Route(OPERATORS, 403, body={"to": "bulk", **WHY}),
    ("POST", "/api/v1/queues/pause"): whole(OPERATORS, body={}),
    ("POST", "/api/v1/queues/resume"): whole(OPERATORS, body={}),
    ("GET", "/api/v1/rebalance"): whole(READERS),
    ("POST", "/api/v1/rebalance"): whole(OPERATORS, body={"dry_run": True}),
    ("PATCH", "/api/v1/rebalance/{source}/{target}"): whole(OPERATORS, body={"settings": {"ratio": 4}}),
    ("GET", "/api/v1/endpoints"): whole(READERS),
    ("GET", "/api/v1/endpoints/{name}"): whole(READERS),
    ("GET", "/api/v1/endpoints/{name}/history"): whole(READERS),
    ("PATCH", "/api/v1/endpoints/{name}"): whole(OPERATORS, body={"settings": {"max": 9}}),
    ("POST", "/api/v1/endpoints/{name}/open"): whole(OPERATORS, body={}),
    ("POST", "/api/v1/endpoints/{name}/close"): whole(OPERATORS, body={}),
    ("GET", "/api/v1/workers"): whole(READERS),
    ("GET", "/api/v1/workers/left"): whole(READERS),
    ("GET", "/api/v1/workers/{worker_id}"): whole(READERS),
    ("POST", "/api/v1/workers/drain"): whole(OPERATORS, body={"workers": ["{worker_id}"], **WHY}),
    ("GET", "/api/v1/pipelines"): whole(READERS),
    ("GET", "/api/v1/pipelines/{name}"): whole(READERS),
    ("GET", "/api/v1/pipelines/{name}/stats"): whole(READERS),
    ("GET", "/api/v1/rules"): whole(READERS),
    ("POST", "/api/v1/rules"): whole(
        OPERATORS,
        201,
        {"kind": "task", "owner": "send", "name": "all", "settings": {"condition": "1 == 1", "points": 1}},
    ),
    ("POST", "/api/v1/rules/test"): whole(READERS, body={"task": "send"}),
    ("POST", "/api/v1/rules/import"): whole(
        OPERATORS, body={"kind": "task", "owner": "send", "preset": "repo-capture"}
    ),
    ("PATCH", "/api/v1/rules/{kind}/{owner}"): whole(OPERATORS, body={"settings": {"base": 10}}),
    ("PATCH", "/api/v1/rules/{kind}/{owner}/{name}"): whole(OPERATORS, body={"settings": {"points": 2}}),
    ("GET", "/api/v1/schedules"): whole(READERS),
    ("POST", "/api/v1/schedules"): whole(
        OPERATORS, 201, {"name": "hourly", "settings": {"task": "send", "every": "1h"}}
    ),
    ("GET", "/api/v1/schedules/{name}"): whole(READERS),
    ("PATCH", "/api/v1/schedules/{name}"): whole(OPERATORS, body={"settings": {"every": 7200}}),
    ("POST", "/api/v1/schedules/{name}/pause"): whole(OPERATORS, body={}),
    ("POST", "/api/v1/schedules/{name}/resume"): whole(OPERATORS, body={}),
    ("POST", "/api/v1/schedules/{name}/run"): whole(OPERATORS, 201, {}),
    ("GET", "/api/v1/flags"): whole(READERS),
    ("PATCH", "/api/v1/flags/{name}"): whole(OPERATORS, body={"value": "off"}),
    ("GET", "/api/v1/rollouts"): whole(READERS),
    ("GET", "/api/v1/rollouts/{name}"): Route(EVERYBODY, 200, query={"key": "17"}),
    ("PATCH", "/api/v1/rollouts/{name}"): whole(OPERATORS, body={"share": "20%"}),
    ("GET", "/api/v1/audit"): whole(READERS),
    ("GET", "/api/v1/audit/verify"): whole(READERS),
    ("GET", "/api/v1/audit/{number}"): whole(READERS),
    ("GET", "/api/v1/stats"): Route(READERS, 403, query=MAIL),
    ("GET", "/api/v1/stats/calls"): Route(READERS, 403, query=MAIL),
    ("GET", "/api/v1/stats/parts"): Route(READERS, 403, query=MAIL),
    ("GET", "/api/v1/errors"): Route(READERS, 403, query=MAIL),
    ("GET", "/api/v1/report"): whole(READERS),
    ("GET", "/api/v1/reported-metrics"): whole(READERS),
    ("POST", "/api/v1/reported-metrics"): whole(PRODUCERS, 201, {"name": "load", "value": 0.5}),
    ("GET", "/api/v1/reported-metrics/{name}"): whole(READERS),
    # Last, because the others need what they remove.
    ("DELETE", "/api/v1/rebalance/{source}/{target}"): whole(OPERATORS),
    ("DELETE", "/api/v1/rules/{kind}/{owner}/{name}"): whole(OPERATORS),
    ("DELETE", "/api/v1/schedules/{name}"): whole(OPERATORS),
}
# Those that a key for some queues may call only if it names one of them.
NAMED = [path for (_, path), route in PEOPLE.items() if route.query == MAIL]


class Scene:
    """One of everything, in the queue mail where it has one, and a job of its own for each route that names
    one.
    """

    def __init__(self, names: Mapping[str, str], jobs: Mapping[tuple[str, str], UUID]) -> None:
        self._names, self._jobs = names, jobs

    @classmethod
    async def make(cls, app: Holdfast) -> Self:
        async with app.database.transaction() as conn:
            jobs = await _jobs(conn)
            scope = await conn.fetchval("select holdfast.access_scope($1, null)", SCOPES["inside"])
            run = await an_open_run(conn, scope=scope)
            await ready_job(conn, queue="mail", run=run)
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
        ids = {"run_id": run, "worker_id": worker, "number": event.id}
        names = {"source": "mail", "target": "bulk", "kind": "task", "owner": "send"}
        return cls({**names, **{name: str(value) for name, value in ids.items()}}, jobs)

    async def call(self, http: AsyncClient, method: str, path: str, headers: Headers) -> Response:
        route = PEOPLE[method, path]
        known = {"name": NAMES.get(path.split("/")[3], ""), **self._names}
        if route.job is not None:
            known["job_id"] = str(self._jobs[method, path])
        return await http.request(
            method, path.format(**known), headers=headers, json=_filled(route.body, known), params=route.query
        )


async def _jobs(conn: Connection) -> dict[tuple[str, str], UUID]:
    """The ready ones last: a claim takes the oldest of the queue."""
    wanted = [(state, route) for route, right in PEOPLE.items() if (state := right.job) is not None]
    made = {route: (await dead_job(conn, queue="mail")).id for state, route in wanted if state == "dead"}
    made |= {
        route: (await running_job(conn, queue="mail")).id for state, route in wanted if state == "running"
    }
    return made | {route: await ready_job(conn, queue="mail") for state, route in wanted if state == "ready"}


def _filled(body: Any, names: Mapping[str, str]) -> Any:
    """Lists have names in braces."""
    if body is None:
        return None
    return {
        field: [one.format(**names) for one in value] if isinstance(value, list) else value
        for field, value in body.items()
    }


@pytest.mark.parametrize("scope", [None, *SCOPES])
@pytest.mark.parametrize("role", [str(role) for role in AccessRole])
async def test_each_role_may_call_its_own_routes_for_people_and_no_other(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, role: str, scope: str | None
) -> None:
    scene = await Scene.make(app)
    key = await make_key(role, queues=scope and SCOPES[scope])
    for (method, path), route in PEOPLE.items():
        route.check(await scene.call(http, method, path, key), role, scope)


async def test_a_key_with_a_scope_names_its_queue(http: AsyncClient, make_key: MakeKey) -> None:
    key = await make_key("viewer", queues=["mail"])
    for path in NAMED:
        assert (await http.get(path, headers=key)).status_code == 403, path


async def test_who_has_no_key_is_refused_by_the_routes_for_people(http: AsyncClient, app: Holdfast) -> None:
    scene = await Scene.make(app)
    for method, path in PEOPLE:
        assert (await scene.call(http, method, path, {})).status_code == 401, (method, path)
