"""Who may watch what live: scopes, keys that are revoked, subjects that do not exist."""

from datetime import timedelta
from uuid import UUID

import pytest
from fastapi import FastAPI

from holdfast.api.live import streams
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import close_session, open_session
from holdfast.model.access_key import hash_secret
from tests.api.conftest import Headers, MakeKey
from tests.api.event_client import next_of, streaming
from tests.builders import a_queue, ready_job, running_job

LIVE = "/api/v1/live"
NONE = UUID(int=0)  # the same in every test process


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("viewer")


async def a_job(app: Holdfast, **options: object) -> UUID:
    async with app.database.transaction() as conn:
        return await ready_job(conn, **options)


async def test_a_key_for_some_queues_sees_only_them(
    live_api: FastAPI, app: Holdfast, make_key: MakeKey
) -> None:
    mine, other = await a_job(app, queue="mail"), await a_job(app, queue="other")
    limited = await make_key("viewer", queues=["mail"])
    async with streaming(live_api, f"{LIVE}?watch=overview&watch=job:{mine}", limited) as client:
        overview = (await next_of(client))["snapshot"]
        assert [queue["name"] for queue in overview["queues"]] == ["mail"]
        assert (await next_of(client))["snapshot"]["id"] == str(mine)
    async with app.database.transaction() as conn:
        running = await running_job(conn, queue="mail2")
        run = await conn.fetchval("select holdfast.start_run('other')")
        own = await conn.fetchval(
            "select holdfast.start_run('own', jsonb_build_object("
            " 'scope', holdfast.access_scope(array['mail2'], null)))"
        )
    second = await make_key("viewer", queues=["mail2"])
    async with streaming(live_api, f"{LIVE}?watch=job:{running.id}&watch=run:{own}", second) as client:
        assert (await next_of(client))["snapshot"]["worker"] is None
        assert (await next_of(client))["snapshot"]["name"] == "own"
    by_task = await make_key("viewer", tasks=["task"])
    for header, watch, status in (
        (limited, f"job:{other}", 404),
        (limited, f"run:{run}", 404),
        (limited, "endpoints", 403),
        (by_task, "overview", 403),
        (await make_key("producer"), "overview", 403),
        (await make_key("worker"), f"job:{mine}", 403),
    ):
        async with streaming(live_api, f"{LIVE}?watch={watch}", header) as client:
            assert (await client.problem())["status"] == status, watch


async def test_a_job_that_is_moved_out_of_the_scope_is_not_shown_any_more(
    live_api: FastAPI, app: Holdfast, make_key: MakeKey
) -> None:
    job = await a_job(app, queue="mail")
    limited = await make_key("viewer", queues=["mail"])
    async with streaming(live_api, f"{LIVE}?watch=job:{job}", limited) as client:
        await next_of(client)
        async with app.database.transaction() as conn:
            await a_queue(conn, "other")
            await conn.execute(
                "select holdfast.move_jobs('mail', 'other', 10, reason => 'test', actor => 'Ada')"
            )
        while (found := await client.event()) is not None:
            assert found["snapshot"] is None, "gone"


async def test_a_closed_session_ends_its_stream(live_api: FastAPI, app: Holdfast) -> None:
    made = await app.keys.create("ops", "viewer")
    session = hash_secret("hfs_session")
    await open_session(app.database, hash_secret(made.secret), session, timedelta(hours=1))
    cookie = {"Cookie": "holdfast_session=hfs_session", "Sec-Fetch-Site": "same-origin"}
    async with streaming(live_api, LIVE, cookie) as client:
        await next_of(client)
        await close_session(app.database, session)
        while await client.event() is not None:
            pass


async def test_a_revoked_key_ends_its_streams_and_no_other(
    live_api: FastAPI, app: Holdfast, key: Headers, make_key: MakeKey
) -> None:
    job = await a_job(app)
    other = await make_key("operator")
    url = f"{LIVE}?watch=job:{job}"
    async with (
        streaming(live_api, url, key) as first,
        streaming(live_api, url, key) as second,
        streaming(live_api, url, other) as third,
    ):
        for client in (first, second, third):
            await next_of(client)
        await app.keys.revoke("viewer")
        assert (await first.event(), await second.event()) == (None, None)
        async with app.database.transaction() as conn:
            await conn.execute("select holdfast.cancel_jobs(array[$1]::uuid[], 'test', 'Ada')", job)
        assert (await next_of(third))["snapshot"]["state"] == "cancelled"


@pytest.mark.parametrize(
    ("watch", "status"),
    [
        ("runs", 422), ("run", 422), ("run:", 422), ("run:x", 422), ("overview:x", 422), ("", 422),
        (f"run:{NONE}", 404), (f"job:{NONE}", 404), ("%00%ff", 422),
        ("&".join(f"watch=job:{UUID(int=n)}" for n in range(11)).removeprefix("watch="), 422),
    ],
)  # fmt: skip
async def test_what_cannot_be_watched_is_refused(
    live_api: FastAPI, key: Headers, watch: str, status: int
) -> None:
    async with streaming(live_api, f"{LIVE}?watch={watch}", key) as client:
        assert (await client.problem())["status"] == status


async def test_one_key_leaves_subjects_for_the_others(
    live_api: FastAPI, app: Holdfast, key: Headers, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_OF_KEY", 1)
    one, two = [f"{LIVE}?watch=job:{await a_job(app)}" for _ in range(2)]
    async with streaming(live_api, one, key) as first, streaming(live_api, one, key) as again:
        for client in (first, again):
            await next_of(client)
        async with streaming(live_api, two, key) as refused:
            problem = await refused.problem()
        assert (refused.status, problem["code"]) == (429, "too_many_subjects")
        async with streaming(live_api, two, await make_key("operator")) as other:
            await next_of(other)
    async with streaming(live_api, two, key) as later:
        await next_of(later)
