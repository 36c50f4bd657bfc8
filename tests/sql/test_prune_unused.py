"""Lanes, queues and endpoints that nobody declared and nothing has used for thirty days are removed."""

from datetime import timedelta
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim_one, complete, completed_job, ready_job, scheduled_job
from tests.sql.conftest import Clock

LONG = timedelta(days=31)
LANES = 'select queue, endpoint, "group" from holdfast.lanes order by 1, 2, 3'


async def prune(conn: Connection, most: int = 1000) -> tuple[int, int, int]:
    row = await conn.fetchrow("select * from holdfast.prune_unused($1)", most)
    assert row is not None
    return row["lanes"], row["queues"], row["endpoints"]


async def queues(conn: Connection) -> list[str]:
    return [row["name"] for row in await conn.fetch("select name from holdfast.queues order by name")]


async def endpoints(conn: Connection) -> list[str]:
    return [row["name"] for row in await conn.fetch("select name from holdfast.endpoints order by name")]


async def used_up(conn: Connection, **options: object) -> UUID:
    """A job that ended, and left its queue, lane and endpoint behind. Its worker is forgotten."""
    job = await completed_job(conn, **options)
    await conn.execute("delete from holdfast.workers")
    return job.id


async def test_what_a_typing_error_made_goes_after_thirty_days_and_is_recorded(
    conn: Connection, clock: Clock
) -> None:
    await used_up(conn, queue="defualt", endpoint="mdoel")
    await clock.advance(timedelta(days=29))
    assert await prune(conn) == (0, 0, 0)
    await clock.advance(timedelta(days=2))
    assert await prune(conn) == (2, 1, 1)
    assert [await queues(conn), await endpoints(conn), await conn.fetch(LANES)] == [[], [], []]
    told = await conn.fetch("select cause, queue, detail ->> 'endpoint' as endpoint from holdfast.events")
    assert ("remove_queue", "defualt", None) in [tuple(row) for row in told]
    assert ("remove_endpoint", None, "mdoel") in [tuple(row) for row in told]


async def test_what_holds_a_job_stays(conn: Connection, clock: Clock) -> None:
    await ready_job(conn, queue="ready")
    await scheduled_job(conn, timedelta(days=90), queue="scheduled", endpoint="model")
    worker = await a_worker(conn, ["running"], lease=timedelta(hours=1))
    await ready_job(conn, queue="running", group="g")
    await conn.execute("update holdfast.workers set \"group\" = 'g'")
    await claim_one(conn, worker)
    await conn.execute("delete from holdfast.workers")
    before = await conn.fetch(LANES)
    await clock.advance(LONG)
    lanes = await prune(conn)
    assert lanes == (1, 0, 0), "the plain lane of the queue whose job is of a group"
    assert await queues(conn) == ["ready", "running", "scheduled"]
    assert await endpoints(conn) == ["model"]
    assert len(await conn.fetch(LANES)) == len(before) - 1


async def test_what_was_declared_paused_or_named_stays(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, "declared")
    for queue in ("paused", "of a task", "of a worker", "of a share", "typo"):
        await used_up(conn, queue=queue)
    await used_up(conn, queue="typo", endpoint="of a queue")
    await used_up(conn, queue="typo", endpoint="of a task")
    await used_up(conn, queue="typo", endpoint="fallback")
    await used_up(conn, queue="typo", endpoint="held")
    await conn.execute("select holdfast.pause_queue('paused')")
    await conn.execute(
        'select holdfast.declare_task(\'t\', \'{"queue": "of a task", "endpoint": "of a task"}\')'
    )
    await conn.execute("select holdfast.declare_queue('declared', '{\"endpoint\": \"of a queue\"}')")
    settings = '{"fallback": "fallback", "shares": {"of a share": 0.5}}'
    await conn.execute("select holdfast.declare_endpoint('declared', $1)", settings)
    await conn.execute("select holdfast.open_endpoint('held')")
    await a_worker(conn, ["of a worker"])
    await clock.advance(LONG)
    await prune(conn)
    assert await queues(conn) == ["declared", "of a share", "of a task", "of a worker", "paused"]
    assert await endpoints(conn) == ["declared", "fallback", "held", "of a queue", "of a task"]


async def test_the_lane_of_a_stage_and_the_lane_beside_one_with_a_fallback_stay(
    conn: Connection, clock: Clock
) -> None:
    await conn.execute(
        'select holdfast.declare_pipeline(\'p\', \'{"stages": [{"name": "s", "task": "t"}]}\')'
    )
    await conn.execute("select holdfast.declare_endpoint('main', '{\"fallback\": \"spare\"}')")
    await scheduled_job(conn, timedelta(days=90), queue="q", endpoint="main")
    await clock.advance(LONG)
    assert await prune(conn) == (0, 0, 0)
    assert [tuple(row) for row in await conn.fetch(LANES)] == [
        ("p.s", "", ""),
        ("q", "main", ""),
        ("q", "spare", ""),
    ]


async def test_ends_of_its_jobs_keep_a_lane_and_write_it_once_a_day(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, ["q"], lease=timedelta(hours=20))
    expiry = "select expires_at from holdfast.lanes where queue = 'q'"
    await clock.advance(timedelta(days=25))
    moments = []
    for _ in range(3):
        await conn.execute("select holdfast.register_worker($1, array['q'])", worker)
        await ready_job(conn, queue="q")
        assert await complete(conn, await claim_one(conn, worker))
        await clock.advance(timedelta(minutes=5))
        await conn.execute("select holdfast.summarise_ends()")
        moments.append(await conn.fetchval(expiry))
        await clock.advance(timedelta(hours=1))
    assert moments[0] == moments[1] == moments[2]
    assert moments[0] > await clock.now() + timedelta(days=29)


async def test_a_queue_that_is_only_named_goes_and_one_that_is_declared_then_stays(
    conn: Connection, clock: Clock
) -> None:
    await conn.execute("select holdfast.declare_queue('named', null)")
    await conn.execute("select holdfast.declare_queue('declared', null)")
    await conn.execute("select holdfast.declare_queue('declared')")
    await clock.advance(LONG)
    await prune(conn)
    assert await queues(conn) == ["declared"]


async def test_ended_jobs_of_a_removed_lane_can_be_read_and_replayed(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, ["defualt"], group="gpu")
    job = await used_up(conn, worker=worker, queue="defualt", endpoint="mdoel", group="gpu")
    await clock.advance(LONG)
    assert await prune(conn) == (2, 1, 1)
    view = 'select queue, endpoint, "group", state from holdfast.job_view where id = $1'
    assert tuple(await conn.fetchrow(view, job) or ()) == ("defualt", "mdoel", "gpu", "completed")
    assert (
        await conn.fetchval("select result from holdfast.replay_jobs(array[$1]::uuid[])", job) == "replayed"
    )
    assert tuple(await conn.fetchrow(view, job) or ()) == ("defualt", "mdoel", "gpu", "ready")
    assert await queues(conn) == ["defualt"]
    assert await endpoints(conn) == ["mdoel"]


async def test_it_looks_at_so_many_at_a_time(conn: Connection, clock: Clock) -> None:
    await conn.execute(
        "select holdfast.find_lane('queue ' || i, null, null) from generate_series(1, 25) as i"
    )
    await clock.advance(LONG)
    removed = [await prune(conn, 10) for _ in range(4)]
    assert [sum(one[:1]) for one in removed] == [10, 10, 5, 0]
    assert await queues(conn) == []
