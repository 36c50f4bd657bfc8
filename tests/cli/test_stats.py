"""`holdfast stats` and `holdfast errors`."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, completed_job, dead_job, fail, ready_job
from tests.cli.command import holdfast
from tests.cli.scene import count_ends, given

STATS_KEYS = {
    *("name", "jobs", "completed", "rejected", "cancelled", "dead", "retried", "retried_completed"),
    *("per_minute", "wait_p50", "wait_p95", "wait_p99", "run_p50", "run_p95", "run_p99"),
    *("success_rate", "retry_rate", "retry_success_rate"),
}


async def a_past(conn: Connection) -> None:
    """Three jobs completed and one died; one is ready."""
    for _ in range(3):
        await completed_job(conn, queue="mail", task="send")
    await dead_job(conn, queue="mail", task="fetch")
    await count_ends(conn)
    await ready_job(conn, queue="mail")


def test_ends_are_counted_with_rates_and_percentiles(database_url: str) -> None:
    given(database_url, a_past)
    report = holdfast("stats", "--json", url=database_url).document
    (mail,) = report["ended"]
    assert mail.keys() == STATS_KEYS
    assert [mail[name] for name in ("name", "jobs", "completed", "dead", "success_rate")] == [
        *("mail", 4, 3, 1, 0.75)
    ]
    assert mail["run_p95"] is not None
    live = {queue["name"]: queue["ready"] for queue in report["live"]}
    assert (live["mail"], report["open_dead_letters"]) == (1, 1)


def test_a_report_is_by_task_and_of_one_queue(database_url: str) -> None:
    given(database_url, a_past)
    by_task = holdfast("stats", "--by", "task", "--json", url=database_url).document["ended"]
    assert {one["name"]: one["dead"] for one in by_task} == {"fetch": 1, "send": 0}
    other = holdfast("stats", "--queue", "other", "--json", url=database_url).document
    assert (other["ended"], other["live"], other["open_dead_letters"]) == ([], [], 0)
    assert (other["more_queues"], other["more_open_dead_letters"]) == (False, False)
    assert len(holdfast("stats", "--by", "hour", "--json", url=database_url).document["ended"]) in (1, 2)
    assert holdfast("stats", "--by", "moon", url=database_url).code == 2


def test_the_tables_fit_into_80_columns(database_url: str) -> None:
    given(database_url, a_past)
    shown = holdfast("stats", url=database_url, COLUMNS="80")
    assert max(map(len, shown.lines)) <= 80
    assert "75%" in shown.out
    assert "1 dead job is open" in shown.err


def test_errors_that_are_alike_are_counted_together(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        worker = await a_worker(conn)
        for message in ("row 1 is bad", "row 2 is bad", "no route"):
            await ready_job(conn)
            await fail(conn, await claim_one(conn, worker), message=message)

    given(database_url, make)
    errors = holdfast("errors", "--json", url=database_url).document["errors"]
    assert [(one["attempts"], one["jobs"]) for one in errors] == [(2, 2), (1, 1)]
    assert holdfast("errors", "--queue", "other", "--json", url=database_url).document == {"errors": []}
    shown = holdfast("errors", url=database_url, COLUMNS="80")
    assert errors[0]["fingerprint"] in shown.out
    assert max(map(len, shown.lines)) <= 80
