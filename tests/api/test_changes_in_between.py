"""A job is moved, or a key revoked, after the check of a request and before what the request does."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from httpx2 import AsyncClient, Response

from holdfast.api.request import body
from holdfast.client.app import Holdfast
from holdfast.db import jobs, pipelines, stats
from tests.api.conftest import Headers, MakeKey
from tests.builders import a_queue

API = "/api/v1"
MOVE = "select holdfast.move_jobs('mail', 'other', 10, reason => 'busy', actor => 'Ada')"
Deed = Callable[[], Awaitable[object]]


@pytest.fixture
async def job(app: Holdfast) -> str:
    """In the queue mail."""
    async with app.database.transaction() as conn:
        await a_queue(conn, "other")
        return str(await conn.fetchval("select holdfast.enqueue('send', queue => 'mail')"))


@pytest.fixture
def move(app: Holdfast) -> Deed:
    return lambda: app.database.execute(MOVE)


async def state_and_queue(app: Holdfast, job: str) -> tuple[str, str]:
    found = await app.job(job).job()
    return found.state, found.queue


@pytest.mark.parametrize(
    ("module", "verb", "path"),
    [
        (jobs, "get_job", ""),
        (jobs, "job_states", "/state"),
        (jobs, "get_job", "/result"),
        (stats, "explain", "/explain"),
        (stats, "timeline", "/timeline"),
    ],
)
async def test_a_job_that_leaves_the_scope_is_not_read(
    http: AsyncClient,
    make_key: MakeKey,
    job: str,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    verb: str,
    path: str,
) -> None:
    limited = await make_key("viewer", queues=["mail"])
    assert (await http.get(f"{API}/jobs/{job}{path}", headers=limited)).status_code in (200, 202)
    first(monkeypatch, module, verb, move)
    assert (await http.get(f"{API}/jobs/{job}{path}", headers=limited)).status_code == 404


async def test_a_job_that_leaves_the_scope_is_not_changed(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    job: str,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited = await make_key("operator", queues=["mail"])
    first(monkeypatch, jobs, "cancel_jobs", move)
    assert (await send(http, limited, f"/jobs/{job}/cancel")).status_code == 404
    assert (await send(http, limited, "/jobs/cancel", jobs=[job])).status_code == 404
    assert await state_and_queue(app, job) == ("ready", "other")


async def test_a_job_that_leaves_the_scope_gets_no_signal(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    job: str,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited = await make_key("operator", queues=["mail"])
    first(monkeypatch, pipelines, "signal", move)
    assert (await send(http, limited, "/jobs/signals", jobs=[job], name="go")).status_code == 404
    assert await app.database.fetch("select from holdfast.signals") == []


async def test_a_key_that_is_revoked_while_the_body_comes_changes_nothing(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body, "LATE", -1.0)
    bulk = {"task": "send", "queue": "mail"}
    for role, path, document in (
        ("operator", f"/jobs/{job}/cancel", {}),
        ("operator", "/queues/mail/pause", {"reason": "busy"}),
        ("producer", "/jobs/bulk", bulk),
        ("producer", "/runs", {"name": "r", "jobs": [bulk]}),
    ):
        key = await make_key(role)

        async def late(role: str = role, document: Any = document) -> AsyncIterator[bytes]:
            await app.keys.revoke(role, "lost")
            yield json.dumps(document).encode()

        refused = await http.post(f"{API}{path}", content=late(), headers=key)
        assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), path
    assert [str(one.id) for one in await app.jobs()] == [job]
    assert await state_and_queue(app, job) == ("ready", "mail")
    (queue,) = await app.database.fetch("select paused_at from holdfast.queue_view where name = 'mail'")
    assert queue["paused_at"] is None


async def send(http: AsyncClient, key: Headers, path: str, **document: Any) -> Response:
    return await http.post(f"{API}{path}", json=document, headers=key)


def first(monkeypatch: pytest.MonkeyPatch, module: Any, verb: str, deed: Deed) -> None:
    """`deed` is done before the verb, on another connection."""
    real = getattr(module, verb)

    async def after(*args: Any, **more: Any) -> Any:
        await deed()
        return await real(*args, **more)

    monkeypatch.setattr(module, verb, after)
