"""Permits under killed workers: real processes call one endpoint, some of them vanish in the middle."""

import signal
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World
from tests.sql.endpoints.scene import MODEL, an_endpoint, assert_balanced

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
LEASE, SWEEP = 2.0, 2.0
# Every admission, not a sample: the count rises only when a claim starts calls.
WATCHED = """
create table excess (at timestamptz, in_flight integer, room double precision);
create function watch() returns trigger language plpgsql security definer as $$
begin
  insert into public.excess
  select clock_timestamp(), new.in_flight, new.limit
  where new.in_flight > case new.circuit when 'closed' then floor(new.limit) else 3 end;
  return new;
end
$$;
create trigger watched after update on holdfast.endpoints
for each row when (new.in_flight > old.in_flight) execute function watch();
"""
HELD = """
select count(*) from holdfast.jobs where worker_id = any ($1) and in_flight_at_start is not null
"""
LOSSES = """
select coalesce(max(ended_at), now()) as last, count(*) as n
from holdfast.attempts
where worker_id = any ($1) and outcome = 'lost'
"""


@pytest.mark.parametrize(
    ("workers", "killed", "jobs"),
    [
        pytest.param(4, 2, 80),
        pytest.param(10, 4, 600, marks=pytest.mark.slow),
    ],
)
async def test_no_call_too_many_and_permits_of_killed_workers_come_back_within_a_lease(
    here: World, database_url: str, start: Start, workers: int, killed: int, jobs: int
) -> None:
    await an_endpoint(here.conn, MODEL, max=16)
    await here.conn.execute(WATCHED)
    await the_watch_sees(here.conn)
    payloads = [{"seconds": 0.05 + 0.01 * (n % 20), "fails": n % 10 == 0} for n in range(jobs)]
    await here.enqueue("call", *payloads, endpoint=MODEL, retry=[0] * 9, estimate=1)
    crew = [start(database_url, slots=8, lease=LEASE, sweep=SWEEP) for _ in range(workers)]
    await until(lambda: balanced_and_busy(here.conn, workers))
    victims = await holders(here.conn, {process.pid for process in crew}, killed)
    at = await kill(here.conn, [process for process in crew if process.pid in victims])
    gone = list(victims.values())
    assert await here.conn.fetchval(HELD, gone) > 0, "nobody was killed in a call"
    await until(lambda: balanced_and_returned(here.conn, gone))
    (losses,) = await here.conn.fetch(LOSSES, gone)
    assert losses["n"] >= killed
    assert losses["last"] - at <= timedelta(seconds=LEASE + 2 * SWEEP)
    await until(lambda: balanced_and_done(here, jobs))
    assert await here.conn.fetch("select * from excess") == []
    assert await here.violations() == {}
    assert await here.conn.fetchval("select in_flight from holdfast.endpoints") == 0


async def the_watch_sees(conn: Connection) -> None:
    """A watch that can see nothing proves nothing."""
    await conn.execute("update holdfast.endpoints set in_flight = 17")
    assert await conn.fetchval("select count(*) from excess") == 1
    await conn.execute("update holdfast.endpoints set in_flight = 0")
    await conn.execute("delete from excess")


async def balanced_and_busy(conn: Connection, workers: int) -> bool:
    await assert_balanced(conn)
    busy = "select count(*) from holdfast.endpoints where in_flight >= 4"
    there = "select count(*) from holdfast.workers where state = 'working'"
    return bool(await conn.fetchval(there) == workers and await conn.fetchval(busy) == 1)


async def holders(conn: Connection, pids: set[int], count: int) -> dict[int, UUID]:
    """Workers by their processes, those with the most permits first."""
    rows = await conn.fetch(
        "select w.pid, w.id from holdfast.workers as w left join holdfast.jobs as j on j.worker_id = w.id"
        " group by w.id order by count(j.id) desc"
    )
    return dict([(row["pid"], row["id"]) for row in rows if row["pid"] in pids][:count])


async def kill(conn: Connection, victims: list[WorkerProcess]) -> datetime:
    """Stopped first, all at once, so that what they hold is what they die with."""
    for process in victims:
        process.signal(signal.SIGSTOP)
    at: datetime = await conn.fetchval("select holdfast.now()")
    for process in victims:
        process.signal(signal.SIGKILL)
    return at


async def balanced_and_returned(conn: Connection, gone: list[UUID]) -> bool:
    await assert_balanced(conn)
    return bool(await conn.fetchval(HELD, gone) == 0)


async def balanced_and_done(here: World, jobs: int) -> bool:
    await assert_balanced(here.conn)
    return await here.counts() == {"completed": jobs}
