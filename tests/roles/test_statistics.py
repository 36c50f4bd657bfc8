"""Who may report a figure, sample and read: a table written by hand."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.roles.test_rights import DENIED, become

REPORT = "select holdfast.report_metric('load', 1, '{\"host\": \"a\"}')"
SAMPLE = "select holdfast.sample_depths()"
FORGET = "select holdfast.forget_workers()"
KEEP = "select holdfast.keep_statistics('7 days', '30 days', 'why', 'Ada')"
DEPTHS = "select * from holdfast.depth_history()"
LEFT = "select * from holdfast.left_workers()"
REPORTED = "select * from holdfast.reported_metric_view"
QUEUES = "select ready, sampled_ready, sampled_at from holdfast.queue_view"
EVERYTHING = {REPORT, SAMPLE, FORGET, KEEP, DEPTHS, LEFT, REPORTED, QUEUES}

VIEWS = {DEPTHS, LEFT, REPORTED, QUEUES}
MAY = {
    "holdfast_producer": {REPORT},
    "holdfast_worker": {REPORT, SAMPLE, FORGET},
    "holdfast_operator": {REPORT, SAMPLE, FORGET, KEEP} | VIEWS,
    "holdfast_viewer": VIEWS,
}


@pytest.mark.parametrize("role", MAY)
async def test_a_role_may_do_what_its_line_says_and_nothing_else(conn: Connection, role: str) -> None:
    await become(conn, role)
    for statement in MAY[role]:
        await conn.execute(statement)
    for statement in EVERYTHING - MAY[role]:
        assert (await refusal(conn, statement)).sqlstate == DENIED, statement


@pytest.mark.parametrize("role", MAY)
@pytest.mark.parametrize(
    "table", ["depth_samples", "left_worker_counts", "reported_metrics", "statistics_settings"]
)
async def test_nobody_touches_the_tables(conn: Connection, role: str, table: str) -> None:
    await become(conn, role)
    for statement in (f"select * from holdfast.{table}", f"delete from holdfast.{table}"):
        assert (await refusal(conn, statement)).sqlstate == DENIED
