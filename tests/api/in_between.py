"""What happens between the check of a request and what the request does, for tests."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from httpx2 import AsyncClient, Response

from holdfast.client.app import Holdfast
from tests.api.conftest import Headers
from tests.builders import a_queue, dead_job, ready_job

API = "/api/v1"
MOVE = "select holdfast.move_jobs('mail', 'other', 10, reason => 'busy', actor => 'Ada')"
SCOPE = "jsonb_build_object('scope', holdfast.access_scope(array['mail'], null))"
# All that a request of these tests could change.
WORLD = """
select
  (select json_agg(j order by j.id) from holdfast.job_view as j)::text,
  (select json_agg(d order by d.job_id) from holdfast.dead_letter_view as d)::text,
  (select json_agg(n order by n.id) from holdfast.note_view as n)::text,
  (select json_agg(r order by r.id) from holdfast.run_view as r)::text
"""
Deed = Callable[[], Awaitable[object]]


async def a_job(app: Holdfast) -> str:
    """Ready, in the queue mail."""
    async with app.database.transaction() as conn:
        await a_queue(conn, "other")
        return str(await ready_job(conn, task="send", queue="mail"))


async def a_letter(app: Holdfast) -> str:
    """Of a job that died in the queue mail."""
    async with app.database.transaction() as conn:
        await a_queue(conn, "other")
        return str((await dead_job(conn, queue="mail")).id)


async def a_run(app: Holdfast) -> str:
    """In the scope of a key for the queue mail: with a job that was cancelled and one that is ready."""
    async with app.database.transaction() as conn:
        await a_queue(conn, "other")
        run = await conn.fetchval(f"select holdfast.start_run('news', {SCOPE})")
        gone, _ = [await ready_job(conn, task="send", queue="mail", run=run) for _ in range(2)]
        await conn.execute("select holdfast.cancel_jobs(array[$1::uuid])", gone)
        return str(run)


async def world(app: Holdfast) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await app.database.fetch(WORLD)]


async def state_and_queue(app: Holdfast, job: str) -> tuple[str, str]:
    found = await app.job(job).job()
    return found.state, found.queue


async def send(http: AsyncClient, key: Headers, path: str, **document: Any) -> Response:
    return await http.post(f"{API}{path}", json=document, headers=key)


def first(monkeypatch: pytest.MonkeyPatch, module: Any, verb: str, deed: Deed) -> None:
    """`deed` is done before the verb, on another connection."""
    real = getattr(module, verb)

    async def after(*args: Any, **more: Any) -> Any:
        await deed()
        return await real(*args, **more)

    monkeypatch.setattr(module, verb, after)
