"""Which test proves what, for every line of the fault table. docs/reliability.md is made from this."""

from tests.proof.faults_around import AROUND
from tests.proof.line import Line, named

__all__ = ["FAULTS", "Line", "named"]

FAULTS = (
    Line(
        "kill -9 of a worker: after its claim, while it runs, before the completion's commit, after it",
        "another worker gets the job within L + 2S, one end, its effect exactly once",
        (
            "crash/test_killed.py::test_every_job_of_a_killed_worker_is_done_by_another_and_has_one_end",
            "chaos:kill-worker",
        ),
    ),
    Line(
        "kill -9 of a worker between two steps",
        "a recorded step does not run again",
        (
            named(
                "proof/test_workers.py",
                "test_a_step_that_was_recorded_is_not_done_again_after_a_kill_between_steps",
            ),
            "chaos:kill-worker",
        ),
    ),
    Line(
        "sys.exit, KeyboardInterrupt, GeneratorExit, loop.stop or a cancel of all tasks in a handler or in a"
        " task that it starts",
        "that job fails; the worker's other jobs complete; the worker survives",
        (
            named("crash/test_rude_handlers.py", "test_a_handler_that_would_end_its_worker_fails_alone"),
            named(
                "crash/test_rude_handlers.py",
                "test_a_handler_that_cancels_all_tasks_costs_its_neighbours_no_failure",
            ),
        ),
        "with `holdfast worker`; in your own event loop see docs/python.md",
    ),
    Line(
        "os.fork in a handler, and a copy that exits, raises, returns or waits",
        "the copy ends there and does not touch the worker's connections",
        (
            named(
                "crash/test_rude_handlers.py",
                "test_a_forked_copy_ends_with_its_handler_and_is_no_second_worker",
            ),
        ),
    ),
    Line(
        "out of memory, segfault, abort, `os._exit` in a handler, the interpreter lock held for several"
        " leases, with longer jobs on the same worker",
        "dead after three losses; every other job completes",
        (
            named(
                "crash/test_poison.py",
                "test_a_job_that_kills_its_worker_is_dead_and_all_its_neighbours_complete",
            ),
            named(
                "crash/test_poison.py",
                "test_a_job_that_holds_the_interpreter_is_dead_and_its_neighbours_complete",
            ),
            named(
                "crash/test_killed.py",
                "test_a_job_that_kills_every_worker_is_dead_after_three_losses_and_its_neighbours_are_done",
            ),
            named(
                "worker/test_process_mode.py",
                "test_a_death_is_a_failure_of_that_job_alone_and_the_third_one_ends_it",
            ),
        ),
    ),
    Line(
        "kill -9 of a replica of the API, or of a worker that speaks only HTTP, in the middle of requests",
        "a repeated request stores and ends nothing twice; another replica answers",
        ("chaos:kill-replica", "chaos:kill-http-worker"),
    ),
    Line(
        "SIGTERM while idle, while draining, beyond the grace; a second signal",
        "exit 0, jobs released without a failure, no loss",
        (
            "crash/test_signals.py::test_an_idle_worker_leaves_at_once",
            "crash/test_signals.py::test_a_busy_worker_finishes_what_runs_while_renewing_its_lease",
            "crash/test_signals.py::test_what_runs_beyond_the_grace_is_released_uncharged",
            "crash/test_signals.py::test_a_second_signal_ends_the_grace",
            "chaos:leave-worker",
        ),
    ),
    Line(
        "SIGSTOP for longer than the lease, then SIGCONT",
        "another worker finishes; every write of the resumed worker is refused",
        (
            named(
                "crash/test_suspended.py",
                "test_every_write_of_a_worker_that_was_suspended_past_its_lease_is_fenced",
            ),
            "chaos:stop-worker",
        ),
    ),
    Line(
        "a handler that blocks the event loop for three leases; one that never returns",
        "the first keeps its job; the second times out and is fenced or killed",
        (
            named(
                "crash/test_suspended.py",
                "test_the_lease_is_renewed_while_a_handler_blocks_the_loop_or_its_own_process",
            ),
            "crash/test_suspended.py::test_a_handler_that_blocks_the_loop_for_three_leases_keeps_its_job",
            "worker/test_stopping.py::test_a_thread_that_does_not_return_is_reported_and_keeps_its_slot",
            named(
                "worker/test_process_mode.py",
                "test_the_timeout_kills_a_handler_that_never_returns_and_what_it_forked",
            ),
        ),
    ),
    Line(
        "a handler that holds the interpreter lock for longer than its lease",
        "may lose its job and is then fenced, one end; in process mode it keeps its job",
        (
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
        "kill -9 of the postmaster, fast and immediate restart, one backend terminated, all of them",
        "no accepted job lost, workers reconnect by themselves",
        (
            "crash/test_database.py::test_a_worker_outlives_a_restart_of_the_database_and_no_job_is_lost",
            named(
                "crash/test_lost_claims.py",
                "test_a_claim_that_a_crash_undid_is_made_again_and_its_first_owner_is_refused",
            ),
            named(
                "crash/test_lost_claims.py",
                "test_an_end_that_was_answered_survives_and_so_does_the_claim_that_came_with_it",
            ),
            "chaos:kill-database",
            "chaos:restart-database",
            "chaos:cut-connection",
            "chaos:terminate-backends",
        ),
    ),
    Line(
        "primary killed, replica promoted",
        "synchronous: nothing lost; asynchronous: the last commits, counted; old tokens refused",
        (
            "proof/test_failover.py::test_a_synchronous_failover_loses_nothing_and_workers_follow",
            named(
                "proof/test_failover.py",
                "test_an_asynchronous_failover_loses_the_last_commits_counted_and_refuses_their_tokens",
            ),
            named(
                "proof/test_failover.py",
                "test_a_token_from_before_a_synchronous_failover_is_refused_once_its_job_was_rescued",
            ),
        ),
    ),
    Line(
        "connections reset; the answer to COMMIT lost on enqueue, claim and complete",
        "the same id; found and released; completed once",
        (
            named(
                "proof/test_lost_answers.py",
                "test_an_enqueue_whose_answer_was_lost_gives_the_same_job_when_it_is_sent_again",
            ),
            named(
                "worker/test_settle.py",
                "test_jobs_whose_claim_was_not_answered_are_given_back_uncharged_and_run",
            ),
            "proof/test_lost_answers.py::test_a_transaction_whose_commit_was_not_answered_is_not_done_again",
            "proof/test_lost_answers.py::test_connections_that_are_reset_under_a_running_job_cost_it_nothing",
            named(
                "worker/test_settle.py",
                "test_an_end_whose_commit_was_not_answered_is_sent_again_and_the_job_not_run_again",
            ),
            "chaos:lost-reply",
            "chaos:reset",
        ),
    ),
    Line(
        "partition for two leases; loss in one direction; a half-open listener",
        "handlers are cancelled before the lease expires, no overlap, polling finds the jobs",
        (
            named(
                "worker/test_partition.py",
                "test_handlers_stop_before_the_lease_can_end_and_another_worker_takes_over",
            ),
            "proof/test_network.py::test_with_loss_in_one_direction_no_two_attempts_overlap",
            "proof/test_network.py::test_a_half_open_listener_is_covered_by_polling",
            "chaos:partition",
            "chaos:one-way",
            "chaos:half-open",
        ),
    ),
    Line(
        "slow database, table lock, tight statement_timeout, connections exhausted, read-only",
        "slower; no worker loses jobs to a delay below half of a lease; retried with backoff",
        (
            "proof/test_hard_times.py::test_a_database_that_answers_slowly_costs_no_worker_its_jobs",
            "proof/test_hard_times.py::test_a_locked_table_delays_and_costs_no_worker_its_jobs",
            "proof/test_hard_times.py::test_a_tight_statement_timeout_delays_and_costs_no_worker_its_jobs",
            "proof/test_hard_times.py::test_a_worker_that_lost_its_connections_waits_for_free_ones",
            "proof/test_hard_times.py::test_a_read_only_database_delays_and_loses_nothing",
            "chaos:pause-database",
            "chaos:slow-network",
            "chaos:lock-table",
        ),
    ),
    Line(
        "disk full",
        "a clear error, all or nothing, the server survives",
        ("proof/test_disk_full.py::test_a_full_disk_is_a_clear_error_and_nothing_half_done",),
        "the disk of the write-ahead log: PostgreSQL itself stops then, and recovers when there is room",
    ),
    Line(
        "a worker's clock wrong by a day",
        "nothing changes",
        (
            "proof/test_workers.py::test_a_worker_whose_clock_is_wrong_by_a_day_works_like_any_other",
            "repo/test_clocks.py::test_no_code_of_a_worker_reads_the_clock_of_its_host",
            "sql/test_check_invariants.py::test_leases_do_not_overlap_even_if_the_clock_steps_back",
        ),
        "a clock that is wrong below Python, for C libraries, too",
    ),
    Line(
        "several rescuers at once; all pairs of complete, fail, release, cancel, renew and rescue",
        "one winner, no deadlock",
        (
            "race/test_rescue.py::test_rescuers_at_once_count_each_loss_once",
            "race/test_locks.py::test_rescues_at_once_take_all_that_is_due_once",
            "race/test_pairs.py::test_two_verbs_at_once_are_two_verbs_in_turn",
            "race/test_pairs.py::test_a_verb_that_is_undone_leaves_the_job_to_the_other",
            "proof/model_check/test_model_check.py::test_no_schedule_breaks_the_protocol",
        ),
    ),
    *AROUND,
)
