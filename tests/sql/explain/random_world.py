"""Worlds of jobs, workers, queues and endpoints in any state, made by chance."""

import random
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import to_json

JOBS = 100
QUEUES = ("a", "b", "c", "d")
GROUPS = ("", "", "gpu", "eu")
TASKS = ("known", "strange")
ENDPOINTS = ("one", "two", "three", "four")
HOUR = 3600

LIVE_WORKERS = "select id from holdfast.workers where holdfast.has_lease(id) order by id"

# What explain says must still hold when the claim comes.
STOP_CLOCK = """
create or replace function holdfast.now()
returns timestamptz
language sql stable parallel safe
as 'select pg_catalog.now()'
"""


async def make_world(conn: Connection, chance: random.Random) -> None:
    await conn.execute("select setseed($1)", chance.random())
    for endpoint in ENDPOINTS:
        await make_endpoint(conn, endpoint, chance)
    for queue in QUEUES:
        await conn.execute("select holdfast.declare_queue($1, $2)", queue, to_json(limits(chance)))
    for task in TASKS:
        await conn.execute("select holdfast.declare_task($1, $2)", task, to_json(limits(chance)))
    await make_jobs(conn, chance)
    for _ in range(chance.randint(1, 7)):
        await make_worker(conn, chance)
    for queue in QUEUES:
        if chance.random() < 0.2:
            await conn.execute("select holdfast.pause_queue($1)", queue)
    for worker in await conn.fetch(LIVE_WORKERS):
        if chance.random() < 0.5:
            await conn.execute("select holdfast.claim_jobs($1, $2)", worker["id"], chance.randint(1, 20))
    for endpoint in ENDPOINTS:
        await disturb_endpoint(conn, endpoint, chance)
    if chance.random() < 0.1:
        await conn.execute("select holdfast.pause_all_queues()")


async def make_jobs(conn: Connection, chance: random.Random) -> None:
    budget = {"max_units": chance.choice((1, 20, 100))} if chance.random() < 0.5 else {}
    run = await conn.fetchval("select holdfast.start_run('a run', $1)", to_json(budget))
    await conn.execute(
        "select holdfast.enqueue_jobs($1, array_fill('{}'::json, array[$2::int]), '{}', $3)",
        [chance.choice(TASKS) for _ in range(JOBS)],
        JOBS,
        [to_json(job_options(chance, run)) for _ in range(JOBS)],
    )
    # Some expire, some are due and not promoted, some were tried before: by place, as ids are random.
    await conn.execute(
        """
        update holdfast.jobs as j
        set deadline = case when mod(p.place, 7) = 0 then now() + $1::text::interval end,
            due_at = case
              when j.state = 'scheduled' and mod(p.place, 2) = 0 then now() - interval '1 minute'
              else j.due_at
            end,
            failures = mod(p.place, 3)
        from (select id, row_number() over (order by id) as place from holdfast.jobs) as p
        where p.id = j.id
        """,
        chance.choice(("-1 hour", "1 hour")),
    )


def job_options(chance: random.Random, run: object) -> dict[str, object]:
    chosen: dict[str, object] = {"queue": chance.choice(QUEUES), "priority": chance.randint(0, 100)}
    if chance.random() < 0.3:
        chosen["group"] = chance.choice(GROUPS)
    if chance.random() < 0.2:
        chosen["delay"] = HOUR
    if chance.random() < 0.2:
        chosen["order_key"] = chance.choice("klm")
    if chance.random() < 0.2:
        chosen["run"] = run
    if chance.random() < 0.6:
        chosen["endpoint"] = chance.choice(ENDPOINTS)
        if chance.random() < 0.5:
            chosen["estimate"] = chance.randint(0, 20)
    return chosen


async def make_worker(conn: Connection, chance: random.Random) -> None:
    worker = UUID(int=chance.getrandbits(128), version=4)
    queues = chance.sample(QUEUES, chance.randint(1, len(QUEUES)))
    info = {"group": chance.choice(GROUPS), "tasks": chance.choice(([], ["known"])), "slots": 1000}
    await conn.execute("select holdfast.register_worker($1, $2, $3)", worker, queues, to_json(info))
    fate = chance.choice(("lives", "lives", "lives", "expired", "rescued", "draining", "stopped"))
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
    if chance.random() < 0.3:
        avoids = "select holdfast.avoid_lane($1, lane, now()) from holdfast.lanes where queue = $2"
        await conn.execute(avoids, worker, chance.choice(QUEUES))


def limits(chance: random.Random) -> dict[str, object]:
    chosen: dict[str, object] = {}
    if chance.random() < 0.15:
        chosen["max_concurrent"] = chance.choice((1, 3, 10))
    if chance.random() < 0.15:
        chosen["rate"] = chance.choice(("1/m", "5/m"))
    return chosen


async def make_endpoint(conn: Connection, name: str, chance: random.Random) -> None:
    settings: dict[str, object] = {"mode": "fixed", "max": chance.choice((1, 2, 5, 20, 100))}
    if chance.random() < 0.3:
        settings["requests_per_minute"] = chance.choice((1, 5, 30))
    if chance.random() < 0.3:
        settings["units_per_minute"] = chance.choice((1, 20, 200))
    if chance.random() < 0.3:
        settings |= {"budget_per_day": chance.choice((0, 10, 100)), "price": 0.5}
    if chance.random() < 0.5:
        settings["estimate"] = chance.randint(0, 10)
    if chance.random() < 0.5:
        settings["shares"] = {chance.choice(QUEUES): 0.9}
    if chance.random() < 0.2 and name != ENDPOINTS[0]:
        settings["fallback"] = ENDPOINTS[0]
    await conn.execute("select holdfast.declare_endpoint($1, $2)", name, to_json(settings))


async def disturb_endpoint(conn: Connection, name: str, chance: random.Random) -> None:
    """What its calls may have left behind; more often than not it is well."""
    if chance.random() < 0.15:
        await conn.execute("select holdfast.open_endpoint($1, 'maintenance')", name)
    await conn.execute(
        """
        update holdfast.endpoints
        set circuit = $2,
            probes = case when $2 = 'half_open' then $3 else 0 end,
            open_until = extract(epoch from now()) + $4,
            last_probe = extract(epoch from now()) - $5,
            blocked_until = extract(epoch from now()) + $6,
            rate = $7,
            rate_clock = extract(epoch from now()) + $8,
            spent_day = (now() at time zone 'UTC')::date,
            spent = $9
        where name = $1
        """,
        name,
        chance.choice(("closed",) * 5 + ("open", "half_open")),
        chance.randint(0, 3),
        chance.choice((-HOUR, HOUR)),
        chance.choice((1, 60)),
        chance.choice((-HOUR, -HOUR, -HOUR, HOUR)),
        chance.choice((None, None, 1.0, 5.0)),
        chance.choice((-10.0, 1.5, 3.0)),
        chance.choice((0.0, 8.0)),
    )
