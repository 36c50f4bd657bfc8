"""New queues named at once by several enqueues."""

import asyncio
from uuid import uuid4

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import to_json
from tests.race.crowd import Crowd

QUEUES = 20
ROUNDS = 10


async def enqueue_into(conn: Connection, queues: list[str]) -> list[asyncpg.Record]:
    """One job into each, in one call."""
    return await conn.fetch(
        "select job_id from holdfast.enqueue_jobs(array['task'], $1::json[], '{}', $2::jsonb[])",
        ["{}"] * len(queues),
        [to_json({"queue": queue}) for queue in queues],
    )


async def test_enqueues_that_name_the_same_new_queues_in_opposite_order_do_not_deadlock(crowd: Crowd) -> None:
    one, other = await crowd.join(), await crowd.join()
    name = uuid4()  # other races leave their queues behind
    for round_ in range(ROUNDS):
        queues = [f"{name} {round_} {n}" for n in range(QUEUES)]
        made = await asyncio.gather(enqueue_into(one, queues), enqueue_into(other, queues[::-1]))
        assert [len(jobs) for jobs in made] == [QUEUES, QUEUES]
    lanes = await crowd.watcher.fetchval(
        "select count(*) from holdfast.lanes where queue like $1", f"{name} %"
    )
    assert lanes == QUEUES * ROUNDS
