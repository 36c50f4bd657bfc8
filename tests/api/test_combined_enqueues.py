"""Requests at once that enqueue with one access key share a statement, which checks the key."""

import asyncio
from typing import Any

import pytest
from asyncpg import Record
from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from tests.api.conftest import Headers, MakeKey
from tests.api.test_enqueue import enqueue, stored


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("producer")


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Those that the pool of the app sends."""
    seen: list[str] = []
    real = Database.fetch

    async def fetch(self: Database, query: str, /, *args: Any) -> list[Record]:
        seen.append(query)
        return await real(self, query, *args)

    monkeypatch.setattr(Database, "fetch", fetch)
    return seen


async def test_requests_at_once_share_a_statement_that_checks_their_key(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, statements: list[str]
) -> None:
    for key in (await make_key("producer"), await make_key("producer", queues=["mail"])):
        assert (
            await enqueue(http, key, queue="mail")
        ).status_code == 201  # the server learns whose key it is
        statements.clear()
        made = await asyncio.gather(
            *(enqueue(http, key, payload=n, queue="mail", priority=n) for n in range(9))
        )
        ids = {answer.json()["id"]: n for n, answer in enumerate(made)}
        assert [answer.status_code for answer in made] == [201] * 9
        jobs = [job for job in await stored(app) if str(job.id) in ids]
        assert all(ids[str(job.id)] == job.payload == job.priority for job in jobs)
        assert len(jobs) == 9
        sent = [one for one in statements if "list_jobs" not in one]
        assert len(sent) == 2, "the first job goes at once, the others together"
        assert all("enqueue_with_key" in one for one in sent)


async def test_a_job_that_is_refused_takes_none_of_the_others_with_it(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    key = await make_key("producer", queues=["mail"])
    queues = ["mail", "mail", "other", "mail", "other"]
    for _ in range(2):  # the second time the server knows the key
        made = await asyncio.gather(*(enqueue(http, key, queue=queue) for queue in queues))
        assert [answer.status_code for answer in made] == [201, 201, 403, 201, 403]
    assert [job.queue for job in await stored(app)] == ["mail"] * 6


async def test_a_key_that_the_server_knows_ends_with_its_revocation(
    http: AsyncClient, app: Holdfast, key: Headers, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await enqueue(http, key)).status_code == 201
    await app.keys.revoke("producer", "lost")
    caplog.set_level("INFO", "holdfast")
    refused = await asyncio.gather(*(enqueue(http, key, unique_key=one) for one in (None, None, "a")))
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(401, "not_authenticated")}
    logged = [vars(one)["fields"] for one in caplog.records if vars(one).get("event") == "api.request"]
    assert [one.get("key") for one in logged] == [None] * 3, "the log names no key that is not valid"
    assert len(await stored(app)) == 1
