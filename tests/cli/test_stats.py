"""`holdfast stats` and `holdfast errors`."""

from dataclasses import fields

import pytest

from holdfast.db.connect import Connection
from holdfast.model.stats import ErrorGroup
from tests.builders import a_queue, a_worker, claim_one, completed_job, dead_job, fail, ready_job, settle
from tests.cli.command import holdfast
from tests.cli.scene import count_ends, given
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls, claimed
from tests.sql.summarise_ends.scene import call, many_counts

STATS_KEYS = {
    *("name", "jobs", "completed", "rejected", "cancelled", "dead", "retried", "retried_completed"),
    *("per_minute", "wait_p50", "wait_p95", "wait_p99", "run_p50", "run_p95", "run_p99"),
    *("success_rate", "retry_rate", "retry_success_rate", "retries_per_job", "advanced", "failed", "lost"),
    *("retries", "units", "cost", "wait_mean", "run_mean", "is_partial"),
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


async def a_costly_past(conn: Connection) -> None:
    """Two calls of a model at a price, in a task that also used a tool."""
    await a_fixed_endpoint(conn, price=0.5)
    await calls(conn, 1, task="ask", labels={"customer": "Ada"})
    await a_queue(conn, stats_label="customer")
    (job,) = await claimed(conn, await a_caller(conn))
    await call(conn, job, units=10, seconds=2)
    await call(conn, job, "tool", name="look_up", seconds=1)
    assert await settle(conn, job, "complete", {"units": 10})
    await count_ends(conn)


def test_units_cost_calls_and_parts_are_told(database_url: str) -> None:
    given(database_url, a_costly_past)
    (task,) = holdfast("stats", "--by", "task", "--json", url=database_url).document["ended"]
    assert (task["units"], task["cost"]) == (10, 5)
    printed = holdfast("stats", url=database_url).lines
    assert [line.split() for line in printed if line.startswith("default")][1] == [
        *("default", "10", "5", "10", "5")
    ]
    (model,) = holdfast("stats", "--by", "model", "--json", url=database_url).document["calls"]
    assert (model["name"], model["calls"], model["cost"]) == ("big", 1, 5)
    assert holdfast("stats", "--by", "tool", url=database_url).lines[1].split()[:2] == ["look_up", "1"]
    (part,) = holdfast("stats", "--by", "part", "--json", url=database_url).document["parts"]
    assert (part["name"], part["model"], part["tool"]) == ("ask", 2, 1)
    assert "ask" in holdfast("stats", "--by", "part", url=database_url).lines[1]
    (label,) = holdfast("stats", "--by", "label", "--json", url=database_url).document["ended"]
    assert (label["name"], label["jobs"]) == ("Ada", 1)
    assert "5" in holdfast("jobs", "list", url=database_url).lines[1].split()


@pytest.mark.slow
@pytest.mark.parametrize(("by", "items", "figure"), [("all", "ended", "jobs"), ("model", "calls", "calls")])
def test_figures_that_were_cut_off_are_said_to_be_too_low(
    database_url: str, by: str, items: str, figure: str
) -> None:
    given(database_url, lambda conn: many_counts(conn, 200_001))
    (cut,) = holdfast("stats", "--by", by, "--json", url=database_url).document[items]
    assert (cut[figure], cut["is_partial"]) == (200_000, True)
    assert "these figures are too low" in holdfast("stats", "--by", by, url=database_url).err
    (whole,) = holdfast("stats", "--by", by, "--queue", "q1", "--json", url=database_url).document[items]
    assert (whole[figure], whole["is_partial"]) == (1, False)
    assert "too low" not in holdfast("stats", "--by", by, "--queue", "q1", url=database_url).err


def test_how_long_statistics_are_kept_is_set_with_a_reason(database_url: str) -> None:
    keep = ("queues", "keep-statistics")
    told = holdfast(*keep, "2d", "60d", "--reason", "space", url=database_url)
    assert told.out == "set: statistics are kept by minute for 2d and by hour for 60d\n"
    assert holdfast(*keep, "2d", "1d", "--reason", "space", url=database_url).code != 0


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
    found = holdfast("errors", "--json", url=database_url).document
    errors = found["errors"]
    assert [(one["attempts"], one["jobs"]) for one in errors] == [(2, 2), (1, 1)]
    assert (found["total"]["attempts"], found["total"]["groups"]) == (3, 2)
    assert {*errors[0]} == {one.name for one in fields(ErrorGroup)}
    for chosen in (["--queue", "other"], ["--stage", "x"], ["--text", "nothing"], ["--skip", "2"]):
        assert holdfast("errors", *chosen, "--json", url=database_url).document["errors"] == [], chosen
    (one,) = holdfast("errors", "--text", "ROUTE", "--json", url=database_url).document["errors"]
    assert one == errors[1]
    assert "there are 2 groups" in holdfast("errors", "--limit", "1", url=database_url).err
    shown = holdfast("errors", url=database_url, COLUMNS="80")
    assert errors[0]["fingerprint"] in shown.out
    assert max(map(len, shown.lines)) <= 80
