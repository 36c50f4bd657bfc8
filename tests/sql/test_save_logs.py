"""What handlers logged is stored by attempt, redacted and bounded, once."""

from dataclasses import replace
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    claim_one,
    complete,
    completed_job,
    expire_worker,
    fail,
    ready_job,
    rescue,
    running_job,
)
from tests.sql.logs import LINES, SAVE, forget, line, messages, save, total

LIMIT = 64 * 1024
CUT = "The rest was cut: an attempt keeps 64 KiB of its log."


async def test_a_line_has_time_level_logger_and_message(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, line("one", "WARNING", "shop.cart"), line("two")) == 1
    rows = await conn.fetch(LINES, job.id)
    assert [tuple(row) for row in rows] == [(1, "WARNING", "shop.cart", "one"), (1, "INFO", "shop", "two")]
    at = await conn.fetchval("select at from holdfast.attempt_log_view limit 1")
    assert at.isoformat() == "2030-01-31T09:00:00.123000+00:00"


async def test_attempts_of_many_jobs_are_stored_by_one_call(conn: Connection) -> None:
    one, two = await running_job(conn, queue="a"), await running_job(conn, queue="b")
    columns = [
        [one.id, two.id],
        [1, 1],
        [one.token, two.token],
        [0, 0],
        ['[["2030-01-31Z","INFO","a","x"]]'] * 2,
    ]
    assert await conn.fetchval(SAVE.replace(", $6", ""), *columns) == 2
    assert (await messages(conn, one), await messages(conn, two)) == (["x"], ["x"])


async def test_a_part_that_is_sent_again_is_stored_once(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, "first") == 1
    size = await total(conn)
    assert await save(conn, job, "first") == 0
    assert await save(conn, job, "second", part=1) == 1
    assert await messages(conn, job) == ["first", "second"]
    assert size < await total(conn) < 3 * size


@pytest.mark.parametrize("ends", ["completed", "failed", "lost"])
async def test_lines_may_come_after_the_end_of_the_attempt(conn: Connection, ends: str) -> None:
    job = await running_job(conn, retry=[0])
    match ends:
        case "completed":
            assert await complete(conn, job)
        case "failed":
            assert await fail(conn, job)
        case _:
            await expire_worker(conn, job.worker)
            await rescue(conn)
    assert await save(conn, job, "late") == 1
    assert await messages(conn, job) == ["late"]


async def test_claims_with_the_same_number_are_kept_apart(conn: Connection) -> None:
    """As after a crash of the server that undid the first claim."""
    job = await running_job(conn)
    other = replace(job, token=uuid4())
    assert await save(conn, job, "mine") == 1
    assert await save(conn, other, "other") == 1
    assert await messages(conn, job) == ["mine", "other"]
    await forget(conn, other)
    assert await messages(conn, job) == ["mine"]


async def test_lines_of_unknown_jobs_and_of_attempts_to_come_are_dropped(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, replace(job, id=uuid4()), "who") == 0
    assert await save(conn, replace(job, attempt=2), "when") == 0
    assert await conn.fetchval("select count(*) from holdfast.attempt_log_view") == 0


async def test_secrets_are_removed_from_every_line(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, "password=hunter2hunter2", "plain", "to postgres://me:s3cretword@db/x")
    found = await messages(conn, job)
    assert ["[redacted]" in text for text in found] == [True, False, True]
    assert not any(secret in text for text in found for secret in ("hunter2", "s3cretword"))


async def test_an_attempt_keeps_64_kib_and_a_line_says_that_the_rest_was_cut(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, *["x" * 964] * 100)
    found = await messages(conn, job)
    assert found[-1] == CUT
    assert len(found) == 66  # 65 lines of 1,000 bytes with their logger and costs, and the last word
    assert await total(conn) <= LIMIT
    assert await save(conn, job, "too late", part=1) == 0
    assert await messages(conn, job) == found


async def test_the_limit_counts_the_parts_before(conn: Connection) -> None:
    job = await running_job(conn)
    for part in range(3):
        await save(conn, job, *["y" * 963] * 30, part=part)
    found = await messages(conn, job)
    assert (len(found), found[-1]) == (66, CUT)
    assert await total(conn) <= LIMIT


async def test_a_worker_that_has_cut_says_so(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, "the last one", is_cut=True)
    assert await messages(conn, job) == ["the last one", CUT]


async def test_the_log_of_a_good_attempt_is_deleted_again(conn: Connection) -> None:
    job, other = await running_job(conn, queue="a"), await running_job(conn, queue="b")
    await save(conn, job, "one")
    await save(conn, job, "two", part=1)
    await save(conn, other, "stays")
    assert await forget(conn, job) == 0
    assert (await messages(conn, job), await messages(conn, other)) == ([], ["stays"])
    await total(conn)


async def test_a_later_attempt_has_its_own_log(conn: Connection) -> None:
    job = await running_job(conn, retry=[0])
    await save(conn, job, "first")
    await fail(conn, job)
    again = await claim_one(conn, job.worker)
    await save(conn, again, "second")
    await forget(conn, again)
    assert await messages(conn, job) == ["first"]


async def test_a_plain_end_writes_no_log(conn: Connection) -> None:
    await completed_job(conn)
    await ready_job(conn)
    assert await conn.fetchval("select count(*) from holdfast.log_size_changes") == 0
