"""What the dashboard shows besides a busy day: depths by minute, runs, progress, versions, jobs put off."""

from datetime import timedelta
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import Running, an_open_run, ready_jobs, report, waiting_job
from tests.report.busy_day import ENDPOINT, STAGES, BusyDay
from tests.stage_builders import a_pipeline

BUDGET_RUN, POSTS_RUN, ENDED_RUN, CANCELLED_RUN = "re-match May bills", "spring posts", "warm-up", "old list"
GOING_RUN, OPEN_RUN = "evaluate the new prompt", "captures of today"
REPORTS: dict[str, dict[str, Any]] = {
    "capture": {"done": 412, "total": 655, "note": "files", "item": "src/index/merge.rs"},
    "research": {"done": 3, "total": 5, "item": "read sources"},
    "match": {"done": 88, "note": "pages"},
}


class BusyExtras:
    """Each event happens once, when its share of the day is over."""

    def __init__(self) -> None:
        self._day: BusyDay | None = None
        self._ahead = sorted(
            {
                0.05: _put_off,
                0.1: _ended_run,
                0.3: _cancelled_run,
                0.4: _second_version,
                0.6: _posts_run,
                0.74: _budget_run,
                0.85: _going_run,
                0.9: _open_run,
            }.items(),
            reverse=True,
        )

    async def tick(self, day: BusyDay) -> None:
        self._day = day
        await day.conn.execute("select holdfast.sample_depths(), holdfast.close_runs()")
        while self._ahead and self._ahead[-1][0] <= day.share:
            _, happen = self._ahead.pop()
            await happen(day.conn)

    async def finish(self) -> None:
        """Some of what runs has told how far it is; ended runs are closed."""
        assert self._day is not None
        for number, work in enumerate(self._day.work):
            row = work.row
            if number % 3 < 2 and row["task"] in REPORTS:
                job = Running(row["job_id"], row["token"], self._day.worker, row["attempt"])
                await report(self._day.conn, job, **REPORTS[row["task"]])
        await self._day.conn.execute("select holdfast.close_runs()")


async def _put_off(conn: Connection) -> None:
    await ready_jobs(conn, 12, queue="repo-capture", task="capture", delay=timedelta(hours=3))
    await ready_jobs(conn, 2, pipeline="posts", delay=timedelta(hours=5))  # on the first version
    for _ in range(3):
        await waiting_job(conn, "account-7", queue="capture-backfill", task="capture")


async def _run(conn: Connection, name: str, count: int, options: dict[str, Any], **jobs: Any) -> None:
    run = await an_open_run(conn, name, **options)
    await ready_jobs(conn, count, run=run, **jobs)
    await conn.execute("select holdfast.seal_run($1)", run)


async def _ended_run(conn: Connection) -> None:
    await _run(conn, ENDED_RUN, 10, {"origin": "manual"}, queue="chat-replies", task="reply")


async def _cancelled_run(conn: Connection) -> None:
    await _run(conn, CANCELLED_RUN, 5, {}, queue="repo-capture", task="capture", delay=timedelta(hours=1))
    await conn.execute(
        "select holdfast.cancel_run(id, 'wrong list', 'Ada') from holdfast.run_view where name = $1",
        CANCELLED_RUN,
    )


async def _second_version(conn: Connection) -> None:
    stages = [_stage(one) for one in STAGES]
    await a_pipeline(conn, "posts", [*stages[:-1], {**stages[-1], "max_visits": 3}])


def _stage(name: str) -> dict[str, Any]:
    endpoint = {"endpoint": ENDPOINT[name]} if name in ENDPOINT else {}
    return {"name": name, "task": name, **endpoint}


async def _posts_run(conn: Connection) -> None:
    await _run(conn, POSTS_RUN, 15, {"labels": {"season": "spring"}}, pipeline="posts")


async def _budget_run(conn: Connection) -> None:
    retry = {"delays": [20, 60]}
    options = {"budget": "1 USD", "labels": {"customer": "assembly"}}
    await _run(conn, BUDGET_RUN, 60, options, queue="bill-alerts", task="match", retry=retry)


async def _going_run(conn: Connection) -> None:
    """Some of its jobs end before the day does."""
    options = {"budget": "2 USD", "max_units": 400_000, "labels": {"prompt": "v7", "team": "alerts"}}
    await _run(conn, GOING_RUN, 240, {**options, "actor": "Ada"}, queue="bill-alerts", task="match")


async def _open_run(conn: Connection) -> None:
    await an_open_run(conn, OPEN_RUN, origin="trigger")
