"""Who may read and change what people observe: a table written by hand."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.roles.test_rights import DENIED, become

NOBODY = "'00000000-0000-7000-8000-000000000000'"

REPORT_METRIC = "select holdfast.report_metric('load', 1, '{\"host\": \"a\"}')"
REPORT_PROGRESS = "select * from holdfast.report_progress('{}', '{}', '{}')"
SAVE_LOGS = "select holdfast.save_logs('{}', '{}', '{}', '{}', '{}')"
COUNTING = {
    "select holdfast.summarise_ends()",
    "select holdfast.sample_depths()",
    "select holdfast.forget_workers()",
    "select * from holdfast.seal_events()",
    "select holdfast.prune_logs()",
}
SETTINGS = {
    "select holdfast.keep_statistics('7 days', '30 days', 'why', 'Ada')",
    "select holdfast.limit_logs(1000, 'why', 'Ada')",
    "select * from holdfast.set_queue('default', '{\"stats_label\": \"customer\"}', 'why', 'Ada')",
}
FIGURES = {
    "select * from holdfast.end_stats()",
    "select * from holdfast.call_stats()",
    "select * from holdfast.time_parts()",
    "select * from holdfast.stats_by_minute()",
    "select * from holdfast.stat_totals()",
    "select * from holdfast.end_report()",
    "select * from holdfast.error_groups()",
    "select * from holdfast.endpoint_trend('model')",
    "select * from holdfast.slowest_jobs()",
    "select * from holdfast.stage_moves('line')",
    "select * from holdfast.pipeline_ways('line')",
    "select * from holdfast.recent_ends()",
    "select * from holdfast.running_jobs()",
    "select * from holdfast.parked_jobs()",
    "select * from holdfast.depth_history()",
    "select * from holdfast.metric_history('load')",
    "select * from holdfast.queue_depths()",
    "select * from holdfast.left_workers()",
    "select * from holdfast.open_letters()",
    "select * from holdfast.budgets_left()",
    "select * from holdfast.endpoint_total_view",
    "select * from holdfast.reported_metric_view",
    "select ready, sampled_ready, sampled_at from holdfast.queue_view",
    "select * from holdfast.progress_view",
    "select cost, units from holdfast.run_view",
}
RECORDS = {
    f"select * from holdfast.job_details({NOBODY})",
    f"select * from holdfast.list_checkpoints({NOBODY})",
    f"select * from holdfast.timeline({NOBODY})",
    "select * from holdfast.attempt_log_view",
    "select * from holdfast.call_view",
    "select * from holdfast.list_events()",
    "select * from holdfast.verify_events()",
    "select * from holdfast.audit_view",
}
EVERYTHING = {REPORT_METRIC, REPORT_PROGRESS, SAVE_LOGS} | COUNTING | SETTINGS | FIGURES | RECORDS
# An operator is also a viewer.
MAY = {
    "holdfast_producer": {REPORT_METRIC},
    "holdfast_worker": {REPORT_METRIC, REPORT_PROGRESS, SAVE_LOGS} | COUNTING,
    "holdfast_operator": {REPORT_METRIC} | COUNTING | SETTINGS | FIGURES | RECORDS,
    "holdfast_viewer": FIGURES | RECORDS,
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
    "table",
    [
        "end_counts",
        "end_totals",
        "depth_samples",
        "left_worker_counts",
        "reported_metrics",
        "reported_values",
        "statistics_settings",
    ],
)
async def test_nobody_touches_the_tables(conn: Connection, role: str, table: str) -> None:
    await become(conn, role)
    for statement in (f"select * from holdfast.{table}", f"delete from holdfast.{table}"):
        assert (await refusal(conn, statement)).sqlstate == DENIED
