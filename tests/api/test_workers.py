"""Workers over HTTP: what they claim and are told, what belongs to whom, and what a scope leaves."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.api.http_worker import HttpWorker
from tests.builders import ready_jobs, state_of, the_job
from tests.stage_builders import a_pipeline, entered_job


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("worker")


@pytest.fixture
async def worker(http: AsyncClient, key: Headers) -> HttpWorker:
    """Of the queue mail."""
    made = HttpWorker(http, key)
    await made.register(queues=["mail"])
    return made


async def enqueue(app: Holdfast, count: int = 1, **options: Any) -> list[UUID]:
    async with app.database.transaction() as conn:
        return await ready_jobs(conn, count, **{"queue": "mail", **options})


async def test_a_worker_is_registered_as_it_describes_itself(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    worker = HttpWorker(http, key)
    said = await worker.register(
        queues=["mail"],
        tasks=["send"],
        name="mailer",
        version="7",
        slots=3,
        group="eu",
        lease=90,
        time_box=25,
    )
    assert (said["lease"], said["renew_every"]) == (90, 30)
    (row,) = await app.database.fetch("select * from holdfast.worker_view")
    assert (str(row["id"]), row["queues"], row["tasks"]) == (worker.id, ["mail"], ["send"])
    assert (row["slots"], row["group"], row["version"], row["box_until"] is None) == (3, "eu", "7", False)


async def test_a_claimed_job_has_what_its_handler_needs(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    (id_,) = await enqueue(app, task="send", payload={"to": "ada"}, labels={"team": "a"}, timeout=60)
    worker = HttpWorker(http, key)
    await worker.register(queues=["mail"])
    (job,) = await worker.claim()
    assert (job["id"], job["task"], job["queue"], job["attempt"]) == (str(id_), "send", "mail", 1)
    assert (job["payload"], job["labels"], job["checkpoints"]) == ({"to": "ada"}, {"team": "a"}, {})
    assert 50 < job["stop_after"] <= 60
    await worker.end(job, "checkpoint", name="page", value={"n": 34})
    await worker.end(job, "progress", done=34, total=100, errors=[{"item": "page 4", "error": "not found"}])
    assert (await worker.end(job, "release"))["state"] == "ready"
    (again,) = await worker.claim()
    assert (again["attempt"], again["checkpoints"]) == (2, {"page": {"n": 34}})
    assert again["token"] != job["token"]
    ended = await worker.end(again, "complete", output={"sent": True})
    assert ended == {"state": "completed", "due_at": None, "repeated": False}
    assert (await worker.end(again, "complete", output={"sent": True}))["repeated"] is True
    told = await worker.turn(0, ends=[{"id": again["id"], "token": again["token"], "verb": "complete"}])
    assert (told["lost"], told["repeated"]) == ([], [again["id"]]), "a claim says the same"
    async with app.database.transaction() as conn:
        row = await the_job(conn, id_)
    assert (row["state"], row["output"]) == ("completed", '{"sent":true}')


async def test_a_job_of_a_pipeline_carries_its_context_and_goes_on(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn, stages=("read", "judge", "send"))
        rows = await conn.fetch("select distinct queue from holdfast.stage_view")
        id_ = await entered_job(conn)
    worker = HttpWorker(http, key)
    await worker.register(queues=[row["queue"] for row in rows])
    (job,) = await worker.claim()
    assert (job["stage"], job["context"]) == ("read", {})
    assert (await worker.end(job, "complete", output={"text": "hi"}))["state"] == "ready"
    (job,) = await worker.claim()
    assert (job["stage"], job["context"]) == ("judge", {"read": {"text": "hi"}})
    await worker.end(job, "complete", next={"stage": "read"})
    (job,) = await worker.claim()
    assert (job["id"], job["stage"]) == (str(id_), "read")


ENDS: list[tuple[str, dict[str, Any], str]] = [
    ("fail", {"error": "it broke", "retry_after": 60}, "scheduled"),
    ("fail", {"error": {"message": "no", "class": "permanent"}}, "dead"),
    ("fail", {"error": "no", "permanent": True}, "dead"),
    ("snooze", {"delay": 60}, "scheduled"),
    ("reject", {"reason": "unsubscribed"}, "rejected"),
    ("wait", {"signal": "go"}, "waiting"),
]


LATE: dict[str, dict[str, Any]] = {
    "complete": {}, "checkpoint": {"name": "x", "value": 1}, "progress": {"done": 1},
}  # fmt: skip


async def test_an_attempt_may_end_in_each_way_and_its_token_is_void_then(
    app: Holdfast, worker: HttpWorker
) -> None:
    await enqueue(app, len(ENDS))
    for verb, fields, state in ENDS:
        (job,) = await worker.claim()
        assert (await worker.end(job, verb, **fields))["state"] == state
        for late, more in LATE.items():
            refused = await worker.refused(f"/jobs/{job['id']}/{late}", token=job["token"], **more)
            assert refused == (409, "lease_lost"), (verb, late)


async def test_ends_and_the_next_claim_go_in_one_request(app: Holdfast, worker: HttpWorker) -> None:
    ids = await enqueue(app, 4)
    first = await worker.claim(3)
    ends = [
        {"id": first[0]["id"], "token": first[0]["token"], "verb": "complete", "output": 1},
        {"id": first[1]["id"], "token": first[1]["token"], "verb": "fail", "error": "no", "permanent": True},
        {"id": first[2]["id"], "token": str(uuid4()), "verb": "complete"},
    ]
    turn = await worker.turn(5, ends=ends)
    assert turn["lost"] == [first[2]["id"]]
    assert [job["id"] for job in turn["jobs"]] == [str(ids[3])]
    async with app.database.transaction() as conn:
        states = [await state_of(conn, UUID(job["id"])) for job in first]
    assert states == ["completed", "dead", "running"]
    assert await worker.claim(0, ends=[]) == []


async def test_a_job_waits_for_its_children_and_for_a_signal(
    app: Holdfast, worker: HttpWorker, http: AsyncClient, make_key: MakeKey
) -> None:
    (id_,) = await enqueue(app)
    (job,) = await worker.claim()
    pages = {"name": "pages", "jobs": [{"task": "page", "payload": {"n": n}} for n in (1, 2)]}
    spawned = await worker.end(job, "children", options={"queue": "mail"}, **pages)
    assert (spawned["is_over"], len(spawned["children"])) == (False, 2)
    assert (await worker.end(job, "wait", children="pages"))["state"] == "waiting"
    for child in await worker.claim(10):
        await worker.end(child, "complete", output=child["payload"]["n"])
    await app.database.execute("select holdfast.close_runs()")
    (job,) = await worker.claim()
    assert job["id"] == str(id_)
    again = await worker.end(job, "children", **pages)
    assert (again["is_over"], sorted(one["output"] for one in again["children"])) == (True, [1, 2])
    assert (await worker.end(job, "wait", signal="approved", timeout=60))["state"] == "waiting"
    producer = HttpWorker(http, await make_key("producer"))
    sent = await producer.say(f"/jobs/{id_}/signals", name="approved", data={"by": "ada"})
    assert sent == {"result": "resumed"}
    (job,) = await worker.claim()
    told = await worker.end(job, "wait", signal="approved")
    assert (told["came"], told["data"], told["state"]) == (True, {"by": "ada"}, "running")


async def test_a_renewal_says_what_to_stop_and_when_to_go(app: Holdfast, worker: HttpWorker) -> None:
    await enqueue(app, 2)
    kept, asked = await worker.claim(2)
    await app.job(asked["id"]).cancel(reason="wrong address")
    told = await worker.renew(jobs=[kept["id"], asked["id"]])
    assert told["stop"] == [{"id": asked["id"], "why": "cancel", "reason": "wrong address"}]
    assert (told["drain"], told["rescued"]) == (False, False)
    assert (await worker.end(asked, "release"))["state"] == "cancelled"
    await app.database.execute(
        "select holdfast.drain_workers(array[$1::uuid], null, 'deploy', 'Ada')", worker.id
    )
    assert (await worker.renew())["drain"] is True
    turn = await worker.turn(1, wait=30)
    assert (turn["jobs"], turn["drain"]) == ([], True)
    assert await worker.say(f"/workers/{worker.id}/stop") == {"released": 1}
    gone = await worker.refused(f"/workers/{worker.id}/renew")
    assert gone == await worker.refused(f"/workers/{worker.id}/claim") == (409, "lease_lost")


async def test_only_the_key_that_registered_a_worker_may_use_it(
    http: AsyncClient, app: Holdfast, worker: HttpWorker, make_key: MakeKey
) -> None:
    await enqueue(app)
    other = HttpWorker(http, await make_key("admin"))
    for route in ("claim", "renew", "stop"):
        assert await other.refused(f"/workers/{worker.id}/{route}") == (404, "not_found")
    assert await worker.refused(f"/workers/{uuid4()}/claim") == (404, "not_found")
    assert len(await worker.claim()) == 1


async def test_a_scope_limits_what_a_worker_may_claim_end_and_move(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, worker: HttpWorker
) -> None:
    limited = HttpWorker(http, await make_key("worker", queues=["mail"], tasks=["send"]))
    for wish in ({"queues": ["mail", "other"]}, {"tasks": ["other"]}):
        assert await limited.refused("/workers", **wish) == (403, "access_denied")
    await limited.register()
    mine, other = await enqueue(app, task="send"), await enqueue(app, task="other")
    (job,) = await limited.claim(10)
    assert job["id"] == str(mine[0])
    (foreign,) = await enqueue(app, queue="elsewhere")
    assert await limited.refused(f"/jobs/{foreign}/complete", token=job["token"]) == (404, "not_found")
    ends = [{"id": str(foreign), "token": job["token"], "verb": "complete"}]
    assert await limited.refused(f"/workers/{limited.id}/claim", ends=ends) == (404, "not_found")
    away = {"token": job["token"], "next": {"stage": "x", "queue": "elsewhere"}}
    assert await limited.refused(f"/jobs/{job['id']}/complete", **away) == (403, "access_denied")
    child = {
        "token": job["token"],
        "name": "c",
        "jobs": [{"task": "send"}],
        "options": {"queue": "elsewhere"},
    }
    assert await limited.refused(f"/jobs/{job['id']}/children", **child) == (403, "access_denied")
    child["options"] = {"queue": "mail", "endpoint": "gpu"}
    assert await limited.refused(f"/jobs/{job['id']}/children", **child) == (403, "access_denied")
    assert len(await app.jobs(queue="elsewhere")) == 1
    async with app.database.transaction() as conn:
        assert await state_of(conn, other[0]) == "ready", "neither held up nor charged"
        row = await the_job(conn, other[0])
    assert (row["failures"], row["losses"]) == (0, 0)
    assert await limited.claim(10) == [], "the worker leaves the lane alone for a while"


ENDED = {"id": str(uuid4()), "token": str(uuid4())}
NONSENSE: list[tuple[str, dict[str, Any]]] = [
    ("/workers", {"queues": "mail"}),
    ("/workers", {"queues": [""]}),
    ("/workers", {"lease": 0.1}),
    ("/workers", {"lease": "1w"}),
    ("/workers", {"slots": 0}),
    ("/workers", {"colour": "red"}),
    ("/workers", {"metadata": 5}),
    ("/workers/{worker}/claim", {"limit": 101}),
    ("/workers/{worker}/claim", {"limit": True}),
    ("/workers/{worker}/claim", {"wait": 31}),
    ("/workers/{worker}/claim", {"ends": [{"id": "x", "token": "y", "verb": "complete"}]}),
    ("/workers/{worker}/claim", {"ends": [{**ENDED, "verb": "advance"}]}),
    ("/workers/{worker}/claim", {"ends": [{**ENDED, "verb": "complete", "delay": 5}]}),
    ("/workers/{worker}/claim", {"ends": [{**ENDED, "verb": "snooze", "delay": None}]}),
    ("/workers/{worker}/renew", {"jobs": ["x"]}),
    ("/workers/x/claim", {}),
    ("/jobs/{job}/complete", {}),
    ("/jobs/{job}/complete", {"token": "x"}),
    ("/jobs/{job}/complete", {"token": str(uuid4()), "next": {"way": "out"}}),
    ("/jobs/{job}/fail", {"token": str(uuid4())}),
    ("/jobs/{job}/fail", {"token": str(uuid4()), "error": {"message": "x", "class": "odd"}}),
    ("/jobs/{job}/snooze", {"token": str(uuid4())}),
    ("/jobs/{job}/reject", {"token": str(uuid4())}),
    ("/jobs/{job}/wait", {"token": str(uuid4()), "signal": "a", "children": "b"}),
    ("/jobs/{job}/progress", {"token": str(uuid4()), "done": -1}),
    ("/jobs/{job}/checkpoint", {"token": str(uuid4()), "name": "x" * 201, "value": 1}),
    ("/jobs/{job}/children", {"token": str(uuid4()), "name": "x", "jobs": [{"task": "t", "queue": "q"}]}),
    ("/jobs/{job}/signals", {"data": 1}),
    ("/work", {"time_box": 301}),
]


async def a_task(n: int = 0) -> int:
    return n


async def test_a_value_that_makes_no_sense_is_refused(app: Holdfast, worker: HttpWorker) -> None:
    app.task(queue="mail")(a_task)
    (job,) = await enqueue(app)
    for path, body in NONSENSE:
        refused = await worker.post(path.format(worker=worker.id, job=job), **body)
        assert refused.status_code == 422, (path, body, refused.text)
        assert {"code", "detail", "hint"} <= refused.json().keys()
