"""The message routes: pending, claim, complete, fail, stats; an event and a health check."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.api.documented import HOOKS
from tests.api.serving import served
from tests.proof.needed import missing

LOOP = Path(__file__).with_name("message_loop.mjs")
EVENT, HEALTH = "/.netlify/functions/queue-event", "/.netlify/functions/queue-health-check"
OWN = "http://api"


@pytest.fixture
async def http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app=api_app(app, message_routes=True, allow_origins=["https://chat.example"]))
    async with AsyncClient(transport=transport, base_url=OWN, event_hooks=HOOKS) as client:
        yield client


@pytest.fixture
async def worker(make_key: MakeKey) -> Headers:
    return await make_key("worker")


async def store(app: Holdfast, *names: str, **options: Any) -> None:
    async with app.database.transaction() as conn:
        for name in names:
            payload = {"id": name, "text": name, "botParams": {"entity": "poet"}}
            await conn.execute(
                "select holdfast.enqueue_jobs(array['reply'], array[$1::json], $2::jsonb)",
                json.dumps(payload),
                json.dumps({"queue": "chat", "unique_key": name, **options}),
            )


async def post(http: AsyncClient, path: str, headers: Headers, **body: Any) -> Response:
    """As `fetch` sends a string: its content type is text/plain."""
    plain = {"Content-Type": "text/plain;charset=UTF-8", **headers}
    return await http.post(f"/api/queue/{path}", content=json.dumps(body), headers=plain)


async def test_a_message_goes_from_pending_to_complete(
    http: AsyncClient, app: Holdfast, worker: Headers
) -> None:
    await store(app, "low", priority=10)
    await store(app, "high", priority=90)
    waiting = (await http.get("/api/queue/pending?limit=10", headers=worker)).json()
    assert [one["id"] for one in waiting] == ["high", "low"]
    status = {"priority": 90, "status": "pending", "claimedBy": None, "claimedAt": None, "attempts": 0}
    assert waiting[0] == {"id": "high", "text": "high", "botParams": {"entity": "poet", **status}}
    claimed = (await post(http, "claim", worker, messageId="high", workerId="w1")).json()
    assert claimed["success"] is True
    assert claimed["message"]["botParams"]["claimedBy"] == "w1"
    assert claimed["message"]["botParams"]["claimedAt"] > 1_700_000_000_000
    refused = (await post(http, "claim", worker, messageId="high", workerId="w2")).json()
    assert refused == {"success": False, "reason": "already claimed", "status": "processing"}
    counts = (await http.get("/api/queue/stats", headers=worker)).json()
    assert counts == {"pending": 1, "processing": 1, "complete": 0, "failed": 0}
    done = await post(http, "complete", worker, messageId="high", output={"reply": "ok"})
    assert done.json() == {"success": True, "status": "complete"}
    (job,) = await app.jobs(state="completed")
    assert job.output == {"reply": "ok"}
    counts = (await http.get("/api/queue/stats", headers=worker)).json()
    assert counts == {"pending": 1, "processing": 0, "complete": 1, "failed": 0}


async def test_who_does_not_hold_a_message_cannot_end_it(
    http: AsyncClient, app: Holdfast, worker: Headers, make_key: MakeKey
) -> None:
    other = await make_key("worker", queues=["chat"])
    await store(app, "m")
    await post(http, "claim", worker, messageId="m", workerId="w1")
    for key, body in ((other, {}), (worker, {"workerId": "w2"}), (other, {"workerId": "w1"})):
        for verb in ("complete", "fail"):
            lost = await post(http, verb, key, messageId="m", **body)
            assert (lost.status_code, lost.json()["code"]) == (409, "lease_lost")
    failed = await post(http, "fail", worker, messageId="m", workerId="w1", error="no model")
    assert failed.json() == {"success": True, "status": "pending"}
    assert (await post(http, "complete", worker, messageId="m")).status_code == 409


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"messageId": "nothing"}, 404),
        ({}, 422),
        ({"messageId": ""}, 422),
        ({"messageId": 7}, 422),
        ({"messageId": "x" * 1001}, 422),
        ({"messageId": "m", "workerId": ["w"]}, 422),
        ({"messageId": "m", "worker": "w"}, 422),
    ],
)
async def test_a_wrong_request_is_a_problem(
    http: AsyncClient, app: Holdfast, worker: Headers, body: dict[str, Any], status: int
) -> None:
    await store(app, "m")
    for path in ("claim", "complete", "fail"):
        refused = await post(http, path, worker, **body)
        assert refused.status_code == status
        assert "pass only JSON values" not in refused.json()["hint"], "the request is JSON"
    garbage = await http.post("/api/queue/claim", content=b"\xff{", headers=worker)
    assert garbage.status_code == 422


async def test_a_page_of_another_origin_and_a_cookie_are_refused(http: AsyncClient, worker: Headers) -> None:
    paths = ("/api/queue/pending", "/api/queue/stats", HEALTH)
    for origin in ("https://evil.example", "null"):
        for path in paths:
            refused = await http.get(path, headers={**worker, "Origin": origin})
            assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")
    for origin in (OWN, "https://chat.example"):
        assert (await http.get(paths[0], headers={**worker, "Origin": origin})).status_code == 200
    secret = worker["Authorization"].removeprefix("Bearer ")
    assert (await http.get(paths[0], headers={"Cookie": f"key={secret}"})).status_code == 401


@pytest.mark.parametrize("role", ["viewer", "producer", "worker", "operator", "admin"])
async def test_each_role_may_call_its_own_routes(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, role: str
) -> None:
    await store(app, "m", "n")
    key, elsewhere = await make_key(role), await make_key(role, queues=["other"])
    works, reads = role in ("worker", "admin"), role in ("viewer", "operator", "admin")
    event = {"eventName": "e", "queue": "chat"}

    async def statuses(headers: Headers) -> list[int]:
        return [
            (await http.get("/api/queue/pending", headers=headers)).status_code,
            (await post(http, "claim", headers, messageId="m")).status_code,
            (await post(http, "fail", headers, messageId="m")).status_code,
            (await post(http, "claim", headers, messageId="n")).status_code,
            (await post(http, "complete", headers, messageId="n")).status_code,
            (await http.get("/api/queue/stats", headers=headers)).status_code,
            (await http.post(EVENT, json=event, headers=headers)).status_code,
            (await http.get(HEALTH, headers=headers)).status_code,
        ]

    worked, enqueued = 200 if works else 403, 403 if role == "viewer" else 200
    assert await statuses(key) == [*[worked] * 5, 200, enqueued, 200 if reads else 403]
    missed = 404 if works else 403
    assert await statuses(elsewhere) == [worked, *[missed] * 4, 200, 403, 403]
    assert await statuses({}) == [401] * 8


async def test_without_the_option_there_are_no_such_routes(app: Holdfast, worker: Headers) -> None:
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url=OWN) as plain:
        for path in ("/api/queue/pending", HEALTH):
            assert (await plain.get(path, headers=worker)).status_code == 404


async def test_an_event_is_a_job_and_its_id_the_unique_key(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    key = await make_key("producer")
    event = {"eventName": "capture/sync", "data": {"priority": "high"}, "id": "sync-1"}
    made, again = [(await http.post(EVENT, json=event, headers=key)).json() for _ in range(2)]
    (job,) = await app.jobs(task="capture/sync")
    assert made == {"success": True, "id": str(job.id), "created": True}
    assert again == {**made, "created": False}
    assert (job.payload, job.unique_key, job.claimed_actor) == ({"priority": "high"}, "sync-1", "producer")
    other = await http.post(EVENT, json={**event, "data": {}}, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "unique_conflict")
    both = await http.post(EVENT, json={**event, "unique_key": "x"}, headers=key)
    assert both.status_code == 422


@pytest.mark.slow
async def test_the_health_check_has_depths_and_figures(
    http: AsyncClient, app: Holdfast, worker: Headers, make_key: MakeKey
) -> None:
    viewer = await make_key("viewer")
    await store(app, "a", "b")
    empty = (await http.get(HEALTH, headers=viewer)).json()
    assert empty["queues"] == [{"name": "chat", "pending": 2, "processing": 0, "paused": False}]
    assert set(empty["metrics"].values()) == {None}
    await post(http, "claim", worker, messageId="a")
    await post(http, "complete", worker, messageId="a")
    await app.database.execute("select holdfast.summarise_ends()")
    said = (await http.get(HEALTH, headers=viewer)).json()
    assert said["status"] in ("healthy", "unhealthy")
    assert said["metrics"]["failureRate"] == 0
    assert said["metrics"]["processingRate"] > 0
    assert said["metrics"]["averageDuration"] >= 0


async def test_a_worker_loop_written_for_another_server_runs_with_a_fetch_of_three_lines(
    app: Holdfast, make_key: MakeKey
) -> None:
    node = shutil.which("node") or missing("node is not installed: apt-get install nodejs")
    key = (await make_key("worker"))["Authorization"].removeprefix("Bearer ")
    names = [f"m-{n}" for n in range(12)]
    await store(app, *names)
    await store(app, "fail", max_failures=2, retry={"delays": [0]})
    async with served(api_app(app, message_routes=True)) as url:
        environment = {**os.environ, "API": url, "KEY": key}
        loops = [
            await asyncio.create_subprocess_exec(
                node, LOOP, env={**environment, "SERVER_ID": name}, stdout=asyncio.subprocess.PIPE
            )
            for name in ("w1", "w2")
        ]
        said = [(await loop.communicate())[0].decode().splitlines() for loop in loops]
    assert [loop.returncode for loop in loops] == [0, 0]
    posted = [json.loads(line) for lines in said for line in lines]
    assert sorted(one["id"] for one in posted) == sorted(names), "one reply for each message"
    assert all(one["response"] == f"poet: {one['id']}" for one in posted)
    states = {job.unique_key: job.state for job in await app.jobs(queue="chat")}
    assert states == {**dict.fromkeys(names, "completed"), "fail": "dead"}
    assert {row["host"] for row in await app.database.fetch("select host from holdfast.worker_view")} <= {
        "w1",
        "w2",
    }
