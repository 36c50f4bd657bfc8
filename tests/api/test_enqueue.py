"""Enqueue over HTTP: one job, as an event, many; keys, scopes, and what is refused."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from typing import Any
from uuid import uuid4

import pytest
from httpx2 import AsyncClient, Response

from holdfast.api.producers.bulk_body import MOST_RECEIVED, BulkBody
from holdfast.client.app import Holdfast
from holdfast.client.bulk import chunks
from holdfast.model.access_key import AccessRole, Caller
from holdfast.model.job import Job
from tests.api.conftest import Headers, MakeKey

JOBS, BULK, EVENTS = "/api/v1/jobs", "/api/v1/jobs/bulk", "/api/v1/events"


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("producer")


@pytest.fixture
def caller() -> Caller:
    return Caller(uuid4(), "producer", AccessRole.PRODUCER, None, None, None)


async def enqueue(http: AsyncClient, headers: Headers, **job: Any) -> Response:
    return await http.post(JOBS, json={"task": "send", **job}, headers=headers)


async def bulk(http: AsyncClient, headers: Headers, *lines: Any) -> Response:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return await http.post(BULK, content=text, headers={**headers, "Content-Type": "application/x-ndjson"})


async def stored(app: Holdfast) -> list[Job]:
    return await app.jobs()


async def test_a_job_is_stored_with_its_options(http: AsyncClient, app: Holdfast, key: Headers) -> None:
    made = await enqueue(
        http, key, payload={"n": [1, 2.5, "ü"]}, queue="mail", priority=70, delay="1h", labels={"team": "a"}
    )
    assert made.status_code == 201
    (job,) = await stored(app)
    assert made.json() == {"id": str(job.id), "created": True}
    assert (job.task, job.queue, job.priority, job.state) == ("send", "mail", 70, "scheduled")
    assert (job.payload, job.labels, job.claimed_actor) == ({"n": [1, 2.5, "ü"]}, {"team": "a"}, "producer")


async def test_an_event_is_a_job_of_its_name(http: AsyncClient, app: Holdfast, key: Headers) -> None:
    event = {"eventName": "message.created", "data": {"id": 7}, "queue": "chat"}
    assert (await http.post(EVENTS, json=event, headers=key)).status_code == 201
    (job,) = await stored(app)
    assert (job.task, job.queue, job.payload) == ("message.created", "chat", {"id": 7})


async def test_a_repeated_request_gives_the_same_job_and_another_body_a_conflict(
    http: AsyncClient, app: Holdfast, key: Headers, make_key: MakeKey
) -> None:
    once = {**key, "Idempotency-Key": "order 17"}
    first, again = await enqueue(http, once, payload=1), await enqueue(http, once, payload=1)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert again.json()["created"] is False
    for other in (
        await enqueue(http, once, payload=2),
        await enqueue(http, once, payload=1, priority=70),
        await enqueue(http, once, payload=1, queue="mail"),
        await http.post(EVENTS, json={"eventName": "send", "data": 1, "delay": 5}, headers=once),
    ):
        assert (other.status_code, other.json()["code"]) == (409, "unique_conflict")
    event = await http.post(EVENTS, json={"eventName": "send", "data": 1}, headers=once)
    assert (event.status_code, event.json()["id"]) == (200, first.json()["id"])
    elsewhere = {**await make_key("operator"), "Idempotency-Key": "order 17"}
    assert (await enqueue(http, elsewhere, payload=2)).status_code == 201, "a key of another caller"
    assert len(await stored(app)) == 2


async def test_an_idempotency_key_that_cannot_be_one_is_refused(http: AsyncClient, key: Headers) -> None:
    for wrong in ("", "x" * 256, "ü"):
        headers = {name.encode(): value.encode() for name, value in {**key, "Idempotency-Key": wrong}.items()}
        refused = await http.post(JOBS, json={"task": "send"}, headers=headers)
        assert refused.status_code == 422, wrong
    both = await enqueue(http, {**key, "Idempotency-Key": "a"}, unique_key="b")
    assert (both.status_code, both.json()["code"]) == (422, "invalid_option")


@pytest.mark.slow
async def test_a_key_with_a_scope_enqueues_only_there(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    limited = await make_key("producer", queues=["mail"], tasks=["send"])
    assert (await enqueue(http, limited, queue="mail")).status_code == 201
    await app.settings.set_task("send", queue="elsewhere")
    for job in ({"queue": "other"}, {}, {"queue": "mail", "task": "other"}):
        refused = await enqueue(http, limited, **job)
        assert (refused.status_code, refused.json()["code"]) == (403, "access_denied"), job
    mixed = await bulk(http, limited, {"task": "send", "queue": "mail"}, {"task": "send", "queue": "other"})
    assert mixed.status_code == 403
    assert len(await stored(app)) == 1


async def test_many_jobs_are_stored_together(http: AsyncClient, app: Holdfast, key: Headers) -> None:
    lines = [{"task": "send", "payload": n, "queue": f"q{n % 2}", "unique_key": str(n)} for n in range(1200)]
    made = await bulk(http, key, *lines, "")
    assert (made.status_code, made.json()["created"], len(made.json()["ids"])) == (201, 1200, 1200)
    again = await bulk(http, key, *lines)
    assert (again.json()["created"], again.json()["ids"]) == (0, made.json()["ids"])
    first = await app.database.fetch("select payload from holdfast.get_job($1)", made.json()["ids"][7])
    assert first[0][0] == "7"


@pytest.mark.parametrize("task", ["", 5])
async def test_a_task_that_is_no_name_gets_a_hint_that_fits(
    http: AsyncClient, key: Headers, task: object
) -> None:
    refused = await http.post(JOBS, json={"task": task}, headers=key)
    assert (refused.json()["path"], refused.json()["hint"]) == ("$.task", "send the name of a task")


async def test_empty_lines_are_bounded_too(
    http: AsyncClient, app: Holdfast, key: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.api.producers.bulk_body.MOST_LINES", 10)
    refused = await bulk(http, key, *[""] * 10, {"task": "send"})
    assert (refused.status_code, await stored(app)) == (422, []), refused.text


@pytest.mark.slow
def test_a_large_body_is_read_in_little_memory(caller: Caller) -> None:
    line = json.dumps({"task": "send", "payload": "x" * 100_000}).encode() + b"\n"
    with TemporaryFile() as spool:
        spool.write(line * 400)
        tracemalloc.start()
        body = BulkBody(spool, caller, b"")
        body.check()
        jobs = sum(len(chunk) for chunk in chunks(body.jobs()))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert jobs == 400
    assert peak < len(line) * 400 / 2


async def test_a_key_whose_bulk_bodies_arrive_slowly_keeps_no_other_out(
    http: AsyncClient, app: Holdfast, key: Headers, make_key: MakeKey
) -> None:
    go, begun = asyncio.Event(), asyncio.Semaphore(0)

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"task": "send"}'
        begun.release()
        await go.wait()

    waiting = []
    others = [await make_key(role) for role in ("worker", "operator")]
    for sender, share in ((key, MOST_RECEIVED // 2), (others[0], MOST_RECEIVED // 4)):
        for _ in range(share):
            waiting.append(asyncio.create_task(http.post(BULK, content=slow(), headers=sender)))
            await begun.acquire()
        refused = await bulk(http, sender, {"task": "send"})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_bulks")
        assert refused.headers["Retry-After"]
    assert (await bulk(http, others[1], {"task": "send"})).status_code == 201
    go.set()
    assert {(await one).status_code for one in waiting} == {201}
    assert (await bulk(http, key, {"task": "send"})).status_code == 201
    assert len(await stored(app)) == len(waiting) + 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b'"x"',
        b"{}",
        b'{"task": 5}',
        b'{"task": ""}',
        b'{"task": "a\\u0000b"}',
        b'{"task": "\\udc00"}',
        b'{"task": "t", "payload": Infinity}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"task": "t", "payload": ' + b"9" * 100_000 + b"}",
        b'{"task": "t", "payload": 1e400}',
        b'{"task": "t", "queue": {"a": 1}}',
        b'{"task": "t", "queue": "\\u0000"}',
        b'{"task": "t", "queue": 7}',
        b'{"task": "t", "priority": 99999999999}',
        b'{"task": "t", "priority": 500}',
        b'{"task": "t", "delay": "soon"}',
        b'{"task": "t", "run_at": "tomorrow"}',
        b'{"task": "t", "retry": 5}',
        b'{"task": "t", "run_at": "2030-01-01T00:00:00"}',
        b'{"task": "t", "deadline": "0001-01-01T00:00:00Z"}',
        b'{"task": "t", "labels": [1]}',
        b'{"task": "t", "estimate": -1}',
        b'{"task": "t", "trace": 5}',
        b'{"task": "t", "unique_for": 5}',
        b'{"task": "t", "parent": "x"}',
        b'{"task": "t", "timeout": 0}',
    ],
)
async def test_hostile_input_is_refused_and_stores_nothing(
    http: AsyncClient, app: Holdfast, key: Headers, content: bytes
) -> None:
    refused = await http.post(JOBS, content=content, headers=key)
    assert refused.status_code == 422, refused.text
    assert {"code", "detail", "hint", "request_id"} <= refused.json().keys()
    assert "Traceback" not in refused.text
    assert await stored(app) == []
