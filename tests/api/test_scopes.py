"""What a key with a scope cannot learn about, stop or end: jobs outside of it."""

import json
from typing import Any
from uuid import UUID

import pytest
from httpx2 import AsyncClient, Response

from holdfast.client.app import Holdfast
from holdfast.db.runs import list_runs
from tests.api.conftest import Headers, MakeKey
from tests.api.http_worker import HttpWorker
from tests.builders import a_worker, cancel, claim_one, fail, state_of

JOBS, BULK, RUNS = "/api/v1/jobs", "/api/v1/jobs/bulk", "/api/v1/runs"
MAIL = {"task": "send", "queue": "mail"}


@pytest.fixture
async def everything(make_key: MakeKey) -> Headers:
    return await make_key("operator")


@pytest.fixture
async def mail(make_key: MakeKey) -> Headers:
    """An operator for the queue mail, which may also enqueue and read there."""
    return await make_key("operator", queues=["mail"])


async def enqueue(http: AsyncClient, headers: Headers, **job: Any) -> Response:
    return await http.post(JOBS, json={**MAIL, **job}, headers=headers)


async def test_a_unique_key_meets_only_jobs_of_the_same_scope(
    http: AsyncClient, everything: Headers, mail: Headers, make_key: MakeKey
) -> None:
    for queue in ("other", "mail"):
        held = await enqueue(http, everything, queue=queue, unique_key=queue, payload=1)
        for payload in (1, 2):
            key = await make_key("producer", queues=["mail", "x" * payload, queue])
            own = await enqueue(http, key, unique_key=queue, payload=payload)
            assert (own.status_code, own.json()["created"]) == (201, True), "neither a conflict nor that job"
            assert held.json()["id"] not in own.text
    first = await enqueue(http, mail, unique_key="k", payload=1)
    colleague = await make_key("producer", queues=["mail"])
    again = await enqueue(http, colleague, unique_key="k", payload=1)
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"]), "the same queues and tasks"
    assert (await enqueue(http, colleague, unique_key="k", payload=2)).status_code == 409
    narrow = await make_key("producer", queues=["mail"], tasks=["send"])
    assert (await enqueue(http, narrow, unique_key="k", payload=2)).status_code == 201


async def test_an_order_key_holds_up_only_jobs_of_the_same_scope(
    http: AsyncClient, app: Holdfast, everything: Headers, mail: Headers
) -> None:
    async def state(answered: Response) -> str | None:
        async with app.database.connection() as conn:
            return await state_of(conn, UUID(answered.json()["id"]))

    own = [await enqueue(http, mail, order_key="customer") for _ in range(2)]
    others = [await enqueue(http, everything, queue="other", order_key="customer") for _ in range(2)]
    assert [await state(one) for one in own] == ["ready", "waiting"]
    assert [await state(one) for one in others] == ["ready", "waiting"]


async def test_a_key_with_a_scope_names_no_endpoint_and_no_group(
    http: AsyncClient, app: Holdfast, mail: Headers
) -> None:
    for place in ("endpoint", "group"):
        job = {**MAIL, place: "gpu"}
        bulk = await http.post(BULK, content=f"{json.dumps(MAIL)}\n{json.dumps(job)}", headers=mail)
        assert bulk.json()["line"] == 2
        for answered in (
            await enqueue(http, mail, **job),
            bulk,
            await http.post(RUNS, json={"name": "r", "jobs": [job]}, headers=mail),
            await http.post(RUNS, json={"name": "r", "on_complete": job}, headers=mail),
        ):
            assert (answered.status_code, answered.json()["code"]) == (403, "access_denied")
    assert await app.jobs() == []


