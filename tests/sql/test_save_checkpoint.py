"""Partial work is kept by name across attempts, and only the owner of a job writes it."""

from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    claim_one,
    complete,
    fail,
    ready_job,
    refusal,
    release,
    replay,
    running_job,
)

SAVE = "select holdfast.save_checkpoint($1, $2, $3, $4)"


async def saved(conn: Connection, job: UUID) -> dict[str, tuple[str, int]]:
    rows = await conn.fetch("select * from holdfast.load_checkpoints($1)", job)
    return {row["name"]: (row["data"], row["attempt"]) for row in rows}


async def save(conn: Connection, job: Running, name: str, data: str | None) -> bool:
    return bool(await conn.fetchval(SAVE, job.id, job.token, name, data))


async def test_checkpoints_survive_attempts_and_the_latest_of_a_name_wins(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, "a", "[1]")
    assert await save(conn, job, "b", "null")
    await release(conn, job)
    again = await claim_one(conn, job.worker)
    assert await save(conn, again, "a", "[2]")
    assert await saved(conn, job.id) == {"a": ("[2]", 2), "b": ("null", 1)}


async def test_a_stale_worker_saves_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, "a", "1")
    await release(conn, job)
    assert not await save(conn, job, "a", "2")
    again = await claim_one(conn, job.worker)
    assert not await save(conn, job, "a", "3")
    await complete(conn, again)
    assert not await save(conn, again, "a", "4")
    assert await saved(conn, job.id) == {"a": ("1", 1)}


async def test_jobs_that_do_not_run_cannot_save(conn: Connection) -> None:
    job = await ready_job(conn)
    assert await conn.fetchval(SAVE, job, uuid4(), "a", "1") is False
    assert await conn.fetchval(SAVE, uuid4(), uuid4(), "a", "1") is False
    assert await conn.fetchval(SAVE, job, None, "a", "1") is False


async def test_nothing_saves_as_null(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, "a", None)
    assert await saved(conn, job.id) == {"a": ("null", 1)}


@pytest.mark.parametrize("name", ["", "n" * 201, None])
async def test_a_checkpoint_needs_a_name(conn: Connection, name: str | None) -> None:
    job = await running_job(conn)
    assert (await refusal(conn, SAVE, job.id, job.token, name, "1")).sqlstate == "HF002"


async def test_a_checkpoint_has_at_most_a_mebibyte(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, "a", '"' + "x" * (1048576 - 2) + '"')
    error = await refusal(conn, SAVE, job.id, job.token, "a", '"' + "x" * 1048575 + '"')
    assert error.sqlstate == "HF001"


async def test_a_dead_job_finds_its_checkpoints_when_replayed(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, "a", "1")
    await fail(conn, job, "permanent")
    await replay(conn, job.id)
    assert await saved(conn, job.id) == {"a": ("1", 1)}
