"""Reports of a whole worker beside transactions that have locked one of its jobs."""

import asyncio

from tests.builders import a_worker, claim, ready_jobs, to_json
from tests.patience import PATIENCE
from tests.race.crowd import Crowd

REPORT = "select job_id, result from holdfast.report_progress($1, $2, $3::jsonb[])"


async def test_a_locked_job_delays_no_report_of_others_and_is_not_called_lost(crowd: Crowd) -> None:
    holder, reporter = await crowd.join(), await crowd.join()
    await ready_jobs(crowd.watcher, 3)
    jobs = await claim(crowd.watcher, await a_worker(crowd.watcher), 3)
    sent = [job.id for job in jobs], [job.token for job in jobs], [to_json({"done": 1})] * 3
    transaction = holder.transaction()
    await transaction.start()
    await holder.execute("select from holdfast.jobs where id = $1 for update", jobs[1].id)
    async with asyncio.timeout(PATIENCE):
        rows = await reporter.fetch(REPORT, *sent)
    assert [tuple(row) for row in rows] == [(jobs[1].id, "busy")]
    await transaction.rollback()
    assert await reporter.fetch(REPORT, *sent) == []
    stored = await crowd.watcher.fetch("select job_id from holdfast.progress")
    assert {row["job_id"] for row in stored} == {job.id for job in jobs}
