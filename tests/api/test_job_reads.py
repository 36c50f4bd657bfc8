"""Jobs over HTTP: one, lists, results that one waits for, and what a scope hides."""

import asyncio
from collections.abc import Sequence
from dataclasses import fields
from uuid import UUID, uuid4

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.live import awaited_ends
from holdfast.client.app import Holdfast
from holdfast.db.jobs import job_states
from holdfast.db.statement import Executor
from holdfast.model.id import JobId
from holdfast.model.job import Job, JobStatus
from tests.api.conftest import Headers, MakeKey
from tests.builders import complete, completed_job, dead_job, ready_job, ready_jobs, running_job
from tests.patience import PATIENCE

JOBS = "/api/v1/jobs"


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("viewer")


async def a_job(app: Holdfast, **options: object) -> UUID:
    async with app.database.transaction() as conn:
        return await ready_job(conn, **options)


async def test_a_job_has_the_fields_of_the_command_line(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    job = await a_job(app, payload={"n": 1})
    shown = (await http.get(f"{JOBS}/{job}", headers=key)).json()
    assert shown.keys() == {field.name for field in fields(Job)}
    assert (shown["id"], shown["payload"], shown["state"]) == (str(job), {"n": 1}, "ready")
    state = (await http.get(f"{JOBS}/{job}/state", headers=key)).json()
    assert state.keys() == {field.name for field in fields(JobStatus)}
    why = (await http.get(f"{JOBS}/{job}/explain", headers=key)).json()
    assert why.keys() == {"job", "may_run", "blockers"}
    assert (await http.get(f"{JOBS}/{job}/timeline", headers=key)).json()["entries"][0]["what"]


async def test_pages_hold_every_job_once(http: AsyncClient, app: Holdfast, key: Headers) -> None:
    async with app.database.transaction() as conn:
        made = await ready_jobs(conn, 25, queue="mail")
        await ready_jobs(conn, 3, queue="other")
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        after = {"cursor": cursor} if cursor else {}
        page = (await http.get(JOBS, params={"queue": "mail", "limit": "10", **after}, headers=key)).json()
        found += [job["id"] for job in page["jobs"]]
        cursor = page["next"]
    assert sorted(found) == sorted(map(str, made))


async def test_a_job_is_found_by_its_unique_key(http: AsyncClient, app: Holdfast, key: Headers) -> None:
    job = await a_job(app, unique_key="order 17")
    await a_job(app, unique_key="order 18")
    found = (await http.get(JOBS, params={"unique_key": "order 17"}, headers=key)).json()
    assert [one["id"] for one in found["jobs"]] == [str(job)]


async def test_jobs_are_found_by_values_of_their_payload(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    job = await a_job(app, payload={"customer": {"id": 4711, "url": "http://a:80/"}, "lang": "en"})
    await a_job(app, payload={"customer": {"id": 4712}, "lang": "en"})
    for values in (["customer.id:4711"], ["lang:en", "customer.url:http://a:80/"]):
        found = (await http.get(JOBS, params={"payload": values}, headers=key)).json()
        assert [one["id"] for one in found["jobs"]] == [str(job)], values
    none = (await http.get(JOBS, params={"payload": ["lang:en", "customer.id:1"]}, headers=key)).json()
    assert none == {"jobs": [], "next": None}


async def test_jobs_are_found_by_the_time_of_their_enqueue(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    job = await a_job(app)
    at = (await http.get(f"{JOBS}/{job}", headers=key)).json()["created_at"]
    for name, ids in (("enqueued_after", [str(job)]), ("enqueued_before", [])):
        found = (await http.get(JOBS, params={name: at}, headers=key)).json()
        assert [one["id"] for one in found["jobs"]] == ids, name


@pytest.mark.parametrize(
    "query",
    [
        "payload=customer.id", "payload=:4711", "payload=a..b:1", "payload=a:1&payload=a:2",
        "payload=a%00b:1", "payload=a:%00", "enqueued_after=yesterday", "enqueued_before=2030-01-31T09:00:00",
        f"payload={'a' * 10_000}:1", f"payload={'.'.join('a' * 65)}:1",
        "state=odd", "run=x", "cursor=x", "limit=0", "limit=1001", "limit=x", "colour=red", "older_than=soon",
        "queue=a&queue=b",
    ],
)  # fmt: skip
async def test_a_filter_that_makes_no_sense_is_refused(http: AsyncClient, key: Headers, query: str) -> None:
    refused = await http.get(f"{JOBS}?{query}", headers=key)
    assert refused.status_code == 422, refused.text
    assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("query", ["queue=%00", "unique_key=%ff%fe", "actor=%ed%a0%80", "task=%27%3B--"])
async def test_hostile_filters_find_nothing_and_break_nothing(
    http: AsyncClient, key: Headers, query: str
) -> None:
    answered = await http.get(f"{JOBS}?{query}", headers=key)
    assert answered.status_code in (200, 422), answered.text
    assert answered.status_code == 422 or answered.json()["jobs"] == []


async def test_a_job_that_does_not_exist_is_not_found(http: AsyncClient, key: Headers) -> None:
    for route in ("", "/state", "/result", "/explain", "/timeline"):
        absent = await http.get(f"{JOBS}/{uuid4()}{route}", headers=key)
        assert (absent.status_code, absent.json()["code"]) == (404, "not_found"), route
        assert (await http.get(f"{JOBS}/x{route}", headers=key)).status_code == 422


async def test_a_key_with_a_scope_lists_only_there(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    mine = await a_job(app, queue="mail")
    await a_job(app, queue="other")
    limited = await make_key("viewer", queues=["mail"])
    found = await http.get(JOBS, params={"queue": "mail"}, headers=limited)
    assert [one["id"] for one in found.json()["jobs"]] == [str(mine)]
    for params in ({}, {"queue": "other"}):
        assert (await http.get(JOBS, params=params, headers=limited)).status_code == 403


async def test_a_result_is_there_when_the_job_has_ended(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    async with app.database.transaction() as conn:
        done = await completed_job(conn, {"sent": True}, queue="a")
        dead = await dead_job(conn, queue="b")
        running = await running_job(conn, queue="c")
    answered = await http.get(f"{JOBS}/{done.id}/result", headers=key)
    assert answered.json() == {
        "id": str(done.id), "state": "completed", "output": {"sent": True}, "reason": None,
    }  # fmt: skip
    assert (await http.get(f"{JOBS}/{dead.id}/result", headers=key)).json()["state"] == "dead"
    early = await http.get(f"{JOBS}/{running.id}/result", headers=key)
    assert (early.status_code, early.json()["state"]) == (202, "running")
    waiting = asyncio.create_task(
        http.get(f"{JOBS}/{running.id}/result?wait=30", headers=key, timeout=PATIENCE)
    )
    async with app.database.transaction() as conn:
        assert await complete(conn, running, 42)
    assert (await waiting).json()["output"] == 42


async def test_a_request_that_waits_is_answered_when_the_server_stops(app: Holdfast, key: Headers) -> None:
    job = await a_job(app)
    transport = ASGITransport(app=api_app(app, is_stopping=lambda: True))
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        answered = await http.get(f"{JOBS}/{job}/result?wait=30", headers=key, timeout=PATIENCE)
    assert (answered.status_code, answered.json()["state"]) == (202, "ready")


async def test_requests_that_wait_share_one_statement_and_hold_no_connection(
    http: AsyncClient, app: Holdfast, key: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    async def counted(on: Executor, ids: Sequence[JobId]) -> list[JobStatus]:
        asked.append(len(ids))
        return await job_states(on, ids)

    monkeypatch.setattr(awaited_ends, "job_states", counted)
    async with app.database.transaction() as conn:
        running = [await running_job(conn, queue=f"q{number}") for number in range(12)]
    waiting = [
        asyncio.create_task(http.get(f"{JOBS}/{one.id}/result?wait=30", headers=key, timeout=PATIENCE))
        for one in (*running, *running)
    ]
    async with asyncio.timeout(PATIENCE):
        while asked.count(12) < 3:
            await asyncio.sleep(0.001)
    others = len(asked) - asked.count(12)
    assert others <= 12, "only while they came one after the other"
    async with app.database.transaction() as conn:
        for one in running:
            assert await complete(conn, one, 42)
    answered = await asyncio.gather(*waiting)
    assert [one.json()["output"] for one in answered] == [42] * 24


async def test_a_key_that_is_revoked_while_it_waits_gets_no_result(
    http: AsyncClient, app: Holdfast, key: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await a_job(app)
    began = asyncio.Event()

    async def wait(self: object, job: JobId, seconds: float) -> None:
        began.set()
        await app.keys.revoke("viewer")

    monkeypatch.setattr(awaited_ends.AwaitedEnds, "wait", wait)
    answered = await http.get(f"{JOBS}/{job}/result?wait=30", headers=key)
    assert (began.is_set(), answered.status_code) == (True, 401)


async def test_waiting_requests_of_a_key_are_bounded(app: Holdfast, key: Headers) -> None:
    job = await a_job(app)
    transport = ASGITransport(app=api_app(app, limits=Limits(waiting_per_key=0)))
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        refused = await http.get(f"{JOBS}/{job}/result?wait=30", headers=key)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_waiting")
        assert refused.headers["Retry-After"].isdecimal()
        assert (await http.get(f"{JOBS}/{job}/result", headers=key)).status_code == 202
