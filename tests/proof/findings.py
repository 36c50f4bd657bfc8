"""What chaos and the proofs have found, each with the test that would find it again."""

from tests.proof.registry import Line, named

FINDINGS = (
    Line(
        "A rescue skips rows that are locked at that moment. A worker that came back dropped these jobs too,"
        " so they never ended.",
        "The first renewal after a rescue, and a new registration, release all jobs that the worker held.",
        (
            named(
                "sql/test_renew_lease.py",
                "test_jobs_that_a_rescue_passed_over_are_given_back_by_the_renewal",
            ),
            named(
                "sql/test_register_worker.py",
                "test_jobs_that_a_rescue_passed_over_are_given_back_when_the_worker_registers_again",
            ),
        ),
    ),
    Line(
        "Recovery seemed to take 7 s instead of the guaranteed 4 s: the measurement began before the worker"
        " was dead, and included times in which no worker could sweep.",
        "It begins at the death; after a time in which rescue was impossible, two sweeps are allowed."
        " A longer recovery fails the run.",
        (
            "chaos/test_recovery.py::test_a_recovery_that_took_longer_than_promised_is_late",
            named(
                "chaos/test_recovery.py",
                "test_the_two_sweeps_are_counted_from_when_a_worker_could_sweep_again",
            ),
        ),
    ),
    Line(
        "A worker that started during a restart of the database exited with code 3; chaos continued with"
        " fewer workers, and proved less.",
        "A worker waits for a server that is starting. It exits if there is no server, and is started again,"
        " as a service manager would do. A worker that had already started must not exit.",
        (
            "db/test_connect.py::test_a_server_that_is_starting_is_waited_for",
            "chaos/test_cluster.py::test_a_worker_that_exited_by_itself_is_restarted_and_reported",
            "chaos/test_cluster.py::test_only_a_worker_that_found_no_database_at_its_start_may_exit",
        ),
    ),
    Line(
        "If a host lost power between the completion in its transaction and the commit, the job stayed locked"
        " until TCP noticed, hours later.",
        "From the completion on, the transaction may idle for no longer than a lease.",
        (
            named(
                "sql/test_complete_in_transaction.py",
                "test_a_host_that_dies_before_its_commit_holds_the_job_no_longer_than_a_lease",
            ),
        ),
    ),
    Line(
        "A cancel request arrived while the handler's own transaction was about to complete the job: the job"
        " ended as cancelled, but its writes were committed.",
        "Such a job completes with its writes, like any other that ends before it notices the request.",
        (
            named(
                "sql/test_complete_in_transaction.py",
                "test_what_is_done_in_spite_of_a_request_to_cancel_is_completed_with_its_effect",
            ),
        ),
    ),
    Line(
        "Chaos passed on a database that no longer checked tokens: every job was so short that a late worker"
        " found it ended, never running on another worker.",
        "The workload includes jobs as long as a lease, and a sabotaged database must fail the run.",
        ("proof/test_sabotage.py::test_a_sabotaged_database_does_not_pass",),
    ),
    Line(
        "A job that fanned out to several stages kept the failures of the stage that it had left.",
        "The count starts at zero, as for a job that goes to a single next stage.",
        (named("proof/test_planting.py", "test_a_stage_that_fans_out_leaves_its_failures_behind"),),
    ),
    Line(
        "A lowered limit was reported as violated while jobs that started under the old limit were running.",
        "A limit records when it was set; only jobs that started later are checked against it.",
        (named("proof/test_planting.py", "test_a_limit_that_is_lowered_lets_what_runs_run_on"),),
    ),
    Line(
        "A rescue before the end of a lease left no trace, so no invariant could detect it.",
        "A lost attempt records until when its lease was valid.",
        (named("proof/test_planting.py", "test_a_rescue_that_asks_for_no_lease_makes_leases_overlap"),),
    ),
    Line(
        "A job that was replayed right after its end, before the next job of its order key had started, ran"
        " at once although its place was the last.",
        "It keeps its old place.",
        (
            named(
                "sql/test_advance_order_keys.py",
                "test_a_head_that_is_replayed_before_its_line_moved_up_has_its_old_place",
            ),
        ),
    ),
    Line(
        "A stage with a cancel request just before its transaction's commit ended as cancelled, but its"
        " writes were committed.",
        "The transaction is rolled back; the job is cancelled when its worker releases it.",
        (
            named(
                "pipeline/test_transaction.py",
                "test_a_stage_that_was_asked_to_cancel_leaves_no_write_of_its_transaction",
            ),
        ),
    ),
    Line(
        "Of two concurrent claims, the one that started first and was answered last overwrote when the next"
        " job was due: after a rate limit of 0.4 s a worker claimed again after 2.7 s, once in 23 runs.",
        "The answer to an older claim never postpones the due time that a newer answer gave.",
        (
            named(
                "worker/test_wake.py",
                "test_a_claim_that_is_answered_late_does_not_hide_what_another_was_told",
            ),
        ),
    ),
    Line(
        "Root named server programs in a private folder that is no installation, such as a folder of scripts"
        " in the home directory: everything beside the folder was copied to a place that every user can"
        ' read, and the start failed with a bare "Permission denied". Every clone left its own copy.',
        "Only the parts of a complete installation are copied, once for all places with the same programs."
        " Any other folder, and a copy that does not run, is refused with a hint.",
        (
            named(
                "embedded/test_root.py",
                "test_a_private_folder_that_is_no_installation_is_refused_and_nothing_of_it_is_copied",
            ),
            "embedded/test_root.py::test_the_same_programs_in_two_private_places_are_copied_once",
        ),
    ),
    Line(
        "A test that reached its time limit left processes behind, and their ResourceWarning failed another"
        " test.",
        "All processes of a test are ended with it, and a process that is left fails that test.",
        (
            named(
                "repo/test_processes.py",
                "test_a_process_left_behind_is_killed_with_its_children_and_fails_its_own_test",
            ),
        ),
    ),
    Line(
        "Tests gave up after a few seconds, which passed on a quiet machine and failed on a busy one.",
        "Every wait for something that must happen uses `PATIENCE`.",
        ("repo/test_limits.py::test_a_limit_that_must_not_be_reached_is_patience",),
    ),
    Line(
        "A job that killed its worker also cost the worker's other jobs a loss: three deaths made twenty"
        " innocent jobs dead. A job that held the interpreter lock for several leases was forgiven each time"
        " and never died.",
        "A lost job runs alone. A loss beside other jobs counts once, and a loss is forgiven once.",
        (
            named(
                "crash/test_poison.py",
                "test_a_job_that_kills_its_worker_is_dead_and_all_its_neighbours_complete",
            ),
            named(
                "crash/test_poison.py",
                "test_a_job_that_holds_the_interpreter_is_dead_and_its_neighbours_complete",
            ),
            "crash/test_poison.py::test_a_worker_that_cannot_start_another_runs_suspects_alone",
            "crash/test_poison.py::test_no_job_waits_behind_a_suspect_of_another_queue",
            "sql/claim_jobs/test_suspects.py::test_only_the_first_loss_in_company_counts",
            "sql/claim_jobs/test_suspects.py::test_a_loss_is_forgiven_once_and_the_job_cleared",
        ),
    ),
    Line(
        "A job that sent SIGTERM to its worker was released without a failure for ever, and so were the"
        " worker's other jobs.",
        "After five releases in a row without a checkpoint or a yield a job runs alone, in a worker"
        " that ignores SIGTERM. Deployments and time boxes kill no job.",
        (
            "crash/test_poison.py::test_a_job_that_terminates_its_worker_completes_and_so_do_its_neighbours",
            "worker/test_suspects.py::test_fifty_rolling_restarts_make_no_job_dead",
            "worker/test_suspects.py::test_a_long_job_in_many_time_boxes_is_never_a_suspect",
        ),
    ),
    Line(
        "A job that took a unique key after an older job had freed it was reported as a duplicate.",
        "Only jobs that are as new as the key's holder are compared.",
        ("machine/test_machine.py::test_any_schedule_of_verbs_leaves_the_database_as_the_model_says",),
    ),
    Line(
        "Every job that completed a pipeline was reported as a violation: its last lease was counted twice.",
        "An attempt that left a stage's output is one lease.",
        (
            named(
                "sql/test_check_invariants.py",
                "test_a_job_that_went_through_a_pipeline_held_each_lease_once",
            ),
        ),
    ),
    Line(
        "sys.exit() in a task that a handler had started, a KeyboardInterrupt, loop.stop() or a cancel of"
        " all tasks ended the worker, which released everything without a failure: 37 attempts, no failure,"
        " no loss, and none of its other jobs ever completed.",
        "The command restarts its event loop; an exception ends only its own attempt; a handler cannot"
        " cancel the worker's own tasks; attempts that another handler cancelled start again.",
        (
            named("crash/test_rude_handlers.py", "test_a_handler_that_would_end_its_worker_fails_alone"),
            named(
                "crash/test_rude_handlers.py",
                "test_a_handler_that_cancels_all_tasks_costs_its_neighbours_no_failure",
            ),
            named(
                "crash/test_rude_handlers.py",
                "test_a_handler_that_cancels_all_tasks_while_it_is_alone_has_failed",
            ),
        ),
    ),
    Line(
        "A worker that crashed released its jobs without a failure, including the job that may have crashed"
        " it.",
        "It does not unregister: its jobs are lost when its lease expires, and losses are counted.",
        (named("worker/test_surviving.py", "test_a_worker_that_breaks_does_not_release_its_jobs"),),
    ),
    Line(
        "A handler that raised GeneratorExit, or whose task was cancelled before its first step, left its job"
        " running for ever and kept its slot.",
        "Every attempt ends with a recorded outcome; an attempt that never began starts again.",
        (
            named(
                "worker/test_surviving.py",
                "test_no_exception_of_a_handler_leaves_its_attempt_without_an_end",
            ),
            named(
                "worker/test_surviving.py",
                "test_attempts_whose_task_is_cancelled_before_its_first_step_are_started_again",
            ),
        ),
    ),
    Line(
        "A handler that swallowed its cancellation, a thread, an exit handler or a blocked loop kept the"
        " process alive after its worker had stopped, or kept it from stopping.",
        "The command exits when the grace period is over and logs what did not stop.",
        (
            named(
                "crash/test_rude_handlers.py",
                "test_a_worker_leaves_in_time_whatever_its_handlers_left_behind",
            ),
            named("crash/test_rude_handlers.py", "test_what_did_not_stop_is_named_in_the_log"),
        ),
    ),
    Line(
        "A process that a handler forked, and that ended with sys.exit(), became a second worker on the"
        " connections of the first.",
        "A copy of the worker ends with its handler: it settles, claims and sends nothing.",
        (
            named(
                "crash/test_rude_handlers.py",
                "test_a_forked_copy_ends_with_its_handler_and_is_no_second_worker",
            ),
        ),
    ),
    Line(
        "A retry that a handler requested after an answer of 200 cut the limit of its endpoint and opened the"
        " circuit; five jobs that always raised did so to a healthy server, and never died.",
        "Each ended call is good, bad or no evidence about its endpoint; only bad evidence counts against the"
        " endpoint, and only then may the job be spared a failure.",
        (
            named(
                "worker/test_evidence.py",
                "test_jobs_that_fail_after_a_good_answer_die_and_the_circuit_stays_closed",
            ),
            named(
                "sql/endpoints/test_evidence.py",
                "test_failures_that_are_not_the_endpoints_leave_it_alone_and_count",
            ),
        ),
    ),
    Line(
        "A job that always made its endpoint fail was never charged a failure, however many other calls"
        " succeeded.",
        "It is charged after enough attempts if another call has succeeded since the previous one; until then"
        " explain and doctor name the job.",
        (
            named(
                "sql/endpoints/test_evidence.py",
                "test_a_job_that_always_fails_counts_once_another_was_served_since_its_last_try",
            ),
            "cli/test_doctor.py::test_jobs_whose_endpoint_fails_them_at_no_cost_are_named",
        ),
    ),
    Line(
        "Any login could switch off rescue, timeouts, deadlines, pruning and statistics with an advisory"
        " lock whose name it guessed, as could an open transaction after a rescue; the gauge still said"
        " succeeded.",
        "Rescue takes no such lock; work that one process does at a time locks a row that only the owner can"
        " lock. A blocked round is not a success, and the sweep and doctor name the process that blocks it.",
        (
            "race/test_locks.py::test_a_login_that_guesses_the_name_of_a_lock_cannot_stop_a_maintenance_task",
            "race/test_locks.py::test_an_open_transaction_after_a_rescue_keeps_no_other_from_rescuing",
            named(
                "worker/test_maintenance.py",
                "test_a_blocked_maintenance_task_is_no_success_and_its_holder_is_logged",
            ),
            "cli/test_doctor.py::test_who_keeps_a_maintenance_task_from_being_done_is_named",
        ),
    ),
    Line(
        "A child past its deadline that had already ended with its parent, in the same sweep, got a dead"
        " letter too.",
        "The sweep checks the state again before it dead-letters a job.",
        (named("sql/test_rescue_jobs.py", "test_a_family_past_its_deadline_has_one_dead_letter"),),
    ),
    Line(
        "A producer's open transaction with a new queue or endpoint kept every worker of that queue from"
        " starting, and nothing was logged.",
        "A registration does not wait for a queue or endpoint that another transaction is creating; claims"
        " find its lanes after the commit, and the worker sends its declarations again. Waits of more than a"
        " second are logged with the process that holds the lock.",
        (
            named(
                "race/test_starting.py",
                "test_a_registration_does_not_wait_for_a_producer_and_its_claims_find_the_new_lane",
            ),
            named(
                "worker/test_starting.py",
                "test_a_worker_starts_beside_a_producer_that_names_its_queue_and_endpoint",
            ),
            "worker/test_starting.py::test_a_wait_for_a_lock_is_told_with_the_process_that_holds_it",
            "proof/test_pooler.py::test_a_wait_for_a_lock_is_told_through_a_pooler",
            "migration/test_waiting.py::test_who_has_the_lock_is_told_while_a_migration_waits",
        ),
    ),
    Line(
        "A user with CREATE on the database could create the schema first, with a trigger in it; a"
        " superuser's migrate ran the trigger and made that user a superuser.",
        "A migration refuses a schema, table or function of another owner, and names the owner, before it"
        " reads from any; it finds no function on the user's own search path.",
        (
            named(
                "migration/test_foreign.py",
                "test_a_planted_schema_is_refused_before_anything_is_touched",
            ),
            named(
                "migration/test_foreign.py",
                "test_an_object_of_another_owner_in_a_real_installation_is_refused",
            ),
            named(
                "migration/test_foreign.py",
                "test_functions_that_shadow_those_of_the_system_are_not_called",
            ),
        ),
    ),
    Line(
        "Of 137 shapes of secrets 76 passed redaction, such as bytes, lists, `=>` pairs, signed addresses and"
        " webhooks, and 1,171 of 10,000 ordinary log lines lost words.",
        "None of the shapes passes, and 12 of the lines are changed; the rules are in one SQL function.",
        (
            "sql/base/test_sanitise_text.py::test_known_shapes_of_secrets_are_taken_out",
            "sql/base/test_sanitise_text.py::test_hardly_a_line_of_a_log_is_touched",
        ),
    ),
    Line(
        "With standard_conforming_strings = off, which a role or a database may set, backslashes in"
        " the verbs' own literals became escapes: a payload with one could not be enqueued.",
        "Literals with a backslash are dollar-quoted, which reads the same under either setting.",
        (
            "migration/test_quoting.py::test_migrate_and_verbs_work_the_same",
            "migration/test_quoting.py::test_an_app_gets_its_payloads_back",
        ),
    ),
    Line(
        "A database URL whose password had an unescaped /, # or ? was parsed wrongly, and the error showed a"
        " part of the password as an invalid port.",
        "Such a URL is refused without quoting any part of it, and printed addresses contain no URL.",
        ("db/test_address.py::test_no_part_of_a_password_with_unescaped_characters_is_shown",),
    ),
    Line(
        "The error for a user who may not call a verb named four roles, not the one that may call it.",
        "The hint names the roles that may, from the same list as the grants.",
        (
            "roles/test_refusals.py::test_each_verbs_refusal_names_the_roles_that_may_call_it",
            "roles/test_refusals.py::test_a_user_without_any_role_is_told_which_one",
        ),
    ),
    Line(
        "An argument of the wrong type was quoted in the error, which is stored, logged and shown.",
        "The error names its type and length.",
        ("client/test_payload.py::test_a_refused_value_is_not_shown",),
    ),
    Line(
        "A line break in an error message or a name looked like another row of a table, and a queue's name"
        " went unquoted into commands that are printed for copying.",
        "Control characters of values are shown escaped, a traceback is indented, and words of commands are"
        " quoted for the shell.",
        (
            "cli/test_hostile_text.py::test_a_line_break_makes_no_row",
            "cli/test_hostile_text.py::test_a_command_to_copy_is_quoted_for_the_shell",
        ),
    ),
    Line(
        "A handler that sent commit or rollback inside its job's transaction completed the job in another"
        " one: its writes were committed without it, or lost.",
        "The transaction is marked; in any other transaction the completion is refused, and the error says"
        " which writes were kept.",
        (
            named(
                "worker/test_transaction.py",
                "test_a_transaction_that_the_handler_ended_completes_no_job_and_says_what_stands",
            ),
        ),
    ),
    Line(
        "A deadlock or serialization failure in a job's transaction cost the job a failure.",
        "It is a deferral, and the job is retried after a short random wait.",
        ("worker/test_transaction.py::test_a_transaction_that_met_another_costs_no_failure",),
    ),
    Line(
        "Any caller that knew the id of a job could enqueue children of it: the token was checked only if it"
        " was given, and never in the options of single jobs.",
        "A parent needs the token of the attempt that runs it.",
        (
            "sql/enqueue_jobs/test_children.py::test_a_parent_needs_its_token",
            named(
                "sql/enqueue_jobs/test_children.py",
                "test_a_parent_that_is_named_for_one_of_several_jobs_needs_its_token_too",
            ),
        ),
    ),
    Line(
        "A number such as 1e-324 was stored and read as 0, and of two equal keys of an object one was lost.",
        "Both are refused with their path, in SQL and on the command line.",
        (
            named(
                "sql/enqueue_jobs/test_payload_limits.py",
                "test_a_payload_that_would_not_come_back_equal_is_refused",
            ),
            "unit/test_payload.py::test_text_that_would_not_come_back_equal_is_refused_with_its_path",
            named(
                "cli/test_jobs.py",
                "test_a_payload_that_would_not_come_back_equal_is_refused_with_its_path",
            ),
        ),
    ),
    Line(
        "A payload of 100,000 brackets caused an error of PostgreSQL's parser, and on the command line an"
        " error without a path.",
        "Text is checked before the parser reads it, and refused with its path.",
        (
            named(
                "sql/test_read_payloads.py",
                "test_a_hundred_thousand_brackets_are_refused_with_their_path",
            ),
        ),
    ),
    Line(
        "A transaction with an enqueue by the Python client could not be prepared for two-phase commit,"
        " because of its NOTIFY.",
        "task.using(conn, notify=False) sends no NOTIFY.",
        ("client/test_two_phases.py::test_the_client_without_a_hint_can_be_prepared",),
    ),
    Line(
        "ctx.progress promises to keep a value that is None; the database forgot total and note, and set"
        " failed to 0.",
        "A value that a report leaves out stays as it was.",
        ("worker/test_context.py::test_progress_that_says_only_what_is_done_keeps_the_rest",),
    ),
    Line(
        "A stage without an endpoint was charged the estimate of the previous stage, and the units of a"
        " rejected, snoozed, released or cancelled attempt were lost: a run with 2000 units stopped at 874.",
        "A reservation is separate from the job's estimate, and every end reports the units of its attempt.",
        (
            "sql/record_cost/test_random_ends.py::test_a_run_has_spent_what_its_handlers_reported",
            "sql/record_cost/test_ends.py::test_the_units_of_every_end_are_charged",
            named(
                "sql/record_cost/test_stages.py",
                "test_a_stage_without_an_endpoint_reserves_nothing_of_the_one_before",
            ),
            "worker/test_units.py::test_what_was_reported_before_an_exception_is_charged",
        ),
    ),
    Line(
        "The doctor reported an error for days after a worker had died without a job, although other workers"
        " were alive.",
        "An error is a current problem: a lost worker that still holds jobs, or no worker at all.",
        (
            named(
                "cli/test_doctor.py",
                "test_a_worker_that_died_idle_or_was_rescued_is_no_problem_while_others_live",
            ),
            "cli/test_doctor.py::test_a_lost_worker_that_still_holds_a_job_is_a_problem",
        ),
    ),
    Line(
        "A draining worker waited for ever for jobs of tasks that its app does not have, and without a log"
        " line for jobs that were due in an hour.",
        "It leaves both to other workers, and logs every ten seconds what it waits for.",
        (
            named(
                "worker/test_leaving.py",
                "test_a_draining_worker_leaves_what_it_cannot_run_and_what_is_due_later",
            ),
            "worker/test_leaving.py::test_a_draining_worker_says_what_it_waits_for",
            "testing_kit/test_drain.py::test_jobs_behind_others_that_the_app_cannot_run_are_done",
        ),
    ),
    Line(
        "A queue, lane or endpoint with a mistyped name stayed for ever, and each claim and each round of"
        " lane marks visited every lane: with 5,000 endpoints in a queue an empty claim took 200 ms.",
        "Queues, lanes and endpoints that were not declared and not used for thirty days are removed; a"
        " worker with many lanes visits only those with ready jobs.",
        (
            "plan/test_many_lanes.py::test_a_claim_does_not_visit_lanes_without_ready_jobs",
            "plan/test_many_lanes.py::test_marking_lanes_reads_only_those_with_ready_jobs",
            named(
                "sql/test_prune_unused.py",
                "test_what_a_typing_error_made_goes_after_thirty_days_and_is_recorded",
            ),
            "race/test_removal.py::test_a_job_whose_lane_goes_while_it_is_enqueued_is_claimed",
        ),
    ),
    Line(
        "Lists of queues and endpoints had no limit, and the doctor named every queue without a worker.",
        "Lists have a limit and say that there are more; the doctor names ten and a count.",
        (
            "cli/test_many_queues.py::test_lists_of_queues_and_endpoints_have_a_limit_and_go_on",
            "cli/test_many_queues.py::test_the_doctor_names_ten_queues_and_a_count",
        ),
    ),
    Line(
        "A count that stopped at 10,000 looked like an exact one.",
        "It is shown as more than that, and named in more_than in JSON.",
        ("cli/test_many_queues.py::test_a_count_that_was_cut_off_says_more_than",),
    ),
    Line(
        "A negative number of rows and options that are not an object gave an error of PostgreSQL, or none.",
        "Each verb refuses them with HF002 and says what is allowed.",
        (
            "sql/refusals/test_arguments.py::test_a_negative_number_of_rows_is_refused",
            "sql/refusals/test_arguments.py::test_options_that_are_no_object_are_refused",
        ),
    ),
    Line(
        "Any login can NOTIFY on the channel: a storm of notifications caused 352 claims in a second.",
        "At most 50 claims per second may find nothing; the first ten notifications are acted on at once.",
        (
            "worker/test_wake.py::test_a_storm_of_notifications_by_a_stranger_causes_few_claims",
            "worker/test_wake.py::test_a_ring_that_found_a_job_does_not_delay_the_next",
        ),
    ),
    Line(
        "The last worker of a chain was killed while it held a job: `workers continue` ignored workers whose"
        " jobs were not rescued yet, and no other worker was left to rescue them.",
        "The search for lost workers rescues their jobs first.",
        (
            named(
                "sql/test_lost_continuations.py",
                "test_the_last_worker_of_all_is_missed_though_it_held_jobs",
            ),
        ),
    ),
    Line(
        "With uvloop, a handler that forked made its worker deaf to SIGTERM: the copy took the loop's signals"
        " out of the epoll set that both share. The worker exited only at the end of its grace period.",
        "A copy closes its side of the shared epoll set before its loop can stop.",
        (
            named(
                "crash/test_rude_handlers.py",
                "test_a_forked_copy_ends_with_its_handler_and_is_no_second_worker",
            ),
        ),
    ),
    Line(
        "A worker that claims once waited for ever after a job that completed in its own transaction.",
        "It exits when no job is running and every end is stored.",
        (
            named(
                "worker/test_transaction.py",
                "test_a_worker_that_claims_once_leaves_after_a_job_that_completed_in_its_own_transaction",
            ),
        ),
    ),
    Line(
        "A verb was renamed, the row that it locks was not: of two equal workers whose time boxes ended at"
        " once neither requested a successor, and their work waited for a person.",
        "The row is part of the schema, and every lock that a function takes by name is compared with the"
        " rows of a new database.",
        (
            named(
                "race/test_successors.py",
                "test_of_two_equal_workers_that_end_at_once_one_has_a_successor",
            ),
            "migration/test_locks.py::test_every_lock_that_a_function_takes_is_in_the_table",
        ),
    ),
)
