"""In any state of the world a ready job is claimed by some live worker or explained, and never both."""

import random
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import to_json

WORLDS = 100
JOBS = 100
QUEUES = ("a", "b", "c", "d")
GROUPS = ("", "", "gpu", "eu")
PAST_OR_FUTURE = ("-1 hour", "1 hour")

EXPLAINED = """
select
  j.id, j.state, j.due_at <= holdfast.now() as is_due, coalesce(bool_or(e.blocks), false) as is_blocked,
  l.endpoint <> '' as shares_permits
from holdfast.jobs as j
join holdfast.lanes as l on l.lane = j.lane
left join lateral holdfast.explain(j.id) as e on true
group by j.id, l.endpoint
"""
LIVE_WORKERS = "select id from holdfast.workers where holdfast.has_lease(id)"
CLAIM = "select job_id from holdfast.claim_jobs($1, 1000)"


@pytest.mark.parametrize("batch", range(4))
async def test_every_ready_job_is_either_claimable_or_explained(conn: Connection, batch: int) -> None:
    claimed_ever = blocked_ever = 0
    for seed in range(batch, WORLDS, 4):
        trial = conn.transaction()
        await trial.start()
        await make_world(conn, random.Random(seed))
        told = {row["id"]: row for row in await conn.fetch(EXPLAINED)}
        claimed = await claim_everything(conn)
        await trial.rollback()
        for job, row in told.items():
            assert not (row["is_blocked"] and job in claimed), f"seed {seed}: {job} was blocked and claimed"
            # An endpoint with room lets the first in line start, and only then refuses the others.
            if (row["state"] == "ready" or row["is_due"]) and not row["shares_permits"]:
                assert row["is_blocked"] or job in claimed, f"seed {seed}: {job} is neither"
        claimed_ever += len(claimed)
        blocked_ever += sum(row["is_blocked"] for row in told.values())
    assert claimed_ever > 100, "the worlds are too bleak to tell anything"
    assert blocked_ever > 100, "the worlds are too easy to tell anything"


async def claim_everything(conn: Connection) -> set[UUID]:
    claimed: set[UUID] = set()
    for worker in await conn.fetch(LIVE_WORKERS):
        claimed |= {row["job_id"] for row in await conn.fetch(CLAIM, worker["id"])}
    return claimed


async def make_world(conn: Connection, chance: random.Random) -> None:
    await make_jobs(conn, chance)
    for _ in range(chance.randint(0, 4)):
        await make_worker(conn, chance)
    for queue in QUEUES:
        if chance.random() < 0.3:
            await conn.execute("select holdfast.declare_queue($1)", queue)
            await conn.execute("select holdfast.pause_queue($1)", queue)
    if chance.random() < 0.5 and await conn.fetchval(f"select count(*) from ({LIVE_WORKERS}) as w"):
        worker = await conn.fetchval(f"{LIVE_WORKERS} limit 1")
        await conn.execute("select holdfast.claim_jobs($1, $2)", worker, chance.randint(1, 20))


async def make_jobs(conn: Connection, chance: random.Random) -> None:
    await conn.execute(
        "select holdfast.enqueue_jobs($1, array_fill('{}'::json, array[$2::int]), '{}', $3)",
        [chance.choice(("known", "strange")) for _ in range(JOBS)],
        JOBS,
        [to_json(options(chance)) for _ in range(JOBS)],
    )
    await conn.execute(
        "update holdfast.jobs set deadline = now() + $1::text::interval where mod(hashtext(id::text), 7) = 0",
        chance.choice(PAST_OR_FUTURE),
    )
    # Due, and not promoted yet.
    await conn.execute(
        "update holdfast.jobs set due_at = now() - interval '1 minute'"
        " where state = 'scheduled' and mod(hashtext(id::text), 2) = 0"
    )


def options(chance: random.Random) -> dict[str, object]:
    chosen: dict[str, object] = {"queue": chance.choice(QUEUES), "priority": chance.randint(0, 100)}
    if chance.random() < 0.3:
        chosen["group"] = chance.choice(GROUPS)
    if chance.random() < 0.2:
        chosen["delay"] = 3600
    if chance.random() < 0.2:
        chosen["order_key"] = chance.choice("kl")
    if chance.random() < 0.1:
        chosen["endpoint"] = "model"
    return chosen


async def make_worker(conn: Connection, chance: random.Random) -> None:
    worker = uuid4()
    queues = chance.sample(QUEUES, chance.randint(1, len(QUEUES)))
    info = {"group": chance.choice(GROUPS), "tasks": chance.choice(([], ["known"])), "slots": 1000}
    await conn.execute("select holdfast.register_worker($1, $2, $3)", worker, queues, to_json(info))
    fate = chance.choice(("lives", "lives", "expired", "rescued", "draining", "stopped"))
    if fate == "expired":
        await conn.execute(
            "update holdfast.workers set lease_until = now() - interval '1 hour' where id = $1", worker
        )
    elif fate == "rescued":
        await conn.execute("update holdfast.workers set rescued_at = now() where id = $1", worker)
    elif fate == "draining":
        await conn.execute('select holdfast.renew_lease($1, \'{"state": "draining"}\')', worker)
    elif fate == "stopped":
        await conn.execute("select holdfast.stop_worker($1)", worker)
