"""A queue may name one label; its ends are then counted by the value of it."""

from datetime import timedelta

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.stats import StatsBy
from tests.builders import a_queue, claim, complete, completed_job, ready_job, refusal, rejected_job
from tests.sql.conftest import Clock
from tests.sql.endpoints.scene import a_caller
from tests.sql.summarise_ends.scene import counts, summarise, totals

HOUR = timedelta(hours=1)


async def by_label(conn: Connection) -> dict[str, int]:
    return {row.name: row.jobs for row in await stats.end_stats(conn, HOUR, StatsBy.LABEL)}


async def test_ends_are_counted_by_the_label_that_the_queue_names(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, stats_label="customer")
    await completed_job(conn, labels={"customer": "Ada", "colour": "red"})
    await rejected_job(conn, labels={"customer": "Ada"})
    await completed_job(conn)
    await completed_job(conn, queue="other", labels={"customer": "Bob"})
    await summarise(conn)
    assert await by_label(conn) == {"(none)": 1, "Ada": 2}
    (row,) = await stats.end_stats(conn, HOUR, StatsBy.ALL)
    assert row.jobs == 4, "each end counts once where labels are not asked for"


async def test_rare_values_share_a_line_and_give_way_to_frequent_ones(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, stats_label="customer")
    worker = await a_caller(conn)
    now = await clock.now()
    await clock.advance(now.replace(second=1, microsecond=0) + timedelta(minutes=1) - now)
    for n in range(60):
        await ready_job(conn, labels={"customer": f"c{n:02}"})
    for job in await claim(conn, worker, 100):
        await complete(conn, job)
    await summarise(conn)
    first = await by_label(conn)
    assert (len(first), first["(other)"], sum(first.values())) == (51, 10, 60)
    for _ in range(2):
        await ready_job(conn, labels={"customer": "c59"})
    for job in await claim(conn, worker, 100):
        await complete(conn, job)
    await summarise(conn)
    second = await by_label(conn)
    assert (len(second), second["c59"], sum(second.values())) == (51, 3, 62)
    assert await totals(conn, "label") == {}, "values of labels have no end"
    assert len(await counts(conn, "label")) == 51


async def test_a_label_has_a_name(conn: Connection) -> None:
    error = await refusal(conn, "select holdfast.declare_queue('q', '{\"stats_label\": \"\"}')")
    assert (error.sqlstate, "stats_label" in str(error.hint)) == ("HF002", True)
