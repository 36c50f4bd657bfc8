"""Live updates: snapshots of what is watched, shared reads, scopes, ends of a stream."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import fields
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI

from holdfast.api.app import api_app
from holdfast.api.live import event_stream, permits, streams, subjects
from holdfast.client.app import Holdfast
from holdfast.model.job import JobOutline
from holdfast.model.overview import Overview
from holdfast.model.run_progress import RunProgress
from tests.api.conftest import Headers, MakeKey
from tests.api.event_client import next_of, streaming
from tests.builders import a_sealed_run, a_worker, claim_one, complete, ready_job, release
from tests.patience import PATIENCE

LIVE = "/api/v1/live"


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("viewer")


async def a_job(app: Holdfast, **options: object) -> UUID:
    async with app.database.transaction() as conn:
        return await ready_job(conn, **options)


async def until(reads: Counter[str], name: str, more: int) -> None:
    """Until it was read so many times more."""
    wanted = reads[name] + more
    async with asyncio.timeout(PATIENCE):
        while reads[name] < wanted:
            await asyncio.sleep(0.001)


async def test_one_stream_sends_a_snapshot_of_each_subject_at_once(
    live_api: FastAPI, app: Holdfast, key: Headers
) -> None:
    async with app.database.transaction() as conn:
        run, (job,) = await a_sealed_run(conn, 1)
        await conn.execute("select holdfast.declare_endpoint('ollama', '{}')")
    url = f"{LIVE}?watch=overview&watch=run:{run}&watch=job:{job}&watch=endpoints&watch=overview"
    async with streaming(live_api, url, key) as client:
        found = [await next_of(client) for _ in range(4)]
    assert [(one["event"], one["subject"], one["id"]) for one in found] == [
        ("overview", "overview", "1"),
        ("run", f"run:{run}", "1"),
        ("job", f"job:{job}", "1"),
        ("endpoints", "endpoints", "1"),
    ]
    shapes = [one["snapshot"] for one in found]
    assert shapes[0].keys() == {field.name for field in fields(Overview)}
    assert shapes[1].keys() == {field.name for field in fields(RunProgress)}
    assert shapes[2].keys() == {field.name for field in fields(JobOutline)}
    assert [one["name"] for one in shapes[3]["endpoints"]] == ["ollama"]
    assert (shapes[0]["verdict"], shapes[1]["total"], shapes[2]["state"]) == ("ok", 1, "ready")


async def test_a_change_is_sent_and_an_unchanged_snapshot_is_not(
    live_api: FastAPI, app: Holdfast, key: Headers, reads: Counter[str]
) -> None:
    async with app.database.transaction() as conn:
        run, _ = await a_sealed_run(conn, 1)
        worker = await a_worker(conn)
    async with streaming(live_api, f"{LIVE}?watch=run:{run}&watch=overview", key) as client:
        assert {(await next_of(client))["event"] for _ in range(2)} == {"run", "overview"}
        await until(reads, "run_progress", 3)
        async with app.database.transaction() as conn:
            assert await complete(conn, await claim_one(conn, worker))
        seen: dict[str, dict[str, Any]] = {}
        while not ("run" in seen and seen["run"]["snapshot"]["completed"] and "overview" in seen):
            found = await next_of(client)
            assert found["number"] > seen.get(found["event"], {"number": 1})["number"], "it was sent before"
            seen[found["event"]] = found
    assert seen["overview"]["snapshot"]["ended"][0]["state"] == "completed"


async def test_estimates_alone_are_sent_every_ten_seconds_only() -> None:
    def at(seconds: float, **value: Any) -> subjects.Snapshot:
        return subjects.Snapshot({"now": str(seconds), "runs": [value]}, "…", seconds)

    first = at(0, eta=5.0, done=1)
    assert not subjects.is_news(first, at(60, eta=5.0, done=1))
    assert not subjects.is_news(first, at(1, eta=4.0, done=1))
    assert subjects.is_news(first, at(11, eta=4.0, done=1))
    assert subjects.is_news(first, at(1, eta=5.0, done=2))


async def test_however_many_watch_each_subject_is_read_once(
    live_api: FastAPI, app: Holdfast, key: Headers, make_key: MakeKey, reads: Counter[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr(streams, "PACE", timedelta(hours=1))
    monkeypatch.setattr(permits, "CHECK_EVERY", timedelta(hours=1))
    limited = [await make_key(role, queues=["mail"]) for role in ("viewer", "operator")]
    live_api = api_app(app)
    async with AsyncExitStack() as open_streams:
        job, other = await a_job(app), await a_job(app)
        for url, header in (
            *[(f"{LIVE}?watch=overview&watch=job:{job}&watch=job:{other}", key)] * 10,
            *[(LIVE, header) for header in limited] * 5,
        ):
            client = await open_streams.enter_async_context(streaming(live_api, url, header))
            await next_of(client)
    assert reads["read_overview"] == 2, "one for each scope"
    assert reads["job_outlines"] <= 2
    assert reads["check_watchers"] == 3, "one for each key, as it came"


async def test_a_client_that_does_not_read_gets_the_newest_snapshot_later(
    live_api: FastAPI, app: Holdfast, key: Headers, reads: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "SEND_WITHIN", PATIENCE)
    job = await a_job(app, queue="q")
    async with app.database.transaction() as conn:
        worker = await a_worker(conn, queues=["q"])
    async with streaming(live_api, f"{LIVE}?watch=job:{job}", key, reads=False) as client:
        for _ in range(3):
            await until(reads, "job_outlines", 2)
            async with app.database.transaction() as conn:
                assert await release(conn, await claim_one(conn, worker))
        await until(reads, "job_outlines", 2)
        client.read_on()
        found = await next_of(client)
    assert (found["snapshot"]["attempt"], found["number"]) == (3, 4), "and none of those in between"


async def test_a_client_that_takes_nothing_is_disconnected(
    live_api: FastAPI, key: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "SEND_WITHIN", 0.05)
    async with streaming(live_api, LIVE, key, reads=False) as client:
        async with asyncio.timeout(PATIENCE):
            await client.served


@pytest.mark.slow
async def test_a_stream_ends_when_the_server_stops(app: Holdfast, key: Headers) -> None:
    stopping = False
    live_api = api_app(app, is_stopping=lambda: stopping)
    async with streaming(live_api, LIVE, key) as client:
        await next_of(client)
        stopping = True
        assert await client.event() is None


async def test_once_sends_one_snapshot_of_each_and_ends(
    live_api: FastAPI, app: Holdfast, key: Headers
) -> None:
    job = await a_job(app)
    async with streaming(live_api, f"{LIVE}?watch=job:{job}&watch=overview&once=true", key) as client:
        assert [(await next_of(client))["event"] for _ in range(2)] == ["job", "overview"]
        assert await client.event() is None


async def test_what_is_deleted_is_reported_as_gone(live_api: FastAPI, app: Holdfast, key: Headers) -> None:
    job = await a_job(app)
    async with streaming(live_api, f"{LIVE}?watch=job:{job}", key) as client:
        await next_of(client)
        async with app.database.transaction() as conn:
            await conn.execute("delete from holdfast.jobs")
        gone = await next_of(client)
        assert (gone["event"], gone["subject"], gone["snapshot"]) == ("gone", f"job:{job}", None)
        assert await client.event() is None


async def test_a_silent_stream_is_kept_alive_by_comments(
    live_api: FastAPI, key: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "KEEP_ALIVE", 0.0)
    monkeypatch.setattr(streams, "LOOK_UP", 0.01)
    async with streaming(live_api, LIVE, key) as client:
        await next_of(client)
        waiting = asyncio.ensure_future(client.event())
        async with asyncio.timeout(PATIENCE):
            while len(client.comments) < 2:
                await asyncio.sleep(0.001)
        waiting.cancel()
    assert client.comments[0] == ": keep-alive"


async def test_subjects_are_limited_and_free_again_when_nobody_watches(
    live_api: FastAPI, app: Holdfast, key: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_SUBJECTS", 2)
    one, two, three = [f"{LIVE}?watch=job:{await a_job(app)}" for _ in range(3)]
    async with streaming(live_api, one, key) as first:
        async with streaming(live_api, two, key) as second, streaming(live_api, one, key) as third:
            for client in (first, second, third):
                await next_of(client)
            async with streaming(live_api, three, key) as refused:
                problem = await refused.problem()
            assert (refused.status, problem["code"]) == (503, "too_many_subjects")
        async with streaming(live_api, three, key) as fourth:
            await next_of(fourth)