async def test_a_run_exists_only_in_the_scope_that_started_it(
    http: AsyncClient, app: Holdfast, everything: Headers, mail: Headers, make_key: MakeKey
) -> None:
    run = (await http.post(RUNS, json={"name": "r"}, headers=mail)).json()["run"]
    whole = (await http.post(RUNS, json={"name": "r"}, headers=everything)).json()["run"]
    colleague = await make_key("producer", queues=["mail"])
    stranger = await make_key("producer", queues=["mail", "other"])
    assert (await http.get(f"{RUNS}/{run}", headers=colleague)).status_code == 200
    assert (await http.get(f"{RUNS}/{run}", headers=everything)).status_code == 200
    for key, hidden in ((stranger, run), (stranger, whole), (mail, whole)):
        absent = f"{RUNS}/{hidden}"
        for answered in (
            await http.get(absent, headers=key),
            await http.post(f"{absent}/jobs", json={"jobs": [MAIL]}, headers=key),
            await http.post(f"{absent}/jobs/bulk", content=json.dumps(MAIL), headers=key),
            await http.post(f"{absent}/seal", headers=key),
        ):
            assert (answered.status_code, answered.json()["detail"]) == (404, f"There is no run {hidden}.")
    assert await app.jobs() == []


async def test_a_worker_with_a_scope_names_no_endpoint_and_no_group_of_the_next_stage(
    http: AsyncClient, mail: Headers, make_key: MakeKey
) -> None:
    worker = HttpWorker(http, await make_key("worker", queues=["mail"]))
    await worker.register()
    await enqueue(http, mail)
    (job,) = await worker.claim()
    for place in ("endpoint", "group"):
        end = {"token": job["token"], "next": {"stage": "x", place: "gpu"}}
        assert await worker.refused(f"/jobs/{job['id']}/complete", **end) == (403, "access_denied")
        ends = [{**end, "id": job["id"], "verb": "complete"}]
        assert await worker.refused(f"/workers/{worker.id}/claim", ends=ends) == (403, "access_denied")


async def test_a_job_that_a_rule_routes_out_of_the_scope_is_stored_and_not_seen(
    http: AsyncClient, app: Holdfast, mail: Headers
) -> None:
    app.task(name="send", queue="mail")(lambda: None)
    await app.declare()
    await app.rules.set_rule("task", "send", "all", condition="exists ($)", queue="bulk")
    job = {"task": "send", "unique_key": "k"}
    one = await http.post(JOBS, json=job, headers=mail)
    many = await http.post(BULK, content='{"task": "send"}\n{"task": "send"}', headers=mail)
    run = await http.post(RUNS, json={"name": "r", "jobs": [{"task": "send"}]}, headers=mail)
    assert [made.status_code for made in (one, many, run)] == [201, 201, 201]
    assert [made.queue for made in await app.jobs()] == ["bulk"] * 4
    assert one.json().keys() == {"id", "created"}, "the answer names no queue outside"
    again = await http.post(JOBS, json=job, headers=mail)
    assert again.json() == {"id": one.json()["id"], "created": False}
    assert (await http.get(f"{JOBS}/{one.json()['id']}", headers=mail)).status_code == 404
    named = await http.post(BULK, content='{"task": "send", "queue": "bulk"}', headers=mail)
    assert (named.status_code, named.json()["path"]) == (403, "$.queue")


@pytest.mark.parametrize("verb", ["cancel", "replay"])
async def test_a_run_with_a_job_outside_of_the_scope_is_not_operated_on(
    http: AsyncClient, app: Holdfast, everything: Headers, mail: Headers, verb: str
) -> None:
    made = await http.post(RUNS, json={"name": "r", "jobs": [MAIL]}, headers=mail)
    run = made.json()["run"]
    foreign = {"jobs": [{**MAIL, "queue": "other"}]}
    added = await http.post(f"{RUNS}/{run}/jobs", json=foreign, headers=everything)
    other = UUID(added.json()["ids"][0])
    if verb == "replay":
        assert (await http.post(f"{RUNS}/{run}/cancel", headers=everything)).status_code == 200
    async with app.database.connection() as conn:
        before = await state_of(conn, other)
        refused = await http.post(f"{RUNS}/{run}/{verb}", json={}, headers=mail)
        assert (refused.status_code, refused.json()["code"]) == (403, "access_denied"), refused.text
        assert await state_of(conn, other) == before
    own = (await http.post(RUNS, json={"name": "r", "jobs": [MAIL]}, headers=mail)).json()["run"]
    assert (await http.post(f"{RUNS}/{own}/{verb}", json={}, headers=mail)).status_code == 200


