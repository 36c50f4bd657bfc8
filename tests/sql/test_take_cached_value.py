"""One attempt computes a cached value; the others read it, or wait for as long as they like."""

from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, expire_worker, refusal, release, rescue, running_job
from tests.sql.cached_values import HOUR, SAVE, TAKE, WAIT, save, take
from tests.sql.conftest import Clock


async def test_the_first_caller_computes_and_the_others_wait_then_read(conn: Connection) -> None:
    first, second = await running_job(conn), await running_job(conn)
    mine = await take(conn, first)
    assert [mine["result"], (await take(conn, second))["result"]] == ["compute", "wait"]
    assert await save(conn, first, mine["writer"], '{ "a": 1.50 }')
    found = await take(conn, second)
    assert (found["result"], found["value"], found["writer"]) == ("found", '{ "a": 1.50 }', None)


async def test_keys_belong_to_their_scope(conn: Connection) -> None:
    job = await running_job(conn)
    for scope, key in [("a", "k"), ("b", "k"), ("a", "l")]:
        assert (await take(conn, job, key, scope))["result"] == "compute"


async def test_the_key_of_an_attempt_that_ended_is_free(conn: Connection) -> None:
    first, second, third = [await running_job(conn) for _ in range(3)]
    await take(conn, first)
    await complete(conn, first)
    assert (await take(conn, second))["result"] == "compute"
    await release(conn, second)
    assert (await take(conn, third))["result"] == "compute"


async def test_the_key_of_a_killed_worker_is_free_after_the_rescue_and_its_late_value_is_refused(
    conn: Connection,
) -> None:
    first = await running_job(conn)
    mine = await take(conn, first)
    await expire_worker(conn, first.worker)
    assert (await rescue(conn))["recovered"] == 1
    second = await running_job(conn, queue="other")
    theirs = await take(conn, second)
    assert theirs["result"] == "compute"
    late = await refusal(conn, SAVE, first.id, first.token, "s", "k", mine["writer"], '"old"', HOUR)
    assert late.sqlstate == "HF006"
    assert (await refusal(conn, TAKE, first.id, first.token, "s", "k", WAIT)).sqlstate == "HF006"
    assert await save(conn, second, theirs["writer"], '"new"')
    assert (await take(conn, second))["value"] == '"new"'


@pytest.mark.parametrize(
    ("scope", "key"), [("", "k"), (None, "k"), ("s" * 201, "k"), ("s", ""), ("s", None), ("s", "ü" * 501)]
)
async def test_a_scope_or_key_that_is_empty_or_too_long_is_refused(
    conn: Connection, scope: str | None, key: str | None
) -> None:
    job = await running_job(conn)
    assert (await refusal(conn, TAKE, job.id, job.token, scope, key, WAIT)).sqlstate == "HF002"


async def test_maintenance_removes_expired_values_and_computations_that_were_given_up(
    conn: Connection, clock: Clock
) -> None:
    job = await running_job(conn)
    await save(conn, job, (await take(conn, job))["writer"])
    await take(conn, job, "given up")
    assert await conn.fetchval("select keys from holdfast.prune_jobs()") == 0
    await clock.advance(2 * HOUR)
    assert await conn.fetchval("select keys from holdfast.prune_jobs()") == 1
    await clock.advance(timedelta(days=1))
    assert await conn.fetchval("select keys from holdfast.prune_jobs()") == 1
    assert await conn.fetchval("select count(*) from holdfast.cached_values") == 0


async def test_values_are_read_and_pruned_by_index(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute("set local enable_seqscan = off")
    for query, index in [
        ("select from holdfast.cached_values where scope = 's' and key = 'k'", "cached_values_pkey"),
        (
            "select from holdfast.cached_values where expires_at < now() order by expires_at limit 9",
            "cached_values_expiry",
        ),
    ]:
        plan = "\n".join(row[0] for row in await conn.fetch(f"explain {query}"))
        assert index in plan, plan
    assert (await take(conn, job))["result"] == "compute"
