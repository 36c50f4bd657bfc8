"""`holdfast report`."""

from pathlib import Path

from holdfast.db.connect import Connection
from tests.builders import a_worker, completed_job, dead_job, ready_job
from tests.cli.command import holdfast
from tests.cli.scene import count_ends, given
from tests.report.page_check import check

REPORT_KEYS = {
    "left_workers",
    *(
        "generated_at",
        "period",
        "problems",
        "ended",
        "ended_before",
        "retries",
        "timeline",
        "queues",
        "tasks",
    ),
    *("models", "errors", "endpoints", "pipelines", "slowest", "workers", "notes"),
}
ENDS_KEYS = {
    *(
        "jobs",
        "completed",
        "rejected",
        "cancelled",
        "dead",
        "advanced",
        "failed",
        "retried",
        "retried_completed",
    ),
    *("units", "cost", "wait_mean", "wait_p50", "wait_p95", "wait_p99"),
    *("run_mean", "run_p50", "run_p95", "run_p99"),
}
HOSTILE = "nothing\n! all is well\r\x1b[2K\u202eend"


async def a_past(conn: Connection) -> None:
    for _ in range(3):
        await completed_job(conn, queue="mail", task="send")
    await dead_job(conn, queue="mail", task="fetch")
    await ready_job(conn, queue="mail")
    await a_worker(conn, ["mail"])
    await count_ends(conn)


def test_the_text_begins_with_the_problems_and_fits_into_80_columns(database_url: str) -> None:
    given(database_url, a_past)
    shown = holdfast("report", url=database_url, COLUMNS="80")
    assert shown.code == 0, shown.err
    assert "! 1 job died." in shown.out
    assert "4 jobs ended: 3 completed, 1 dead." in shown.out
    tables = [line for line in shown.lines if not line.startswith(("!", "  holdfast"))]
    assert max(map(len, tables)) <= 80
    for heading in ("Queues", "Tasks", "Errors, against the period before", "Slowest jobs", "Workers"):
        assert heading in shown.lines


def test_an_empty_database_has_a_text(database_url: str) -> None:
    shown = holdfast("report", "--since", "1h", url=database_url)
    assert shown.code == 0, shown.err
    assert "No problems." in shown.lines
    assert "0 jobs ended: none." in shown.lines


def test_json_has_stable_keys_and_agrees_with_what_happened(database_url: str) -> None:
    given(database_url, a_past)
    report = holdfast("report", "--since", "2h", "--json", url=database_url).document
    assert report.keys() == REPORT_KEYS
    assert report["ended"].keys() == ENDS_KEYS
    ended = report["ended"]
    assert (ended["jobs"], ended["completed"], ended["dead"], ended["failed"]) == (4, 3, 1, 1)
    assert report["period"]["length"] == 7200
    assert report["period"]["until"].endswith("Z")
    assert sum(one["ends"]["jobs"] for one in report["timeline"]) == 4
    (mail,) = report["queues"]["items"]
    assert (mail["name"], mail["ready"], mail["ends"]["jobs"], mail["workers"]) == ("mail", 1, 4, 5)
    assert [one["title"] for one in report["problems"]] == ["1 job died"]
    assert report["errors"]["items"][0]["before"] == 0


def test_a_page_is_written_and_nothing_else_is_printed(database_url: str, tmp_path: Path) -> None:
    given(database_url, a_past)
    page = tmp_path / "report.html"
    answer = holdfast("report", "--html", str(page), url=database_url)
    assert (answer.code, answer.out) == (0, "")
    assert f"wrote {page}" in answer.err
    assert "1 job died" in check(page.read_text("utf-8")).words
    both = holdfast("report", "--html", str(page), "--json", url=database_url)
    assert both.document["ended"]["jobs"] == 4


def test_a_file_that_cannot_be_written_is_an_error_with_a_hint(database_url: str, tmp_path: Path) -> None:
    answer = holdfast("report", "--html", str(tmp_path / "no" / "report.html"), url=database_url)
    assert answer.code == 2
    assert "cannot be written" in answer.err
    assert "hint:" in answer.err


def test_a_period_out_of_range_is_refused(database_url: str) -> None:
    answer = holdfast("report", "--since", "31d", url=database_url)
    assert answer.code == 2
    assert "between 1 min and 30 d" in answer.err


def test_names_forge_no_line(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await dead_job(conn, HOSTILE, queue=HOSTILE, task=HOSTILE)
        await count_ends(conn)

    given(database_url, make)
    shown = holdfast("report", url=database_url)
    assert not any(line.startswith("! all is well") for line in shown.lines)
    assert all(one.isprintable() or one == "\n" for one in shown.out)
