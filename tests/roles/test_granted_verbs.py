"""Each role may call exactly the verbs that are written down here.

A new verb is added to each of its roles by hand, so that a grant by mistake is found.
"""

import pytest

from holdfast.db.connect import Connection

GRANTED = """
select p.proname
from pg_proc as p
cross join lateral aclexplode(p.proacl) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.privilege_type = 'EXECUTE'
  and a.grantee = $1::text::regrole
"""
OTHERS = """
select distinct p.proname, case a.grantee when 0 then 'public' else a.grantee::regrole::text end
from pg_proc as p
cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee <> p.proowner
  and a.grantee <> all (select r::regrole from unnest($1::text[]) as r)
"""

EVERYONE = {"now", "created_at", "in_rollout", "check_access"}
ENQUEUE = {"enqueue", "enqueue_one", "enqueue_jobs", "enqueue_columns", "read_payloads", "notify_ready"}
FILL_RUN = {"start_run", "start_run_once", "seal_run"}
WATCH_RUN = {"run_progress", "run_forecast", "run_blocker"}
DECLARE = {"declare_queue", "declare_task", "declare_endpoint"}
PLAN_WORKERS = {"recommended_workers", "queue_ceiling", "run_times", "work_left", "backlog"}
RUN_SCHEDULES = {"declare_schedules", "due_schedules", "check_schedule", "fire_schedule"}
MAINTENANCE = {
    *("promote_jobs", "rescue_jobs", "close_runs", "advance_order_keys", "settle_limits", "mark_lanes"),
    *("prune_jobs", "prune_records", "prune_logs", "prune_endpoints", "prune_unused", "forget_workers"),
    *("make_partitions", "summarise_ends", "sample_depths", "rebalance_queues", "seal_events"),
    "record_maintenance",
}
PRODUCER = {
    *(EVERYONE | ENQUEUE | FILL_RUN | WATCH_RUN),
    *("job_states", "signal", "declare_pipeline", "report_metric"),
    *("start_workers", "fail_continuation", "enqueue_with_key"),
}
WORKER = {
    *(EVERYONE | ENQUEUE | FILL_RUN | WATCH_RUN | DECLARE | PLAN_WORKERS | RUN_SCHEDULES | MAINTENANCE),
    # its lease, and the worker that comes after it
    *("register_worker", "renew_lease", "stop_worker", "worker_flags", "workers_to_wake", "left_to_drain"),
    *("check_claimants", "renew_idle_leases"),
    *("request_continuation", "take_continuation", "fail_continuation", "lost_continuations"),
    "start_workers",
    # claims and ends
    *("claim_jobs", "claim_job", "settle_and_claim", "settle_and_claim_known", "may_be_lost"),
    *("suspects_waiting", "cancel_requests", "held_jobs", "end_job", "sync_jobs", "attempt_results"),
    "endpoint_states",
    *("complete_jobs", "fail_jobs", "snooze_jobs", "release_jobs", "reject_jobs", "advance_jobs"),
    *("cancel_claimed", "complete_in_transaction", "wait_jobs", "await_signal", "spawn_children"),
    # what a handler reads and writes
    *("load_children", "load_context", "load_history", "save_checkpoint", "load_checkpoints"),
    *("report_progress", "save_call", "label_job", "open_stages", "save_logs", "log_settings"),
    *("take_cached_value", "save_cached_value", "free_cached_value", "begin_action_step"),
    *("get_job", "job_states", "signal", "declare_pipeline", "report_metric"),
    # jobs as messages
    *("pending_messages", "claim_message", "end_message", "count_messages"),
}
OPERATOR = {
    *(EVERYONE | ENQUEUE | FILL_RUN | DECLARE | RUN_SCHEDULES | MAINTENANCE),
    # jobs, runs and pipelines
    *("cancel_jobs", "replay_jobs", "replay_from_stage", "reclaim_jobs", "replace_job", "set_priority"),
    *("complete_as_operator", "fail_as_operator", "signal", "declare_pipeline", "move_pipeline"),
    *("cancel_run", "replay_run", "raise_budget", "extend_run"),
    *("note_dead_letters", "triage_dead_letters", "replay_dead_letters"),
    # queues, endpoints and workers
    *("pause_queue", "resume_queue", "pause_all_queues", "resume_all_queues", "move_jobs"),
    *("set_rebalance", "remove_rebalance", "open_endpoint", "close_endpoint"),
    *("drain_workers", "start_workers", "lost_continuations", "fail_continuation"),
    # settings
    *("set_queue", "set_task", "set_endpoint", "set_flag", "set_rollout", "limit_logs", "keep_statistics"),
    *("set_rule", "set_rule_set", "remove_rule", "report_metric"),
    *("set_schedule", "pause_schedule", "resume_schedule", "remove_schedule", "run_schedule"),
    # access to the HTTP API
    *("create_access_key", "rotate_access_key", "revoke_access_key", "check_watchers"),
    *("create_login_link", "open_session", "close_session", "request_action", "check_action_access"),
}
VIEWER = {
    *(EVERYONE | WATCH_RUN | PLAN_WORKERS),
    # jobs
    *("get_job", "job_details", "job_states", "list_jobs", "find_jobs", "explain", "timeline"),
    *("load_context", "load_history", "list_checkpoints", "running_jobs", "parked_jobs", "recent_ends"),
    *("count_matching_jobs", "count_jobs", "count_running", "count_messages"),
    # statistics
    *("end_stats", "call_stats", "time_parts", "stats_by_minute", "stat_totals", "error_groups"),
    *("end_report", "endpoint_trend", "endpoint_backlog", "endpoint_history", "slowest_jobs"),
    *("stage_moves", "pipeline_ways", "budgets_left", "queue_depths", "depth_history"),
    *("metric_history", "left_workers", "worker_needs", "queue_names", "neglected_queues"),
    # dead letters
    *("find_dead_letters", "count_dead_letters", "count_letters_by_status", "main_letter_groups"),
    *("open_letters", "dead_letter_groups"),
    # checks
    *("check_invariants", "list_events", "verify_events", "test_rules", "check_watchers"),
}
VERBS = {
    "holdfast_producer": PRODUCER,
    "holdfast_worker": WORKER,
    "holdfast_operator": OPERATOR,
    "holdfast_viewer": VIEWER,
}


@pytest.mark.parametrize("role", VERBS)
async def test_a_role_may_call_exactly_its_verbs(migrated: Connection, role: str) -> None:
    assert {row["proname"] for row in await migrated.fetch(GRANTED, role)} == VERBS[role]


async def test_no_other_role_may_call_a_verb(migrated: Connection) -> None:
    assert await migrated.fetch(OTHERS, list(VERBS)) == []
