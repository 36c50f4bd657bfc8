-- The verbs of each role. They run with the rights of their owner, so no role needs rights on tables.
do $$
declare
  verbs constant jsonb := '{
    "holdfast_producer": [
      "signal", "declare_pipeline", "enqueue", "enqueue_one", "enqueue_jobs", "enqueue_columns", "read_payloads",
      "notify_ready",
      "start_run", "start_run_once", "seal_run", "run_progress", "run_forecast", "run_blocker", "job_states",
      "start_workers",
      "fail_continuation", "report_metric", "in_rollout", "check_access", "enqueue_with_key"
    ],
    "holdfast_worker": [
      "register_worker", "renew_lease", "renew_idle_leases", "stop_worker", "cancel_requests", "held_jobs", "backlog",
      "left_to_drain",
      "work_left", "request_continuation", "take_continuation", "fail_continuation", "lost_continuations",
      "start_workers",
      "run_times", "recommended_workers", "queue_ceiling",
      "claim_jobs", "settle_and_claim", "may_be_lost", "suspects_waiting",
      "settle_and_claim_known", "end_job", "sync_jobs", "workers_to_wake", "check_claimants",
      "complete_jobs", "fail_jobs", "snooze_jobs", "release_jobs", "reject_jobs", "advance_jobs", "cancel_claimed",
      "complete_in_transaction", "wait_jobs", "await_signal", "spawn_children", "load_children", "load_context",
      "load_history", "signal", "declare_pipeline",
      "save_checkpoint", "load_checkpoints", "report_progress", "save_call", "label_job", "open_stages",
      "save_logs", "log_settings", "take_cached_value", "save_cached_value", "free_cached_value", "worker_flags",
      "enqueue", "enqueue_one", "enqueue_jobs", "enqueue_columns", "read_payloads", "declare_queue", "declare_task",
      "declare_endpoint", "notify_ready",
      "start_run", "start_run_once", "seal_run", "run_progress", "run_forecast", "run_blocker", "get_job", "job_states",
      "attempt_results", "endpoint_states",
      "promote_jobs", "rescue_jobs", "close_runs", "advance_order_keys", "prune_jobs", "prune_records",
      "record_maintenance", "seal_events", "begin_action_step",
      "forget_workers", "make_partitions", "summarise_ends", "prune_endpoints", "prune_unused", "settle_limits",
      "mark_lanes", "prune_logs", "sample_depths", "rebalance_queues", "report_metric", "in_rollout", "check_access",
      "declare_schedules", "due_schedules", "check_schedule", "fire_schedule",
      "claim_job", "pending_messages", "claim_message", "end_message", "count_messages"
    ],
    "holdfast_operator": [
      "pause_queue", "resume_queue", "pause_all_queues", "resume_all_queues", "cancel_jobs", "replay_jobs",
      "replay_from_stage", "cancel_run", "replay_run", "raise_budget", "signal", "declare_pipeline", "move_pipeline",
      "extend_run", "reclaim_jobs", "complete_as_operator", "fail_as_operator", "set_priority", "drain_workers",
      "lost_continuations", "fail_continuation", "start_workers", "limit_logs", "keep_statistics",
      "open_endpoint", "close_endpoint", "move_jobs", "set_rebalance", "remove_rebalance",
      "note_dead_letters", "triage_dead_letters", "replay_dead_letters", "replace_job", "start_run",
      "start_run_once", "seal_run",
      "declare_queue", "declare_task", "declare_endpoint", "set_queue", "set_task", "set_endpoint",
      "set_flag", "set_rollout", "in_rollout", "set_rule", "set_rule_set", "remove_rule",
      "enqueue", "enqueue_one", "enqueue_jobs", "enqueue_columns", "read_payloads", "notify_ready",
      "promote_jobs", "rescue_jobs", "close_runs", "advance_order_keys", "prune_jobs", "prune_records",
      "record_maintenance", "seal_events",
      "forget_workers", "make_partitions", "summarise_ends", "prune_endpoints", "prune_unused", "settle_limits",
      "mark_lanes", "prune_logs", "sample_depths", "rebalance_queues", "report_metric",
      "set_schedule", "pause_schedule", "resume_schedule", "remove_schedule", "run_schedule",
      "declare_schedules", "due_schedules", "check_schedule", "fire_schedule",
      "request_action", "check_action_access",
      "check_access", "check_watchers", "create_access_key", "rotate_access_key", "revoke_access_key",
      "create_login_link", "open_session", "close_session"
    ],
    "holdfast_viewer": [
      "get_job", "job_details", "job_states", "list_jobs", "find_jobs", "run_progress", "run_forecast", "run_blocker",
      "explain", "timeline", "load_context", "load_history",
      "list_checkpoints", "end_stats", "call_stats", "time_parts",
      "stats_by_minute", "stat_totals", "endpoint_history", "error_groups", "find_dead_letters",
      "end_report", "endpoint_trend", "endpoint_backlog", "slowest_jobs", "stage_moves", "pipeline_ways",
      "count_dead_letters", "count_letters_by_status", "main_letter_groups", "open_letters", "budgets_left",
      "queue_depths",
      "count_matching_jobs", "dead_letter_groups", "backlog", "count_jobs", "count_running", "run_times",
      "recommended_workers", "worker_needs", "queue_ceiling", "work_left", "queue_names", "neglected_queues",
      "recent_ends",
      "running_jobs", "parked_jobs",
      "check_invariants", "list_events",
      "verify_events", "depth_history", "metric_history", "left_workers", "in_rollout", "test_rules", "check_access",
      "check_watchers", "count_messages"
    ]
  }';
  -- created_at, and count_jobs and count_running above: functions in a view run with the rights of its reader.
  everyone constant text[] := array['now', 'created_at'];
  -- lock_view: a worker reports which process keeps it from a maintenance task.
  bookkeeping constant text[] := array['migrations', 'function_set', 'installation', 'lock_view'];
  grantee text;
  target text;
begin
  revoke all on schema holdfast from public;
  revoke all on all tables in schema holdfast from public;
  revoke all on all sequences in schema holdfast from public;
  revoke all on all functions in schema holdfast from public;

  for grantee in
    select role_name
    from jsonb_object_keys(verbs) as role_name
    where to_regrole(role_name) is not null
  loop
    execute format('grant usage on schema holdfast to %I', grantee);

    for target in
      select p.oid::regprocedure
      from pg_proc p
      where p.pronamespace = 'holdfast'::regnamespace
        and (verbs -> grantee ? p.proname or p.proname = any(everyone))
    loop
      execute format('grant execute on routine %s to %I', target, grantee);
    end loop;

    foreach target in array bookkeeping loop
      execute format('grant select on holdfast.%I to %I', target, grantee);
    end loop;
  end loop;

  if to_regrole('holdfast_viewer') is not null then
    for target in
      select c.oid::regclass
      from pg_class c
      where c.relnamespace = 'holdfast'::regnamespace
        and c.relkind = 'v'
    loop
      execute format('grant select on %s to holdfast_viewer', target);
    end loop;
  end if;
end
$$;
