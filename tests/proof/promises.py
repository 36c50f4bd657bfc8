"""The promises, each with the tests that would fail if it were broken."""

from tests.proof.line import Line, named

PROMISES = (
    Line(
        "P1",
        "An accepted job is durable, has exactly one end, and reaches it.",
        (
            "proof/test_mini_chaos.py::test_every_fault_fires_and_no_job_is_lost_or_doubled",
            "race/test_storm.py::test_after_a_storm_every_job_has_exactly_one_end",
        ),
    ),
    Line(
        "P2",
        "A job enqueued in your transaction exists if and only if the transaction commits.",
        (
            "client/test_transaction.py::test_a_job_is_invisible_until_the_callers_transaction_commits",
            "client/test_transaction.py::test_a_rollback_of_the_callers_transaction_leaves_nothing",
        ),
    ),
    Line(
        "P3",
        "The same unique key gives one job and one id.",
        ("race/test_keys.py::test_two_hundred_equal_unique_keys_half_undone_are_one_job",),
    ),
    Line(
        "P4",
        "A completed job ran to its end; a job starts again only after a recorded cause.",
        (
            "machine/test_machine.py::test_any_schedule_of_verbs_leaves_the_database_as_the_model_says",
            named(
                "crash/test_lost_claims.py",
                "test_a_claim_that_a_crash_undid_is_made_again_and_its_first_owner_is_refused",
            ),
        ),
    ),
    Line(
        "P5",
        "On the database's clock at most one attempt of a job holds a lease.",
        (
            "proof/model_check/test_model_check.py::test_no_schedule_breaks_the_protocol",
            "proof/model_check/test_against_sql.py::test_the_sql_verbs_do_what_the_model_says",
            "sql/test_check_invariants.py::test_leases_do_not_overlap_even_if_the_clock_steps_back",
        ),
    ),
    Line(
        "P6",
        "A write with an outdated token changes nothing.",
        (
            named(
                "crash/test_suspended.py",
                "test_every_write_of_a_worker_that_was_suspended_past_its_lease_is_fenced",
            ),
            "worker/test_progress.py::test_a_handler_learns_from_its_next_report_that_the_job_was_taken_away",
            "proof/model_check/test_model_check.py::test_a_planted_mistake_is_found",
            "proof/model_check/test_against_sql.py::test_a_verb_that_lost_a_guard_is_found",
        ),
    ),
    Line(
        "P7",
        "Writes in the job's transaction commit with its completion; a recorded step does not run again; "
        "calls to the outside have a stable idempotency key.",
        (
            "worker/test_context.py::test_the_idempotency_key_is_stable_over_attempts_and_new_after_a_replay",
            named(
                "agent/test_calls.py",
                "test_a_call_that_failed_is_made_again_with_the_same_key_and_both_are_recorded",
            ),
            "sql/test_complete_in_transaction.py::test_a_lost_job_undoes_the_effect",
            named(
                "worker/test_transaction.py",
                "test_a_transaction_that_the_handler_ended_completes_no_job_and_says_what_stands",
            ),
            named(
                "proof/test_workers.py",
                "test_a_step_that_was_recorded_is_not_done_again_after_a_kill_between_steps",
            ),
        ),
    ),
    Line(
        "P8",
        "A dead worker's jobs are available again within a lease and two sweeps; a live worker never loses"
        " its jobs.",
        (
            "proof/test_mini_chaos.py::test_every_fault_fires_and_no_job_is_lost_or_doubled",
            "chaos/test_recovery.py::test_a_recovery_that_took_longer_than_promised_is_late",
            "crash/test_suspended.py::test_a_handler_that_blocks_the_loop_for_three_leases_keeps_its_job",
            "crash/test_killed.py::test_every_job_of_a_killed_worker_is_done_by_another_and_has_one_end",
            "proof/test_hard_times.py::test_a_locked_table_delays_and_costs_no_worker_its_jobs",
            "proof/test_hard_times.py::test_a_database_that_answers_slowly_costs_no_worker_its_jobs",
            named(
                "crash/test_suspended.py",
                "test_a_handler_that_holds_the_interpreter_loses_its_job_and_what_it_writes_is_fenced",
            ),
            named(
                "crash/test_suspended.py",
                "test_the_lease_is_renewed_while_a_handler_blocks_the_loop_or_its_own_process",
            ),
        ),
    ),
    Line(
        "P9",
        "After `max_failures` failures or `max_losses` losses a job is a dead letter; one bad job never stops"
        " its queue.",
        (
            "sql/fail_jobs/test_budget.py::test_three_tries_in_all_by_default",
            "sql/test_rescue_jobs.py::test_a_job_that_kills_workers_is_dead_after_three",
            named(
                "proof/test_bad_job.py",
                "test_a_job_that_always_fails_is_dead_in_the_end_and_all_others_are_done",
            ),
            named(
                "crash/test_killed.py",
                "test_a_job_that_kills_every_worker_is_dead_after_three_losses_and_its_neighbours_are_done",
            ),
            named(
                "crash/test_poison.py",
                "test_a_job_that_kills_its_worker_is_dead_and_all_its_neighbours_complete",
            ),
            named("crash/test_rude_handlers.py", "test_a_handler_that_would_end_its_worker_fails_alone"),
        ),
    ),
    Line(
        "P10",
        "No retry before its time; in an outage of an endpoint only the first failed calls count as"
        " failures.",
        (
            "sql/fail_jobs/test_retrying.py::test_a_retry_is_not_claimed_before_its_time",
            "sql/fail_jobs/test_retrying.py::test_jitter_only_adds",
            "sql/endpoints/test_outage.py::test_no_failure_counts_while_the_circuit_is_not_closed",
            "sql/endpoints/test_evidence.py::test_an_outage_that_begins_between_two_tries_kills_no_job_in_a_day",
            "worker/test_endpoints.py::test_after_retry_after_the_worker_comes_again_in_time",
        ),
    ),
    Line(
        "P11",
        "On SIGTERM a worker claims nothing more, renews its lease while it drains, releases the rest"
        " without a failure, and exits with 0 within the grace period.",
        (
            "crash/test_signals.py::test_a_busy_worker_finishes_what_runs_while_renewing_its_lease",
            "crash/test_signals.py::test_what_runs_beyond_the_grace_is_released_uncharged",
            "crash/test_signals.py::test_a_second_signal_ends_the_grace",
            named(
                "crash/test_rude_handlers.py",
                "test_a_worker_leaves_in_time_whatever_its_handlers_left_behind",
            ),
        ),
    ),
    Line(
        "P12",
        "Database unavailable: handlers stop before their lease can expire; a loss becomes a deferral if the "
        "worker returns; workers reconnect by themselves; losing LISTEN delays a job by at most one poll.",
        (
            named(
                "worker/test_lease.py",
                "test_handlers_are_cancelled_before_a_lease_that_cannot_be_renewed_could_have_ended",
            ),
            "sql/test_renew_lease.py::test_a_loss_becomes_a_deferral_when_the_worker_is_heard_from_again",
            "worker/test_lease.py::test_a_worker_whose_jobs_were_taken_drops_them_and_its_loss_is_forgiven",
            "worker/test_settle.py::test_losing_the_listening_session_costs_at_most_one_poll",
            "worker/test_wake.py::test_a_job_without_a_notification_is_found_by_the_poll",
            "proof/test_network.py::test_a_half_open_listener_is_covered_by_polling",
        ),
        "a worker polls every second, an idle one every five",
    ),
    Line(
        "P13",
        "Only the database's clock counts. A slot of a schedule makes at most one job, on any number of"
        " workers.",
        (
            "race/test_schedules.py::test_ten_connections_that_fire_the_same_slots_make_one_job_each",
            "race/test_schedules.py::test_ten_processes_fire_each_slot_once_across_both_changes_of_the_clock",
            "unit/test_schedule_times.py::test_slots_across_a_change_of_the_clock",
            "proof/test_workers.py::test_a_worker_whose_clock_is_wrong_by_a_day_works_like_any_other",
            "repo/test_clocks.py::test_no_code_of_a_worker_reads_the_clock_of_its_host",
        ),
    ),
    Line(
        "P14",
        "Jobs with one order key run one at a time, in commit order. Limits and rates are never exceeded; no"
        " call starts once the used and reserved units or money reach the budget.",
        (
            "race/test_keys.py::test_concurrent_producers_of_an_order_key_make_one_line_in_commit_order",
            "race/test_endpoints.py::test_after_a_storm_every_permit_is_a_running_job",
            "race/test_limits.py::test_no_limit_is_exceeded_at_any_instant",
            "race/test_limits.py::test_a_rate_holds_in_every_sliding_period_with_ten_that_claim_at_once",
            "race/test_requests_per_minute.py::test_in_every_sliding_minute_exactly_the_budget_is_started",
            "race/test_budgets.py::test_a_budget_is_used_to_the_full_and_not_exceeded_by_many_at_once",
            "sql/endpoints/test_budgets.py::test_units_per_minute_count_what_was_used_and_what_is_reserved",
            "sql/test_raise_budget.py::test_no_call_starts_once_settled_and_reserved_reach_the_budget",
            "sql/record_cost/test_random_ends.py::test_a_run_has_spent_what_its_handlers_reported",
        ),
    ),
    Line(
        "P15",
        "An accepted payload comes back equal, any other is refused with its JSON path; every error text can"
        " be recorded.",
        (
            "unit/test_payload.py::test_what_would_not_come_back_equal_is_refused_with_its_path",
            named(
                "sql/enqueue_jobs/test_payload_limits.py",
                "test_a_payload_that_would_not_come_back_equal_is_refused",
            ),
            "sql/fail_jobs/test_error_text.py::test_an_enormous_error_is_cut_and_recorded",
            "client/test_payload.py::test_an_argument_comes_back_equal_and_of_the_annotated_type",
            "sql/fail_jobs/test_error_text.py::test_secrets_reach_neither_the_attempt_nor_the_letter",
        ),
    ),
    Line(
        "P16",
        "Migrations lock tables briefly and can be interrupted and repeated; versions n and n+1 run"
        " together.",
        (
            "migration/test_migrate.py::test_a_migration_gives_way_after_two_seconds_and_tries_again",
            "migration/test_migrate.py::test_a_migration_whose_connection_is_killed_leaves_nothing",
            "migration/test_migrate.py::test_a_second_migrate_changes_nothing",
            named(
                "migration/test_together.py",
                "test_a_worker_goes_on_while_newer_versions_replace_tables_and_functions",
            ),
        ),
    ),
)
