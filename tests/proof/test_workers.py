"""What is left of the fault table about workers: killed between steps, and hosts with a wrong clock."""

from collections.abc import Callable

import pytest

from holdfast.db.invariants import check_invariants
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
DAY = 86_400


@pytest.mark.slow
async def test_a_step_that_was_recorded_is_not_done_again_after_a_kill_between_steps(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("steps", {"n": 4})
    victim = start(database_url, "between_steps=kill@2", slots=1, lease=1)
    assert (await victim.ended())[0] == -9
    start(database_url, slots=1, drain=True)
    await until(here.reaches(completed=1))
    calls = await here.conn.fetch("select attempt, count(*) as steps from calls group by 1 order by 1")
    assert [(row["attempt"], row["steps"]) for row in calls] == [(1, 2), (2, 2)]
    assert (await here.job(job))["output"] == 4
    assert await check_invariants(here.conn) == []


@pytest.mark.slow
@pytest.mark.parametrize("shift", [DAY, -DAY])
async def test_a_worker_whose_clock_is_wrong_by_a_day_works_like_any_other(
    here: World, database_url: str, start: Start, shift: int
) -> None:
    (told,) = await here.enqueue("what_time", {})
    start(database_url, slots=4, lease=2, clock_shift=shift)
    await until(here.reaches(completed=1))
    now = await here.conn.fetchval("select extract(epoch from clock_timestamp())::float8")
    assert abs((await here.job(told))["output"] - now - shift) < DAY / 2, "its clock is not wrong"
    due = await here.enqueue("plain", *({"n": n} for n in range(10)), delay=0.5)
    later = await here.enqueue("plain", {"n": 1}, delay=3600)
    start(database_url, slots=4)
    await until(here.reaches(completed=11, scheduled=1))
    jobs = [await here.job(job) for job in due]
    assert all((job["losses"], job["failures"], job["attempt"]) == (0, 0, 1) for job in jobs)
    assert (await here.job(later[0]))["state"] == "scheduled"
    assert await check_invariants(here.conn) == []
