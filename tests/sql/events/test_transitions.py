"""Every verb moves a job only along the transitions that the model allows, as the audit trail tells."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import pairwise
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from holdfast.model.state import TRANSITIONS, State
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    cancelled_job,
    claim,
    claim_one,
    complete,
    completed_job,
    dead_job,
    expire_worker,
    fail,
    ready_job,
    rejected_job,
    release,
    replay,
    rescue,
    running_job,
    scheduled_job,
    settle,
    snooze,
    state_of,
    waiting_job,
)
from tests.sql.conftest import Clock

HOUR = timedelta(hours=1)

Build = Callable[[Connection, Clock], Awaitable[UUID]]


async def promoted(conn: Connection, clock: Clock) -> UUID:
    job = await scheduled_job(conn)
    await clock.advance(2 * HOUR)
    await conn.execute("select holdfast.promote_jobs()")
    return job


async def moved_up(conn: Connection, clock: Clock) -> UUID:
    job = await waiting_job(conn, "k")
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    return job


async def moved_up_for_later(conn: Connection, clock: Clock) -> UUID:
    head = await ready_job(conn, order_key="k")
    job = await ready_job(conn, order_key="k", delay=60)
    await cancel(conn, head)
    return job


async def replayed_into_line(conn: Connection, clock: Clock) -> UUID:
    job = await cancelled_job(conn, order_key="k")
    await ready_job(conn, order_key="k")
    await replay(conn, job)
    return job


async def expired_ready(conn: Connection, clock: Clock) -> UUID:
    return await expired(conn, clock, await ready_job(conn, deadline=await clock.now() + HOUR))


async def expired_scheduled(conn: Connection, clock: Clock) -> UUID:
    return await expired(conn, clock, await scheduled_job(conn, 2 * HOUR, deadline=await clock.now() + HOUR))


async def expired_waiting(conn: Connection, clock: Clock) -> UUID:
    await ready_job(conn, order_key="k")
    return await expired(conn, clock, await ready_job(conn, order_key="k", deadline=await clock.now() + HOUR))


async def expired(conn: Connection, clock: Clock, job: UUID) -> UUID:
    await clock.advance(2 * HOUR)
    await rescue(conn)
    return job


async def rescued(conn: Connection, clock: Clock) -> UUID:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await rescue(conn)
    return job.id


async def fenced(conn: Connection, clock: Clock) -> UUID:
    job = await running_job(conn, await a_worker(conn, lease=2 * HOUR))
    await cancel(conn, job.id)
    await clock.advance(HOUR)
    await rescue(conn)
    return job.id


async def settled(conn: Connection, verb: str, **detail: object) -> UUID:
    job = await running_job(conn)
    assert await settle(conn, job, verb, detail)
    return job.id


async def and_replayed(conn: Connection, job: UUID) -> UUID:
    assert await replay(conn, job) == "replayed"
    return job


# The last transition of each story.
STORIES: list[tuple[str, str, str, Build]] = [
    ("waiting", "ready", "move up", moved_up),
    ("waiting", "scheduled", "move up for later", moved_up_for_later),
    ("waiting", "dead", "expire", expired_waiting),
    ("scheduled", "ready", "promote", promoted),
    ("scheduled", "dead", "expire", expired_scheduled),
    ("ready", "dead", "expire", expired_ready),
    ("running", "ready", "rescue", rescued),
    ("running", "cancelled", "fence", fenced),
    ("cancelled", "waiting", "replay into a line", replayed_into_line),
]


async def test_every_story_ends_with_its_transition(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, detail="full")
    for source, target, name, build in STORIES:
        savepoint = conn.transaction()
        await savepoint.start()
        job = await build(conn, clock)
        assert await state_of(conn, job) == target, name
        assert (await trail(conn, job))[-1] == (source, target), name
        await savepoint.rollback()


@pytest.mark.parametrize(
    ("verb", "detail", "target"),
    [
        ("complete", {}, "completed"),
        ("reject", {}, "rejected"),
        ("cancel", {}, "cancelled"),
        ("fail", {"class": "permanent"}, "dead"),
        ("fail", {"class": "transient"}, "scheduled"),
        ("snooze", {"delay": 60}, "scheduled"),
        ("snooze", {"delay": 0}, "ready"),
        ("release", {}, "ready"),
        ("advance", {"stage": "two"}, "ready"),
        ("advance", {"stage": "two", "delay": 60}, "scheduled"),
    ],
)
async def test_every_end_of_an_attempt_leads_from_running_to_its_state(
    conn: Connection, verb: str, detail: dict[str, object], target: str
) -> None:
    await a_queue(conn, detail="full")
    job = await settled(conn, verb, **detail)
    assert await trail(conn, job) == [("", "ready"), ("ready", "running"), ("running", target)]
    assert await state_of(conn, job) == target


async def test_cancels_and_replays_lead_from_every_state_that_allows_them(conn: Connection) -> None:
    await a_queue(conn, detail="full")
    for job in [await ready_job(conn), await scheduled_job(conn), await waiting_job(conn, "k")]:
        await cancel(conn, job)
        assert (await trail(conn, job))[-1][1] == "cancelled"
    await cancel(conn, await conn.fetchval("select id from holdfast.jobs"))
    ended = [
        (await completed_job(conn)).id,
        (await rejected_job(conn)).id,
        (await dead_job(conn)).id,
        await cancelled_job(conn),
    ]
    for job in ended:
        await and_replayed(conn, job)
        assert (await trail(conn, job))[-1][1] == "ready"


async def test_a_wild_life_stays_within_the_model_and_its_trail_has_no_gap(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, detail="full", retry=[0] * 50, max_losses=50)
    worker = await a_worker(conn, lease=timedelta(days=1))
    job = await ready_job(conn, order_key="k")
    for n in range(6):
        await release(conn, await claim_one(conn, worker))
        await fail(conn, await claim_one(conn, worker))
        await snooze(conn, await claim_one(conn, worker), timedelta(seconds=30))
        await clock.advance(timedelta(minutes=1))
        await fail(conn, await claim_one(conn, worker), "rate_limited", retry_after=10)
        await clock.advance(timedelta(minutes=1))
        await settle(conn, await claim_one(conn, worker), "advance", {"stage": str(n)})
        lost = await a_worker(conn)
        await claim_one(conn, lost)
        await expire_worker(conn, lost)
        await rescue(conn)
        end = ["complete", "reject", "cancel", "fail"][n % 4]
        await settle(conn, await claim_one(conn, worker), end, {"class": "permanent"})
        await and_replayed(conn, job)
    steps = await trail(conn, job)
    for (_, there), (source, target) in pairwise(steps):
        assert source == there
        assert State(target) in TRANSITIONS[State(source)]
    assert len(steps) > 70
    assert await claim(conn, worker)


async def trail(conn: Connection, job: UUID) -> list[tuple[str, str]]:
    """The transitions of a job. What a person asked for stands beside the transition that it caused."""
    rows = await conn.fetch(
        """
        select coalesce(from_state, '') as source, to_state as target
        from holdfast.events
        where job_id = $1 and cause <> 'cancel'
        order by id
        """,
        job,
    )
    for row in rows:
        if row["source"]:
            assert State(row["target"]) in TRANSITIONS[State(row["source"])], row
    return [(row["source"], row["target"]) for row in rows]
