"""A producer reads the states of the jobs that its own login enqueued, and nothing of other jobs."""

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, complete, fail, ready_job, refusal, the_job
from tests.sql.conftest import Clock

STATES = "select * from holdfast.job_states($1)"
LOGINS = {
    "shop": "holdfast_producer",
    "rival": "holdfast_producer",
    "eye": "holdfast_viewer",
    "hand": "holdfast_worker",
    "boss": "holdfast_operator",
}


@pytest_asyncio.fixture(loop_scope="session")
async def logins(conn: Connection) -> None:
    for login, role in LOGINS.items():
        await conn.execute(f"create role {login} login in role {role}")


async def log_in(conn: Connection, login: str) -> None:
    await conn.execute(f"set local session authorization {login}")


async def log_out(conn: Connection) -> None:
    await conn.execute("reset session authorization")


async def states(conn: Connection, login: str, ids: Iterable[UUID]) -> list[Record]:
    await log_in(conn, login)
    try:
        return await conn.fetch(STATES, list(ids))
    finally:
        await log_out(conn)


async def jobs_of_the_shop(conn: Connection) -> list[UUID]:
    """A completed one, one that failed once, and a ready one."""
    await log_in(conn, "shop")
    jobs = [await ready_job(conn, payload="secret") for _ in range(3)]
    await log_out(conn)
    worker = await a_worker(conn)
    await complete(conn, await claim_one(conn, worker), "secret")
    await fail(conn, await claim_one(conn, worker), retry_after=60)
    return jobs


@pytest.mark.usefixtures("logins")
async def test_a_producer_reads_the_state_of_its_own_jobs(conn: Connection) -> None:
    jobs = await jobs_of_the_shop(conn)
    found = await states(conn, "shop", [*jobs, uuid4()])
    assert [row["job_id"] for row in found] == jobs
    assert [row["state"] for row in found] == ["completed", "scheduled", "ready"]
    assert [row["attempt"] for row in found] == [1, 1, 0]
    assert [row["error_type"] for row in found] == [None, "ValueError", None]
    assert [row["error_class"] for row in found] == [None, "transient", None]
    assert [row["ended_at"] is None for row in found] == [False, True, True]


@pytest.mark.usefixtures("logins")
async def test_payload_output_and_words_of_errors_are_left_out(conn: Connection) -> None:
    found = await states(conn, "shop", await jobs_of_the_shop(conn))
    assert not {*found[0].keys()} & {"payload", "output", "labels", "reason", "message", "progress"}
    assert "secret" not in str([tuple(row) for row in found])


@pytest.mark.usefixtures("logins")
@pytest.mark.parametrize(("login", "seen"), [("shop", 3), ("rival", 0), ("eye", 3), ("hand", 3), ("boss", 3)])
async def test_who_reads_how_much(conn: Connection, login: str, seen: int) -> None:
    jobs = await jobs_of_the_shop(conn)
    assert len(await states(conn, login, jobs)) == seen


@pytest.mark.usefixtures("logins")
@pytest.mark.parametrize("call", ["get_job($1)", "list_jobs()", "explain($1)", "timeline($1)"])
async def test_a_producer_reads_no_job_whole(conn: Connection, call: str) -> None:
    (job, *_) = await jobs_of_the_shop(conn)
    await log_in(conn, "shop")
    args = [job] if "$1" in call else []
    assert (await refusal(conn, f"select * from holdfast.{call}", *args)).sqlstate == "42501"


@pytest.mark.usefixtures("logins")
async def test_a_claimed_name_opens_nothing(conn: Connection) -> None:
    await log_in(conn, "rival")
    job = await ready_job(conn, actor="shop")
    await log_out(conn)
    assert await states(conn, "shop", [job]) == []


@pytest.mark.usefixtures("logins")
async def test_a_producer_that_sets_its_role_still_reads_its_jobs(conn: Connection) -> None:
    jobs = await jobs_of_the_shop(conn)
    await log_in(conn, "shop")
    await conn.execute("set local role holdfast_producer")
    assert len(await conn.fetch(STATES, jobs)) == 3


async def test_a_superuser_that_acts_as_a_producer_reads_as_one(conn: Connection) -> None:
    await conn.execute("create role shop login in role holdfast_producer")
    jobs = await jobs_of_the_shop(conn)
    assert len(await conn.fetch(STATES, jobs)) == 3
    await conn.execute("set local role holdfast_producer")
    assert await conn.fetch(STATES, jobs) == []


async def test_the_times_are_those_of_the_job(conn: Connection, clock: Clock) -> None:
    job = await ready_job(conn)
    await clock.advance(timedelta(minutes=1))
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    (found,) = await conn.fetch(STATES, [job])
    row = await the_job(conn, job)
    for name in ("created_at", "ready_at", "started_at", "ended_at", "changed_at"):
        assert found[name] == row[name]


async def test_more_than_ten_thousand_are_refused(conn: Connection) -> None:
    assert (await refusal(conn, STATES, [uuid4()] * 10_001)).sqlstate == "HF002"