async def test_what_follows_a_run_stays_in_the_scope(http: AsyncClient, app: Holdfast, mail: Headers) -> None:
    for follower, status in (
        ({"task": "report"}, 403),
        ({"task": "report", "queue": "other"}, 403),
        ({"task": "report", "queue": "mail"}, 201),
    ):
        answered = await http.post(RUNS, json={"name": "r", "on_complete": follower}, headers=mail)
        assert answered.status_code == status, answered.text
    assert len(await list_runs(app.database)) == 1


async def test_a_pause_names_only_the_key_itself_as_its_actor(
    http: AsyncClient, mail: Headers, everything: Headers
) -> None:
    queue = "/api/v1/queues/mail"
    await enqueue(http, mail)
    for headers, is_own in ((mail, True), (everything, False)):
        await http.post(f"{queue}/pause", json={}, headers=headers)
        shown = (await http.get(queue, headers=mail)).json()
        (listed,) = (await http.get("/api/v1/queues", headers=mail)).json()["queues"]
        assert (shown["paused_by"] is not None, listed["paused_by"] is not None) == (is_own, is_own)
    await http.post("/api/v1/queues/pause", json={}, headers=everything)
    assert (await http.get("/api/v1/queues", headers=mail)).json()["all_paused"]["actor"] is None


async def test_a_queue_outside_of_the_scope_tells_nothing_about_itself(
    http: AsyncClient, app: Holdfast, mail: Headers
) -> None:
    await app.settings.set_queue("other", payload_limit=100)
    refused = await enqueue(http, mail, queue="other", payload="x" * 1000)
    assert (refused.status_code, refused.json()["code"]) == (403, "access_denied")
    assert "100" not in refused.text


async def test_a_repeated_enqueue_gives_the_same_job_after_it_was_moved_or_pruned(
    http: AsyncClient, app: Holdfast, mail: Headers
) -> None:
    once = {**mail, "Idempotency-Key": "a"}
    job = {"unique_key": "k", "unique_for": "forever"}
    first, named = await enqueue(http, once), await enqueue(http, mail, **job)
    async with app.database.transaction() as conn:
        await conn.execute("update holdfast.jobs set queue = 'other' where id = $1", UUID(first.json()["id"]))
        await conn.execute("delete from holdfast.jobs where id = $1", UUID(named.json()["id"]))
    for again, before in ((await enqueue(http, once), first), (await enqueue(http, mail, **job), named)):
        assert (again.status_code, again.json()["id"]) == (200, before.json()["id"])
        assert again.json()["created"] is False
    assert (await http.get(f"{JOBS}/{first.json()['id']}", headers=mail)).status_code == 404


async def test_a_key_with_a_scope_sees_no_workers_hosts_and_people(
    http: AsyncClient, app: Holdfast, everything: Headers, mail: Headers
) -> None:
    made = await enqueue(http, everything)
    job = UUID(made.json()["id"])
    secrets = ["hidden-host", "operator", "Ada"]
    async with app.database.transaction() as conn:
        worker = await a_worker(conn, queues=["mail"], host="hidden-host")
        await fail(conn, await claim_one(conn, worker), "rate_limited", retry_after=0)
        await conn.execute("select holdfast.promote_jobs()")
        await conn.execute(
            "update holdfast.jobs set state = 'ready', due_at = null, rank_at = holdfast.now()"
        )
        await claim_one(conn, worker)
        await cancel(conn, job, actor="Ada")
        login = await conn.fetchval("select session_user")
    secrets += [str(worker), f'"{login}"']
    routes = ("", "/explain", "/timeline")
    seen = {route: (await http.get(f"{JOBS}/{job}{route}", headers=mail)).text for route in routes}
    seen["list"] = (await http.get(f"{JOBS}?queue=mail", headers=mail)).text
    told = "".join([(await http.get(f"{JOBS}/{job}{route}", headers=everything)).text for route in routes])
    for secret in secrets:
        assert secret in told, "a key for everything sees it"
        for route, text in seen.items():
            assert secret not in text, (secret, route, text)
    (blocker,) = json.loads(seen["/explain"])["blockers"]
    assert (blocker["blocker"], blocker["blocks"]) == ("running", True)
    guessed = await http.get(f"{JOBS}?queue=mail&actor={login}", headers=mail)
    assert guessed.status_code == 403
