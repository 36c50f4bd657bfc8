"""A worker killed with SIGKILL, at every moment of a job's life."""

import signal
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
COUNT = 20
SLOTS = 6
SWEEP = 2.0  # the bound is two of them: one is left for a busy machine
# By the database's clock: from the end of the victim's lease, or from when somebody was there to see it.
RESCUED_AFTER = """
select max(a.ended_at - greatest(gone.lease_until, here.started_at))
from holdfast.attempts as a
join holdfast.workers as gone on gone.id = a.worker_id
cross join (select started_at from holdfast.workers where pid = $1) as here
where a.outcome = 'lost'
"""


# A job that books completes in its own transaction: its worker has no end to send.
@pytest.mark.parametrize(
    ("task", "point"),
    [
        pytest.param("plain", "after_claim", marks=pytest.mark.slow),
        ("plain", "during_run"),
        ("plain", "before_settle"),
        pytest.param("plain", "after_settle", marks=pytest.mark.slow),
        pytest.param("book", "after_claim", marks=pytest.mark.slow),
        ("book", "during_run"),
    ],
)
async def test_every_job_of_a_killed_worker_is_done_by_another_and_has_one_end(
    here: World, database_url: str, start: Start, task: str, point: str
) -> None:
    ids = await here.enqueue(task, *({"n": n} for n in range(COUNT)))
    victim = start(database_url, f"{point}=kill@2", slots=SLOTS, lease=1)
    assert (await victim.ended())[0] == -9
    rescuer = start(database_url, slots=SLOTS, sweep=SWEEP)
    await until(here.reaches(completed=COUNT))
    assert await here.violations() == {}
    jobs = [await here.job(job) for job in ids]
    assert sorted(job["output"] for job in jobs) == list(range(COUNT))
    assert all(job["losses"] <= 1 and job["failures"] == 0 for job in jobs)
    # A handler that has returned frees its slot at once: while one loop still sends the ends of up to SLOTS
    # jobs, the other may have claimed as many new ones. The kill loses both.
    lost = sum(job["losses"] for job in jobs)
    assert 1 <= lost <= 2 * SLOTS
    assert await here.conn.fetchval(RESCUED_AFTER, rescuer.pid) <= timedelta(seconds=2 * SWEEP)
    if task == "book":
        assert await here.conn.fetchval("select count(*) from effects") == COUNT


async def test_a_job_that_kills_every_worker_is_dead_after_three_losses_and_its_neighbours_are_done(
    here: World, database_url: str, start: Start
) -> None:
    """The handler is not reached again afterwards: losses are counted by the rescue, not by the victim."""
    (bomb,) = await here.enqueue("plain", {"n": 0}, priority=100)
    for _ in range(3):
        victim = start(database_url, "during_run=kill", slots=1, lease=1)
        assert (await victim.ended())[0] == -9
        await until(lambda: rescued(here))
    others = await here.enqueue("plain", *({"n": n} for n in range(5)))
    worker = start(database_url, slots=2, drain=True)
    assert (await worker.ended())[0] == 0
    assert (await here.job(bomb))["state"] == "dead"
    assert [(await here.job(job))["state"] for job in others] == ["completed"] * 5
    assert await here.conn.fetchval("select count(*) from calls where job = $1", bomb) == 3


async def test_what_a_killed_worker_had_reported_stays_until_the_next_attempt_reports(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("report", {"most": 10})
    victim = start(database_url, slots=1, lease=1)

    async def progress() -> tuple[Any, ...]:
        row = await here.conn.fetchrow("select done, total, item from holdfast.progress_view")
        return () if row is None else tuple(row)

    async def has_reported() -> bool:
        return await progress() == (5, 10, "half")

    await until(has_reported)
    victim.signal(signal.SIGKILL)
    await victim.ended()
    await until(lambda: rescued(here))
    assert await progress() == (5, 10, "half")
    worker = start(database_url, slots=1, drain=True)
    assert (await worker.ended())[0] == 0
    assert ((await here.job(job))["state"], await progress()) == ("completed", (10, 10, "last"))


async def rescued(here: World) -> int:
    row = await here.conn.fetchrow("select recovered, dead from holdfast.rescue_jobs()")
    assert row is not None
    return int(row["recovered"] + row["dead"])
