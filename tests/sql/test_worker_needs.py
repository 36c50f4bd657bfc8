"""worker_needs: the same as recommended_workers, for many queues in one call."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, ready_jobs, refusal
from tests.sql.conftest import Clock
from tests.sql.test_recommended_workers import INSERT, MINUTE

NEEDS = "select * from holdfast.worker_needs($1)"
LONG_AGO = """
insert into holdfast.end_totals (
  what, queue, task, pipeline, stage, state, name, jobs, retried, retries, tries, units, cost, wait_seconds,
  run_seconds, wait_tens, run_tens
)
values ('end', 'long-ago', 'task', '', '', 'completed', '', 5, 0, 0, 5, 0, 0, 0, 5, '{}', '{"30": 5}')
"""
NEED = "select * from holdfast.recommended_workers($1)"


async def test_each_queue_is_judged_by_its_own_figures(conn: Connection, clock: Clock) -> None:
    now = await clock.now()
    for queue, per_minute, tenth in (("slow", 10, "40"), ("quick", 600, "20")):
        await conn.execute(INSERT, [now - 5 * MINUTE], [per_minute], queue, tenth)
    await conn.execute(LONG_AGO)
    await ready_jobs(conn, 40, queue="slow")
    await ready_jobs(conn, 3, queue="long-ago")
    await a_worker(conn, ["quick"], slots=8)
    await claim(conn, await a_worker(conn, ["slow"], slots=2), 2)
    names = ["slow", "quick", "long-ago", "empty"]
    found = await conn.fetch(NEEDS, names)
    assert [row["queue"] for row in found] == names
    assert [tuple(row) for row in found] == [tuple((await conn.fetch(NEED, name))[0]) for name in names]
    slow, quick, long_ago, empty = found
    assert (slow["ready"], slow["running"], slow["slots_each"]) == (38, 2, 2)
    assert (quick["ready"], quick["running"], quick["slots_each"]) == (0, 0, 8)
    assert slow["seconds_per_job"] > 10
    assert 1 > quick["seconds_per_job"] > 0.1
    assert long_ago["seconds_per_job"] > 1, "by all its ends"
    assert slow["workers"] > quick["workers"] >= 1 > empty["workers"] == 0


async def test_no_queue_needs_nothing_and_nonsense_is_refused(conn: Connection) -> None:
    assert await conn.fetch(NEEDS, []) == []
    error = await refusal(conn, "select holdfast.worker_needs($1, '0.1 seconds')", ["default"])
    assert error.sqlstate == "HF002"
