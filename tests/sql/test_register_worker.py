"""A worker gets its row and its first lease."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    claim_one,
    complete,
    expire_worker,
    ready_job,
    refusal,
    rescue,
    state_of,
    the_job,
    to_json,
)
from tests.sql.access_keys import a_key
from tests.sql.conftest import Clock

REGISTER = "select holdfast.register_worker($1, $2, $3)"


async def test_a_worker_is_seen_as_it_describes_itself(conn: Connection, clock: Clock) -> None:
    worker = uuid4()
    info = {
        "group": "gpu", "host": "here", "pid": 7, "version": "1.2", "slots": 3, "lease": 60,
        "tasks": ["a", "b"], "metadata": {"zone": 1},
    }  # fmt: skip
    until = await conn.fetchval(REGISTER, worker, ["q", "r"], to_json(info))
    assert timedelta(seconds=55) < until - await clock.now() <= timedelta(seconds=60)
    (row,) = await conn.fetch("select * from holdfast.worker_view")
    assert (row["id"], row["group"], row["queues"], row["tasks"]) == (worker, "gpu", ["q", "r"], ["a", "b"])
    assert (row["host"], row["pid"], row["version"], row["slots"], row["state"]) == (
        "here", 7, "1.2", 3, "working",
    )  # fmt: skip
    assert row["lease_until"] == until


async def test_a_lease_lasts_half_a_minute_by_default(conn: Connection, clock: Clock) -> None:
    until = await conn.fetchval(REGISTER, uuid4(), ["q"], "{}")
    assert timedelta(seconds=25) < until - await clock.now() <= timedelta(seconds=30)


async def test_naming_a_queue_makes_it(conn: Connection) -> None:
    await a_worker(conn, ["brand-new"])
    names = [row["name"] for row in await conn.fetch("select name from holdfast.queue_view")]
    assert "brand-new" in names


@pytest.mark.parametrize(
    ("queues", "info"),
    [
        ([], {}),
        (None, {}),
        ([""], {}),
        ([None], {}),
        (["q" * 201], {}),
        (["q"], {"lease": 0.5}),
        (["q"], {"lease": 100_000}),
        (["q"], {"lease": "soon"}),
        (["q"], {"slots": 0}),
        (["q"], {"slots": "many"}),
        (["q"], {"pid": 10**12}),
        (["q"], {"tasks": 5}),
    ],
)
async def test_a_worker_that_makes_no_sense_is_refused(conn: Connection, queues: Any, info: Any) -> None:
    assert (await refusal(conn, REGISTER, uuid4(), queues, to_json(info))).sqlstate == "HF002"


async def test_a_worker_that_registers_again_takes_its_new_settings_and_its_losses_are_forgiven(
    conn: Connection,
) -> None:
    worker = await a_worker(conn, ["default"], group="a")
    job = await ready_job(conn)
    await claim_one(conn, worker)
    await expire_worker(conn, worker)
    await rescue(conn)
    await a_worker(conn, ["default", "q"], worker=worker, group="b")
    (row,) = await conn.fetch("select * from holdfast.worker_view")
    assert (row["queues"], row["group"], row["rescued_at"]) == (["default", "q"], "b", None)
    stored = await the_job(conn, job)
    assert (stored["losses"], stored["deferrals"]) == (0, 1)


async def test_jobs_that_a_rescue_passed_over_are_given_back_when_the_worker_registers_again(
    database_url: str,
) -> None:
    """A rescue skips rows that are locked just then, and nobody else would ever end them."""
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    worker, job = await a_worker(conn), await ready_job(conn)
    held = await claim_one(conn, worker)
    await expire_worker(conn, worker)
    async with other.transaction():
        await other.execute("select from holdfast.jobs where id = $1 for update", job)
        assert (await rescue(conn))["recovered"] == 0
    await a_worker(conn, worker=worker)
    assert await state_of(conn, job) == "ready"
    assert not await complete(conn, held)
    await conn.close()
    await other.close()


async def test_an_access_key_has_a_bounded_number_of_live_workers(conn: Connection, clock: Clock) -> None:
    key, other = await a_key(conn), await a_key(conn, secret="two", name="two")
    for_key = ["default"], to_json({"access_key": str(key)})
    first = uuid4()
    await conn.execute(REGISTER, first, *for_key)
    await conn.execute(
        "insert into holdfast.workers (id, queues, lease, lease_until, renewed_at, started_at, access_key)"
        " select gen_random_uuid(), queues, lease, lease_until, renewed_at, started_at, access_key"
        " from holdfast.workers, generate_series(1, 9999)"
    )
    assert (await refusal(conn, REGISTER, uuid4(), *for_key)).sqlstate == "HF005"
    await conn.execute(REGISTER, first, *for_key)  # is one of them
    await conn.execute(REGISTER, uuid4(), ["default"], to_json({"access_key": str(other)}))
    await conn.execute(REGISTER, uuid4(), ["default"], "{}")
    await conn.execute("select holdfast.stop_worker($1)", first)
    await conn.execute(REGISTER, uuid4(), *for_key)
    await clock.advance(timedelta(minutes=5))
    await conn.execute(REGISTER, uuid4(), *for_key)  # the leases of all others have ended
