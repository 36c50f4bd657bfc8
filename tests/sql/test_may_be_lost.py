"""A claim alone need not wait for the disk, unless somebody counts on it; every end does."""

import re
from uuid import UUID

import asyncpg
import pytest_asyncio

from holdfast.db.connect import Connection
from holdfast.db.sql_files import SQL
from holdfast.db.worker import settle_and_claim
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.outcome import DONE
from tests.builders import Running, a_queue, a_worker, claim_one, complete, ready_job, running_job


@pytest_asyncio.fixture(loop_scope="session")
async def durable(conn: Connection) -> Connection:
    """The server of the tests does not sync; users' servers do."""
    await conn.execute("set local synchronous_commit = on")
    return conn


async def mode(conn: Connection) -> str:
    found: str = await conn.fetchval("show synchronous_commit")
    return found


async def turn(conn: Connection, worker: UUID, *ends: Running) -> int:
    ids, tokens = [JobId(job.id) for job in ends], [Token(job.token) for job in ends]
    answer = await settle_and_claim(conn, WorkerId(worker), 10, ids, tokens, [DONE] * len(ends))
    return len(answer.claimed)


async def test_a_claim_of_plain_jobs_does_not_wait_for_the_disk(durable: Connection) -> None:
    worker = await a_worker(durable)
    await ready_job(durable)
    assert await turn(durable, worker) == 1
    assert await mode(durable) == "off"


async def test_a_claim_with_a_permit_does(durable: Connection) -> None:
    worker = await a_worker(durable)
    await ready_job(durable, endpoint="model")
    await ready_job(durable)
    assert await turn(durable, worker) == 2
    assert await mode(durable) == "on"


async def test_a_claim_under_a_limit_does(durable: Connection) -> None:
    await a_queue(durable, max_concurrent=5)
    worker = await a_worker(durable)
    await ready_job(durable)
    assert await turn(durable, worker) == 1
    assert await mode(durable) == "on"


async def test_a_turn_with_an_end_does(durable: Connection) -> None:
    job = await running_job(durable)
    await ready_job(durable)
    assert await turn(durable, job.worker, job) == 1
    assert await mode(durable) == "on"


async def test_the_next_transaction_of_the_session_is_durable_again(database_url: str) -> None:
    session = await asyncpg.connect(database_url)
    await session.execute("set synchronous_commit = on")
    worker = await a_worker(session)
    await ready_job(session)
    assert await turn(session, worker) == 1
    assert await mode(session) == "on"
    await session.close()


def test_no_verb_changes_how_a_users_transaction_commits() -> None:
    """The one setting that a verb changes is for how long a transaction may idle before its commit."""
    setting = re.compile(r"synchronous_commit|set_config\(|\bset\s+(local|session)\b", re.IGNORECASE)
    files = list(SQL.rglob("*.sql"))
    assert len(files) > 100
    allowed = "set_config('idle_in_transaction_session_timeout'"
    assert [path.name for path in files if setting.search(path.read_text().replace(allowed, ""))] == []


async def test_the_token_of_a_claim_that_a_crash_undid_never_comes_back(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    seen = set()
    for _ in range(20):
        crash = conn.transaction()
        await crash.start()
        undone = await claim_one(conn, worker)
        await crash.rollback()
        assert not await complete(conn, undone)
        seen.add(undone.token)
    assert len(seen) == 20
    assert await complete(conn, await claim_one(conn, worker))
